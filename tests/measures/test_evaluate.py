"""Policies, shapes, accounts: what `evaluate` promises about every measure."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import polars as pl
import pytest
from random_collections import EVERY, random_collection, random_dicts
from refusals import refused, warned
from wording import phrase

import dissensus as ds
from dissensus.cli import main
from dissensus.errors import DataWarning, InputError, MeasureError, RunError
from dissensus.measures.account import empty_topics, remarks, tied_documents, unjudged_counts
from dissensus.measures.grades_used import check_grades_used
from dissensus.tables.collection import join


def test_dims_are_always_assessor_system_topic() -> None:
    scores = random_collection(0, assessors=2).evaluate(["AP", "nDCG@10"])
    assert scores["AP"].dims == ("assessor", "system", "topic")
    assert list(scores.data_vars) == ["AP", "nDCG@10"]
    assert scores.assessor.values.tolist() == ["a0", "a1"]
    assert scores.topic.values.tolist() == ["0", "1", "2", "3", "4", "5"]


def test_the_order_of_the_input_changes_nothing() -> None:
    judged, runs = random_dicts(3, assessors=3)
    rng = np.random.default_rng(0)

    def shuffled(d: dict) -> dict:
        keys = list(d)
        rng.shuffle(keys)
        return {k: shuffled(d[k]) if isinstance(d[k], dict) else d[k] for k in keys}

    first = ds.evaluate(ds.Runs.from_dict(runs), ds.Judgments.from_dict(judged), EVERY)
    again = ds.evaluate(ds.Runs.from_dict(shuffled(runs)), ds.Judgments.from_dict(shuffled(judged)), EVERY)
    assert first.identical(again)


def test_twice_the_same_call_twice_the_same_result() -> None:
    collection = random_collection(4, assessors=2)
    assert collection.evaluate(EVERY).identical(collection.evaluate(EVERY))


def test_integer_and_string_ids_are_alike() -> None:
    by_number = ds.evaluate(
        ds.Runs.from_dict({"s": {1: {10: 1.0, 9: 1.0}}}), ds.Judgments.from_dict({"a": {1: {9: 1, 10: 0}}}), ["AP"]
    )
    by_name = ds.evaluate(
        ds.Runs.from_dict({"s": {"1": {"10": 1.0, "9": 1.0}}}),
        ds.Judgments.from_dict({"a": {"1": {"9": 1, "10": 0}}}),
        ["AP"],
    )
    assert by_number.identical(by_name)
    assert by_number["AP"].item() == 1.0  # '9' stands before '10' in byte order, descending


def test_four_tied_documents() -> None:
    runs = ds.Runs.from_dict({"s": {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}}})
    judgments = ds.Judgments.from_dict({"j": {"q": {"a": 1, "b": 0, "c": 0, "d": 0}}})
    assert ds.evaluate(runs, judgments, ["AP"])["AP"].item() == 0.25
    expected = ds.evaluate(runs, judgments, ["AP"], ties="expected")["AP"].item()
    assert expected == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)


def test_a_missing_topic_is_an_empty_ranking_and_is_listed() -> None:
    runs = ds.Runs.from_dict({"a": {"1": {"d": 1.0}, "2": {"d": 1.0}}, "b": {"1": {"d": 1.0}}})
    judgments = ds.Judgments.from_dict({"j": {"1": {"d": 1}, "2": {"d": 1}}})
    scores = ds.evaluate(runs, judgments, ["AP"])
    assert scores["AP"].sel(system="b").values.tolist() == [[1.0, 0.0]]
    assert scores.attrs["missing"] == [("b", "2")]
    assert phrase("account.missing-scored-empty", 1) in scores.attrs["footer"]
    own = ds.evaluate(runs, judgments, ["AP", "P@1"], topics="own", empty="zero")
    np.testing.assert_array_equal(own["AP"].sel(system="b").values, [[1.0, np.nan]])
    np.testing.assert_array_equal(own["P@1"].sel(system="a").values, [[1.0, 1.0]])
    assert phrase("measures-evaluate.topics-own-missing-left", 2, 1) in own.attrs["footer"]
    shared = ds.evaluate(runs, judgments, ["AP"], topics="shared")
    assert shared.topic.values.tolist() == ["1"]
    assert "topics=shared (1 of 2 judged)" in shared.attrs["footer"]


def test_a_system_that_retrieved_nothing_at_all_stays() -> None:
    runs = ds.Runs.from_dict({"a": {"1": {"d": 1.0}}, "none": {}})
    scores = ds.evaluate(runs, ds.Judgments.from_dict({"j": {"1": {"d": 1}}}), ["AP"])
    assert scores["AP"].sel(system="none").values.tolist() == [[0.0]]


def test_a_topic_an_assessor_did_not_judge_is_nan_for_that_assessor() -> None:
    runs = ds.Runs.from_dict({"s": {"1": {"d": 1.0}, "2": {"d": 1.0}}})
    judgments = ds.Judgments.from_dict({"x": {"1": {"d": 1}}, "y": {"1": {"d": 0}, "2": {"d": 1}}})
    scores = ds.evaluate(runs, judgments, ["P@1"], empty="zero")
    assert np.isnan(scores["P@1"].sel(assessor="x", topic="2").item())
    assert scores["P@1"].sel(assessor="y").values.tolist() == [[0.0, 1.0]]
    assert phrase("measures-evaluate.assessors-judged-different-topics") in scores.attrs["footer"]


def test_empty_topics_are_nan_or_zero_and_counted() -> None:
    runs = ds.Runs.from_dict({"s": {"1": {"d": 1.0}, "2": {"d": 1.0}}})
    judgments = ds.Judgments.from_dict({"j": {"1": {"d": 0}, "2": {"d": 1}}})
    skipped = ds.evaluate(runs, judgments, ["AP", "P@1"])
    assert np.isnan(skipped["AP"].sel(topic="1").item())
    assert skipped["P@1"].sel(topic="1").item() == 0.0
    assert skipped["AP"].mean("topic").item() == 1.0
    assert skipped.attrs["empty_topics"] == {"j": 1}
    assert ds.evaluate(runs, judgments, ["AP"], empty="zero")["AP"].mean("topic").item() == 0.5


def test_topics_of_runs_that_nobody_judged_are_left_out_and_said() -> None:
    runs = ds.Runs.from_dict({"s": {"1": {"d": 1.0}, "7": {"d": 1.0}}})
    scores = ds.evaluate(runs, ds.Judgments.from_dict({"j": {"1": {"d": 1}}}), ["AP"])
    assert scores.topic.values.tolist() == ["1"]
    assert phrase("measures-evaluate.topic-runs-left-out", 1) in scores.attrs["footer"]


def test_runs_without_judged_topics_are_refused() -> None:
    judgments = ds.Judgments.from_dict({"j": {"1": {"d": 1}}})
    with refused(RunError, "q1", 1):
        ds.evaluate(ds.Runs.from_dict({"s": {"q1": {"d": 1.0}}}), judgments, ["AP"])
    two = ds.Runs.from_dict({"s": {"1": {"d": 1.0}}, "stray": {"q1": {"d": 1.0}}})
    with refused(RunError, "stray"):
        ds.evaluate(two, judgments, ["AP"])


def test_grades_without_order_are_refused() -> None:
    judgments = ds.Judgments.from_dict({"j": {"1": {"d": "good", "e": "bad"}}})
    with refused(InputError, "bad", "scale="):
        ds.evaluate(ds.Runs.from_dict({"s": {"1": {"d": 1.0}}}), judgments, ["AP"])


@pytest.mark.parametrize("policy", ["topics", "unjudged", "ties", "empty"])
def test_unknown_policies_are_refused(policy: str) -> None:
    with refused(InputError, f'{policy}="maybe"'):
        random_collection(0).evaluate(["AP"], **{policy: "maybe"})
    with refused(InputError):
        random_collection(0).evaluate([])


def test_a_relevant_grade_above_the_scale_gives_no_number() -> None:
    runs = ds.Runs.from_dict({"s": {"q": {"d": 1.0}}})
    declared = ds.Judgments.from_dict({"a": {"q": {"d": 1}}}, scale="0..2")
    with refused(MeasureError, "P(rel=3)@5", "0…2", 3, "P(rel=2)@5"):
        ds.evaluate(runs, declared, ["P(rel=3)@5"])
    with refused(MeasureError, 'scale="0..2"'):
        ds.evaluate(runs, ds.Judgments.from_dict({"a": {"q": {"d": 1}}}), ["AP(rel=2)"])
    with refused(MeasureError, 3, "RR(rel=3)"):
        ds.measure("RR(rel=3)").score([1, 0], scale="0..2")
    assert ds.measure("RR(rel=3)").score([1, 0]) == 0.0  # a list of grades does not say where the scale ends


@pytest.mark.parametrize("ranking", [3, "210", {2, 1}])
def test_a_ranking_is_a_list_of_grades(ranking: object) -> None:
    with refused(InputError, "None"):
        ds.measure("AP").score(ranking)  # type: ignore[arg-type]


def test_a_ranking_with_more_of_a_grade_than_its_pool() -> None:
    with refused(InputError, 2, 1):
        ds.measure("AP").score([2, 2], pool=[2, 1])


def test_err_says_which_top_grade_it_took() -> None:
    runs = ds.Runs.from_dict({"s": {"1": {"d": 1.0}}})
    undeclared = ds.evaluate(runs, ds.Judgments.from_dict({"j": {"1": {"d": 2}}}), ["ERR"])
    assert undeclared["ERR"].item() == 0.75
    assert undeclared.attrs["scale"] == phrase("scale.read-off-data", "0…2")
    declared = ds.evaluate(runs, ds.Judgments.from_dict({"j": {"1": {"d": 2}}}, scale="0..4"), ["ERR"])
    assert declared["ERR"].item() == 3 / 16


def test_repeats_count_with_their_first_grade() -> None:
    import polars as pl

    frame = pl.DataFrame({"topic": ["1", "1"], "doc": ["d", "d"], "assessor": ["j", "j"], "grade": [0, 1]})
    judgments = ds.Judgments.from_frame(frame, repeated="keep")
    scores = ds.evaluate(ds.Runs.from_dict({"s": {"1": {"d": 1.0}}}), judgments, ["P@1"])
    assert scores["P@1"].item() == 0.0
    assert phrase("measures-evaluate.repeated-judgment-first-counts", 1) in scores.attrs["footer"]


def test_other_label_sets_under_the_same_rankings() -> None:
    judged, runs = random_dicts(5, assessors=4, negative=False)
    collection = ds.Collection(ds.Runs.from_dict(runs), ds.Judgments.from_dict(judged, scale="0..3"))
    names = ["AP", "nDCG@5", "ERR@5", "Bpref"]
    together = collection.evaluate(names)
    for a in range(4):
        alone = collection.with_labels(collection.labels[:, [a]], [f"a{a}"]).evaluate(names)
        np.testing.assert_array_equal(alone["AP"].values[0], together["AP"].values[a])
        np.testing.assert_array_equal(alone["Bpref"].values[0], together["Bpref"].values[a])
    with refused(InputError, "(254, 4)", "(255, 4)"):
        collection.with_labels(collection.labels[:-1])


def test_many_assessors_are_each_scored_as_if_alone() -> None:
    judged, runs = random_dicts(6, assessors=3)
    r = ds.Runs.from_dict(runs)
    together = ds.evaluate(r, ds.Judgments.from_dict(judged, scale="0..3"), EVERY)
    for a, own in judged.items():
        alone = ds.evaluate(
            r.select(topics=[t for t in r.topics if t in own]), ds.Judgments.from_dict({a: own}, scale="0..3"), EVERY
        )
        for name in alone.data_vars:
            mine = together[name].sel(assessor=a, topic=alone.topic, system=alone.system)
            np.testing.assert_allclose(mine.values, alone[name].values[0], atol=1e-14, err_msg=str(name))


def test_a_gains_table_changes_the_gains() -> None:
    collection = random_collection(1)
    table = {0: 0, 1: 0.3, 2: 0.6, 3: 1}
    plain = collection.evaluate(["nDCG@5"])["nDCG@5"]
    weighted = collection.evaluate([ds.measure("nDCG@5").with_gains(table)])
    assert list(weighted.data_vars) == ["nDCG(gains={0: 0, 1: 0.3, 2: 0.6, 3: 1})@5"]
    assert not np.allclose(plain.values, next(iter(weighted.data_vars.values())).values, equal_nan=True)
    with refused(ds.DissensusError, "AP", "DCG"):
        ds.measure("AP").with_gains(table)


RUNS = ds.Runs.from_dict(
    {"s": {"1": {"a": 2.0, "b": 2.0, "c": 1.0}, "2": {"a": 1.0, "b": 1.0}, "9": {"a": 1.0}}, "t": {"1": {"x": 1.0}}}
)


JUDGED = ds.Judgments.from_dict({"ann": {"1": {"a": 1, "c": -1}, "2": {"b": 0}}, "bob": {"1": {"a": 2}}}, scale="0..2")


def test_counts() -> None:
    joined = join(RUNS, JUDGED)
    # s on topic 1: three documents by two assessors, a judged by both; topic 2: two by ann, one judged; t: one, by two
    assert unjudged_counts(joined, 10) == (6 - 2 + 2 - 1 + 2, 6 + 2 + 2)
    assert unjudged_counts(joined, 1) == (2 + 0 + 2, 5)  # b comes first in both rankings of s
    assert tied_documents(joined.runs) == 2  # b under a in both rankings; rankings are not tied with each other
    assert empty_topics(joined, [ds.measure("AP")]).tolist() == [1, 0]
    assert empty_topics(joined, [ds.measure("AP(rel=2)"), ds.measure("AP")]).tolist() == [2, 0]
    assert empty_topics(joined, [ds.measure("P@5")]).tolist() == [0, 0]


def test_the_attributes_and_their_footer() -> None:
    attrs = ds.Collection(RUNS, JUDGED).score("AP").attrs
    assert (attrs["n_topics"], attrs["missing"]) == (2, [("t", "2")])
    assert attrs["unjudged_top10"] == pytest.approx(7 / 10)
    assert phrase("account.missing-scored-empty", 1) in attrs["footer"]
    assert phrase("account.topic-runs-left-out", 1) in attrs["footer"]


def test_remarks() -> None:
    assert remarks(0, 0, np.array([5, 5]), 5) == []
    repeats, unknown, partial = remarks(2, 1, np.array([3, 5]), 5)
    assert repeats.startswith(phrase("account.repeated-judgments", 2))
    assert unknown.startswith("1 topic")
    assert "3 to 5 of 5" in partial


EXAMPLE_RUNS = {"s": {"1": {"a": 2.0, "b": 2.0, "u": 1.0}, "2": {"a": 1.0}}, "t": {"1": {"a": 1.0}}}


LABELS = {"ann": {"1": {"a": 1, "b": 0}, "2": {"a": 0}}}


def test_counts_by_hand() -> None:
    joined = ds.Collection(ds.Runs.from_dict(EXAMPLE_RUNS), ds.Judgments.from_dict(LABELS, scale="0..1")).joined
    assert tied_documents(joined.runs) == 1  # b has the score of the document before it
    assert unjudged_counts(joined, 10) == (1, 5)
    assert empty_topics(joined, [ds.measure("AP")]).tolist() == [1]


class TestCoarseJudges:
    def judgments(self, *, graded: bool, tmp_path):
        rng = np.random.default_rng(1)
        rows = [("bin", f"d{i}", int(rng.integers(0, 2))) for i in range(20)]
        rows += [("ann", f"d{i}", i % 3) for i in range(20)] if graded else []
        frame = pl.DataFrame(rows, schema=["assessor", "doc", "grade"], orient="row").with_columns(topic=pl.lit("1"))
        frame.write_csv(tmp_path / "l.csv")
        return tmp_path / "l.csv"

    runs = ds.Runs.from_dict({"a": {1: {f"d{i}": float(i) for i in range(20)}}})

    def test_a_binary_judge_beside_a_graded_one_is_named(self, tmp_path):
        path = self.judgments(graded=True, tmp_path=tmp_path)
        with warned(DataWarning, "bin", 2, "P(rel=2)@10"):
            ds.evaluate(self.runs, ds.read_judgments(path, scale="0..2"), ["P(rel=2)@10"])

    def test_alone_it_is_refused_and_mapped_it_is_read(self, tmp_path):
        path = self.judgments(graded=False, tmp_path=tmp_path)
        with refused(MeasureError, 2, "P(rel=2)@10"):
            ds.evaluate(self.runs, ds.read_judgments(path, scale="0..2"), ["P(rel=2)@10"])
        mapped = ds.read_judgments(path, scale="0..2", map={"bin": {1: 2}})
        assert set(mapped.grade.tolist()) == {0, 2}
        assert float(ds.evaluate(self.runs, mapped, ["P(rel=2)@10"])["P(rel=2)@10"].mean()) > 0

    def test_the_command_maps(self, tmp_path, capsys):
        path = self.judgments(graded=False, tmp_path=tmp_path)
        self.runs.write(tmp_path / "a.run")
        words = ["evaluate", str(tmp_path / "a.run"), "-j", str(path), "--scale", "0..2", "-m", "P(rel=2)@10"]
        assert main(words) == 2
        assert "--map" in capsys.readouterr().err
        assert main([*words, "--map", "bin:1=2"]) == 0

    def test_a_map_for_nobody(self, tmp_path):
        path = self.judgments(graded=False, tmp_path=tmp_path)
        with refused(ds.DissensusError, "x"):
            ds.read_judgments(path, map={"x": {1: 2}})


def labels(**highest: int) -> ds.Judgments:
    content = {who: {"q": {f"d{i}": min(i, top) for i in range(12)}} for who, top in highest.items()}
    return ds.Judgments.from_dict(content, scale="0..3")


def test_all_assessors_too_coarse_is_an_error() -> None:
    with refused(MeasureError, 2, "P(rel=2)@5"):
        check_grades_used(labels(binary=1), [ds.measure("P(rel=2)@5")])


def test_some_are_warned_of() -> None:
    with warned(DataWarning, "binary", 2):
        check_grades_used(labels(binary=1, graded=3), [ds.measure("P(rel=2)@5")])


def test_grades_that_are_used_are_fine() -> None:
    check_grades_used(labels(graded=3), [ds.measure("P(rel=2)@5"), ds.measure("AP")])


def test_labels_without_a_relevant_document_give_no_number():
    runs = {"a": {"q": {f"d{i}": 1.0 - i / 20 for i in range(12)}}}
    nothing = {"q": {f"d{i}": 0 for i in range(12)}}
    with refused(ds.DissensusError, "P@10"):
        ds.evaluate(runs, nothing, ["P@10"])
    assert ds.evaluate(runs, nothing, ["Judged@10"])["Judged@10"].item() == pytest.approx(1)
    one = ds.Judgments.from_dict({"strict": nothing, "kind": {"q": {"d1": 1}}})
    assert ds.evaluate(runs, one, ["P@10"])["P@10"].sel(assessor="strict").item() == 0


def test_a_collection_is_freed_when_nothing_uses_it() -> None:
    judged, runs = random_dicts(3)
    collection = ds.Collection(ds.Runs.from_dict(runs), ds.Judgments.from_dict(judged))
    collection.evaluate(["AP", "nDCG@10", "RBP", "P@5"])
    gone = weakref.ref(collection.joined.runs)
    gc.collect()
    gc.disable()  # by its last user, not by the search for cycles
    try:
        del collection
        assert gone() is None
    finally:
        gc.enable()
