"""The disagreement model: the paper's check values, its own data, coverage, degenerate labels."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest
from labelled_documents import labels
from paths import shared_data
from refusals import refused, stated, warned
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError, MeasureError, ReliabilityWarning, ScaleError
from dissensus.judging.disagreement.api import disagreement, partners
from dissensus.tables.judgments import Judgments


class TestEstimate:
    def test_pairs_by_hand(self):
        d = disagreement(labels({"x": [2, 2], "y": [1, 2], "z": [0, 1], "w": [0, 0]}))
        assert d.p == pytest.approx({0: 0, 1: 0.5, 2: 2 / 3})
        assert d.count == {0: 3, 1: 2, 2: 3}
        assert d.unreliable == (0, 1, 2)

    def test_a_document_counts_once_however_many_labels_it_has(self):
        d = disagreement(labels({"x": [1, 1, 1, 1, 2], "y": [1, 0]}))
        # x: four 1s, each with share 1/5 and one top among four others; y: one 1 with share 1/2 and none
        assert d.p[1] == pytest.approx((4 / 5 * 1 / 4) / (4 / 5 + 1 / 2))
        assert d.p[2] == 0

    def test_slow_twin(self):
        rng = np.random.default_rng(3)
        data = {f"d{i}": rng.integers(0, 4, rng.integers(2, 7)).tolist() for i in range(60)}
        want_hits, want_given = np.zeros(4), np.zeros(4)
        for said in data.values():
            for i, label in enumerate(said):
                rest = said[:i] + said[i + 1 :]
                want_hits[label] += np.mean([other == 3 for other in rest]) / len(said)
                want_given[label] += 1 / len(said)
        d = disagreement(labels(data))
        assert list(d.p.values()) == pytest.approx((want_hits / want_given).tolist())

    def test_repeats_are_no_other_users(self):
        frame = pl.DataFrame({"topic": ["1"] * 3, "doc": ["x"] * 3, "assessor": ["a", "a", "b"], "grade": [1, 1, 0]})
        j = ds.Judgments.from_frame(frame, repeated="keep")
        assert disagreement(j).p == pytest.approx({0: 1, 1: 0})
        assert disagreement(j, repeats="others").p == pytest.approx({0: 1, 1: 0.5})

    def test_empirical_weight_by_enumeration(self):
        from itertools import combinations

        said = [2, 1, 1, 0, 2]
        d = disagreement(labels({"x": said}))
        got = d.empirical(2, 3)[1][0]
        draws = [
            np.mean([sum(s == 2 for s in pair) >= 2 for pair in combinations(said[:i] + said[i + 1 :], 2)])
            for i, label in enumerate(said)
            if label == 1
        ]
        assert got == pytest.approx(np.mean(draws))
        assert math.isnan(d.empirical(1, 7)[1][0])  # nobody has six partners

    def test_binomial_weight_is_the_empirical_one_for_two_users(self):
        d = disagreement(labels({"x": [2, 1, 1], "y": [0, 1, 2], "z": [1, 2, 2]}))
        for grade, weight in d.weights(1, 2, zero=()).items():
            assert d.empirical(1, 2)[grade][0] == pytest.approx(weight)

    def test_named_grades(self):
        j = labels({"x": ["Rel", "Key"], "y": ["Non", "Non"]}, scale=("Non", "Rel", "Key"))
        d = disagreement(j)
        assert d.top == "Key"
        assert d.weights(1, 2) == {"Non": 0, "Rel": 1, "Key": 1}
        assert disagreement(j, top="Rel").p["Key"] == 1

    def test_below_zero_is_no_label(self):
        d = disagreement(labels({"x": [2, -2, 1], "y": [0, 0]}))
        assert d.count == {0: 2, 1: 1, 2: 1}
        assert any(phrase("disagreement.label-below-zero", 1) in note for note in d.notes)


class TestRestricted:
    J = labels({"1/x": [2, 1], "1/y": [0, 1], "2/z": [1, 0], "2/w": [0, 0]})
    RUNS = ds.Runs.from_dict(
        {"s": {"1": {"1/x": 3, "1/y": 2}, "2": {"2/z": 3}}, "t": {"1": {"1/y": 9, "1/x": 1}, "2": {"2/w": 1}}}
    )

    def test_lists_with_a_top_label(self):
        assert disagreement(self.J, lists="top").p == pytest.approx({0: 0, 1: 0.5, 2: 0})
        # one user found nothing in topic 1, where the other gave a 2: p was 0 because nobody had given one
        none = disagreement(self.J, lists="no-top")
        assert none.count == {0: 3, 1: 3, 2: 0}
        assert none.p == pytest.approx({0: 0, 1: 0.4, 2: np.nan}, nan_ok=True)
        # the first documents of four lists: only 1/x holds a top label
        assert disagreement(self.J, runs=self.RUNS, depth=1, lists="top").count == {0: 0, 1: 1, 2: 1}

    def test_no_list_is_left(self):
        with refused(InputError, 0, 1):
            disagreement(labels({"x": [1, 1]}), lists="no-top")  # both gave the top label

    def test_top_k(self):
        d = disagreement(self.J, runs=self.RUNS, depth=1)
        assert d.documents == 4
        one = self.RUNS.select(systems=["s"])
        assert disagreement(self.J, runs=one, depth=1).documents == 2
        assert any("2 of 4 documents" in note for note in disagreement(self.J, runs=one, depth=1).notes)

    def test_groups(self):
        d = disagreement(self.J, groups={1: "faceted", 2: "ambiguous"})
        assert set(d.groups) == {"faceted", "ambiguous"}
        assert d.groups["faceted"].p[1] == pytest.approx(0.5)
        assert phrase("disagreement.topic-no-group", 1) in disagreement(self.J, groups={1: "faceted"}).notes
        with refused(InputError, "groups="):
            disagreement(self.J, groups={9: "x"})

    def test_min_labels(self):
        j = labels({"x": [1, 0, 1], "y": [1, 1]})
        assert disagreement(j, min_labels=3).documents == 1


class TestDegenerate:
    def test_nobody_used_the_top(self):
        d = disagreement(labels({"x": [0, 1], "y": [1, 1]}, scale="0..2"))
        assert d.p[0] == d.p[1] == 0
        assert math.isnan(d.p[2])
        assert d.weights() == {0: 0, 1: 0, 2: 1}
        assert any(phrase("disagreement.no-assessor-gave-top", 2) in note for note in d.notes)

    def test_one_grade_only(self):
        d = disagreement(labels({"x": [1, 1], "y": [1, 1]}))
        assert d.p[1] == 1
        assert d.interval[1] == (pytest.approx(0.025**0.5), 1.0)
        assert d.weights()[1] == 1

    def test_nobody_disagrees(self):
        d = disagreement(labels({"x": [2, 2], "y": [1, 1], "z": [0, 0]}))
        assert d.p == {0: 0, 1: 0, 2: 1}
        assert d.weights(1, 10) == {0: 0, 1: 0, 2: 1}

    def test_no_document_judged_twice(self):
        with refused(InputError, 2):
            disagreement(labels({"x": [1], "y": [0]}))

    def test_weights_that_fall_are_warned_of(self):
        d = disagreement(labels({"x": [1, 3], "y": [2, 2], "z": [0, 0]}))
        with warned(ReliabilityWarning, 2, "0.000", 1, "1.000"):
            d.weights()

    def test_unknown_weight_is_never_written(self):
        d = disagreement(labels({"x": [0, 2], "y": [2, 2]}))
        with refused(InputError, 1):
            d.gains_json()

    @pytest.mark.parametrize(
        ("options", "value"),
        [
            ({"top": 7}, 7),
            ({"min_labels": 1}, "min_labels=1"),
            ({"level": 95}, "level=95"),
            ({"lists": "best"}, 'lists="best"'),
            ({"depth": 10}, "depth="),
            ({"cluster": "worker"}, 'cluster="worker"'),
            ({"repeats": "first"}, 'repeats="first"'),
        ],
    )
    def test_refusals(self, options, value):
        with refused((InputError, ScaleError), value):
            disagreement(labels({"x": [1, 0]}), **options)

    @pytest.mark.parametrize(("m", "n"), [(4, 3), (-1, 3), (1, 0), (1.5, 3), (True, 3)])
    def test_users(self, m, n):
        with refused(InputError, 0, 1):
            disagreement(labels({"x": [1, 0]})).weights(m, n)

    def test_zero_names_no_grade(self):
        with refused(InputError, 'zero="Non"'):
            disagreement(labels({"x": [1, 0]})).weights(zero="Non")


class TestOut:
    def test_gains_file_is_what_measures_take(self):
        d = disagreement(labels({"x": [2, 1, 2], "y": [1, 1, 2], "z": [0, 1, 0]}))
        gains = json.loads(d.gains_json(1, 3))
        assert gains["2"] == 1
        m = ds.measure("nDCG").with_gains(gains)
        assert m.score([2, 1, 0], scale="0..2") == 1
        assert ds.measure("GAP").with_gains(d.weights(1, 3)).score([2, 0], scale="0..2") == 1

    def test_graded_precision_needs_a_certain_top(self):
        d = disagreement(labels({"x": [2, 1, 2], "y": [1, 1, 2], "z": [0, 1, 0]}))
        with refused(MeasureError, 1, "GAP", "at_least=1"):
            ds.measure("GAP").with_gains(d.weights(2, 3))
        assert ds.measure("nDCG").with_gains(d.weights(2, 3)).score([2, 1, 0], scale="0..2") == pytest.approx(1)

    def test_frame_and_text(self):
        d = disagreement(labels({"x": [1, 0], "y": [1, 1]}))
        frame = d.weight_frame(1, 3)
        assert frame["grade"].to_list() == ["0", "1"]
        assert frame["reliable"].to_list() == [False, False]
        assert frame["weight.low"][1] == frame["weight.high"][1] == 1
        assert json.loads(d.to_json())["top"] == 1


def rf10():
    path = shared_data("trec-rf10-crowd") / "trec-rf10-data.txt.gz"
    frame = pl.read_csv(path, separator="\t").rename({"topicID": "topic", "docID": "doc", "workerID": "assessor"})
    gold = (
        frame.filter(pl.col("gold") >= 0).unique(["topic", "doc"]).with_columns(assessor=pl.lit("NIST"), label="gold")
    )
    columns = ["topic", "doc", "assessor", "label"]
    return ds.Judgments.from_frame(pl.concat([frame.select(columns), gold.select(columns)]), repeated="keep")


class TestTheirData:
    """TREC 2010 relevance feedback: the data of the paper itself."""

    def test_probabilities(self):
        j = rf10()
        d = disagreement(j, min_labels=6)
        assert d.documents == 2598
        assert [round(p, 3) for p in d.p.values()] == [0.235, 0.305, 0.339]
        as_printed = disagreement(j, min_labels=6, repeats="others")
        assert [round(p, 3) for p in as_printed.p.values()] == [0.233, 0.302, 0.343]

    def test_table_1(self):
        d = disagreement(rf10(), min_labels=6, repeats="others")
        printed = {(1, 3): (0.49, 0.51), (2, 3): (0.10, 0.09), (2, 4): (0.23, 0.21), (2, 5): (0.35, 0.35)}
        for (m, n), (experiment, prediction) in printed.items():
            assert d.empirical(m, n)[1][0] == pytest.approx(experiment, abs=0.02)
            assert d.weights(m, n)[1] == pytest.approx(prediction, abs=0.01)


ROWS = [
    ("1", "x", "a", 2), ("1", "x", "a", 1), ("1", "x", "b", 2), ("1", "x", "c", 0),
    ("1", "y", "a", 1), ("1", "y", "b", 2), ("2", "z", "c", 2), ("2", "w", "a", 0), ("2", "w", "a", 2),
]  # fmt: skip


def judged() -> Judgments:
    frame = pl.DataFrame(ROWS, schema=["topic", "doc", "assessor", "grade"], orient="row")
    return Judgments.from_frame(frame, repeated="keep")


@pytest.mark.parametrize("repeats", ["separate", "others"])
def test_slow_twin(repeats: str) -> None:
    expected = []
    for i, (_, doc, who, grade) in enumerate(ROWS):
        others = [
            row[3] for j, row in enumerate(ROWS) if row[1] == doc and j != i and (repeats == "others" or row[2] != who)
        ]
        if others:
            expected.append((doc, grade, len(others), others.count(2)))
    judgments = judged()
    found = partners(judgments, 2, repeats=repeats)
    docs = judgments.doc_ids(found.item)
    got = zip(docs, found.level.tolist(), found.others.tolist(), found.tops.tolist(), strict=True)
    assert sorted(got) == sorted(expected)
    for doc in set(docs):
        assert found.share[np.array(docs) == doc].sum() == pytest.approx(1)
    assert [judgments.topics[t] for t in found.topic] == ["2" if d in "zw" else "1" for d in docs]


def test_documents_with_too_few_labels_are_counted() -> None:
    found = partners(judged(), 2, min_labels=3)
    assert set(judged().doc_ids(found.item)) == {"x"}
    assert stated(found.notes, 3)
    kept = found.rows(found.level == 2)
    assert len(kept) == 2


def test_what_is_refused() -> None:
    with refused(InputError, 'repeats="first"'):
        partners(judged(), 2, repeats="first")
    with refused(InputError, "min_labels=1"):
        partners(judged(), 2, min_labels=1)
    with refused(InputError, 2):
        partners(judged().select(topics=["2"]), 2)
