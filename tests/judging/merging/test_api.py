"""merge(): methods, ties, warnings, defined answers in corners, and crowd-kit's aggregators as methods."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from crowdkit.aggregation import DawidSkene, MajorityVote
from crowds import crowd, good
from refusals import refused, warned
from wording import phrase

from dissensus.errors import ConvergenceWarning, DependenceWarning, InputError, ReliabilityWarning
from dissensus.judging.merging.api import merge
from dissensus.tables.judgments import Judgments

CROWDKIT = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # crowd-kit 1.4 on pandas 3


@pytest.fixture(scope="module")
def five() -> tuple[Judgments, dict[str, int]]:
    """Five assessors of decreasing skill on 600 documents; truth by document id."""
    truth = (np.random.default_rng(1).random(600) < 0.3).astype(int)
    j = crowd(truth, [good(2, a) for a in (0.95, 0.9, 0.7, 0.6, 0.55)], None, seed=2, topics=6)
    return j, {f"d{i}": int(g) for i, g in enumerate(truth)}


def accuracy(j: Judgments, truth: dict[str, int]) -> float:
    return float(np.mean([truth[d] == g for d, g in zip(j.doc_ids(j.item), j.grade, strict=True)]))


def test_em_beats_the_majority_where_skills_differ(five: tuple[Judgments, dict[str, int]]) -> None:
    j, truth = five
    majority, mv, neu = (merge(j, m) for m in ("majority", "em-mv", "em-neu"))
    assert accuracy(mv.judgments, truth) > accuracy(majority.judgments, truth) + 0.03
    assert accuracy(neu.judgments, truth) == pytest.approx(accuracy(mv.judgments, truth), abs=0.01)
    assert mv.converged
    assert mv.rounds == len(mv.log_likelihood)
    assert mv.judgments.assessors == ("em-mv",)
    assert mv.confusions["w0"].matrix[0, 0] > mv.confusions["w4"].matrix[0, 0] + 0.2
    assert mv.confusions["w0"].counts is not None
    assert mv.confusions["w0"].counts.sum() == pytest.approx(600)
    assert len(mv.confusions) == 5
    assert sum(mv.prior.values()) == pytest.approx(1)  # type: ignore[arg-type]


def test_posterior_is_a_frame_that_sums_to_one(five: tuple[Judgments, dict[str, int]]) -> None:
    frame = merge(five[0], "em-mv").posterior
    assert frame.columns == ["topic", "doc", "grade", "probability"]
    sums = frame.group_by(["topic", "doc"]).agg(total=frame["probability"].implode().list.sum().first())
    assert sums.height == 600
    assert frame["probability"].sum() == pytest.approx(600)


def test_per_topic_estimates_each_topic_alone(five: tuple[Judgments, dict[str, int]]) -> None:
    j, truth = five
    whole = merge(j, "em-mv", per_topic=True, tol=1e-6)
    alone = merge(j.select(topics=["3"]), "em-mv", tol=1e-6)
    here = np.flatnonzero(np.array(whole.judgments.item_topic) == whole.judgments.topics.index("3"))
    assert np.array_equal(whole.judgments.grade[here], alone.judgments.grade)
    assert whole.confusions["3/w0"].matrix == pytest.approx(alone.confusions["w0"].matrix, abs=1e-3)
    assert set(whole.prior) == set(j.topics)
    assert accuracy(whole.judgments, truth) < accuracy(merge(j, "em-mv").judgments, truth) + 0.01


def test_toy_of_the_thesis() -> None:
    """Three assessors on one run: the majority says (1, 1, 1, 0, 0)."""
    said = {"a": (1, 1, 0, 0, 0), "b": (1, 1, 1, 0, 0), "c": (0, 1, 1, 0, 1)}
    j = Judgments.from_dict({w: {1: {f"d{i}": g for i, g in enumerate(v)}} for w, v in said.items()})
    assert merge(j).judgments.grade.tolist() == [1, 1, 1, 0, 0]
    assert merge(j, "em-mv").judgments.grade.tolist() == [1, 1, 1, 0, 0]


def test_ties_are_counted_and_settled_as_asked() -> None:
    j = Judgments.from_dict({"a": {1: {"x": 0, "y": 1}}, "b": {1: {"x": 2, "y": 1}}})
    assert merge(j, ties="lower").judgments.grade.tolist() == [0, 1]
    assert merge(j, ties="higher").judgments.grade.tolist() == [2, 1]
    assert phrase("merging.tie-settled-seeded-coin", 1) in str(merge(j))
    assert merge(j).n_ties == 1
    assert {merge(j, seed=s).judgments.grade[0] for s in range(20)} == {0, 2}


def test_corners_have_defined_answers() -> None:
    """An assessor with one label, a document with one label, a grade nobody used."""
    content = {w: {1: {f"d{i}": (i + (w == "c")) % 2 for i in range(9)}} for w in "abc"}
    content["once"] = {1: {"lonely": 1}}
    j = Judgments.from_dict(content, scale="0..3")
    merged = merge(j, "em-mv")
    frame = merged.posterior
    assert np.isfinite(frame["probability"].to_numpy()).all()
    assert frame.filter(frame["grade"] == 3)["probability"].max() < 0.01  # type: ignore[operator]
    # one label by somebody who gave no other says nothing about its author: the posterior is the prior
    lonely = frame.filter(frame["doc"] == "lonely")["probability"].to_list()
    assert lonely == pytest.approx(list(merged.prior.values()), abs=0.05)
    assert len(merged.judgments) == 10


def test_negative_grades_are_left_out_or_merged_as_a_label() -> None:
    j = Judgments.from_dict({w: {1: {"x": -2, "y": 1}} for w in "abc"})
    merged = merge(j)
    assert merged.judgments.doc_ids() == ["y"]
    assert phrase("agreement.labels-below-zero", 3) in str(merged)
    assert phrase("merging.document-no-label-left", 1) in str(merged)
    assert merge(j, negative="label").judgments.grade.tolist() == [-2, 1]
    with refused(InputError, options=["negative"]):
        merge(Judgments.from_dict({"a": {1: {"x": -1}}}))


@CROWDKIT
def test_crowdkit_objects_are_methods(five: tuple[Judgments, dict[str, int]]) -> None:
    j, _ = five
    theirs = merge(j, DawidSkene(n_iter=20, tol=-np.inf))
    assert theirs.method == "DawidSkene"
    vote = merge(j, MajorityVote())
    assert (vote.judgments.grade == merge(j, ties="lower").judgments.grade).mean() > 0.99
    with refused(InputError, "fit_predict"):
        merge(j, 3)


@CROWDKIT
def test_same_start_same_labels_as_crowdkit(five: tuple[Judgments, dict[str, int]]) -> None:
    j, _ = five
    with warned(ConvergenceWarning, 20, "max_rounds="):
        ours = merge(j, "em-mv", start="shares", smoothing=0, tol=0, max_rounds=20, temper=False)
    theirs = merge(j, DawidSkene(n_iter=20, tol=-np.inf))
    assert (ours.judgments.grade == theirs.judgments.grade).mean() > 0.999
    assert np.abs(ours.posterior["probability"] - theirs.posterior["probability"]).max() < 1e-6  # type: ignore[operator]


def test_not_identified() -> None:
    rng = np.random.default_rng(3)
    two = crowd(rng.integers(0, 2, 60), [good(2, 0.8)] * 2, None, seed=4)
    with warned(ReliabilityWarning, 2, "100%"):
        assert [d.kind for d in merge(two, "em-mv").doubts] == ["not identified"]
    thin = crowd(rng.integers(0, 2, 200), [good(2, 0.8)] * 9, 2, seed=4)
    with warned(ReliabilityWarning, 9, "100%"):
        assert [d.kind for d in merge(thin, "em-mv").doubts] == ["not identified"]


@pytest.mark.filterwarnings("ignore::dissensus.errors.ReliabilityWarning")
def test_switched_labels_are_said_not_mended() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 400)
    contrary = np.array([[0.2, 0.8], [0.8, 0.2]])
    j = crowd(truth, [good(2, 0.9), good(2, 0.9), contrary, contrary, contrary, contrary], None, seed=6)
    grade = np.array([int(d[1:]) for d in j.doc_ids()])
    j = Judgments.from_dict(
        {
            **{a: _own(j, a) for a in j.assessors},
            "gold": {"0": {f"d{i}": int(truth[i]) for i in grade}},
        },
        scale="0..1",
    )
    with warned(ReliabilityWarning, 400):
        merged = merge(j, "em-mv", gold="gold", temper=False)
    assert [d.kind for d in merged.doubts] == ["worse than the vote", "overconfident"]


def _own(j: Judgments, assessor: str) -> dict[str, dict[str, int]]:
    one = j.select(assessors=[assessor])
    return {"0": dict(zip(one.doc_ids(one.item), map(int, one.grade), strict=True))}


def test_dependent_judges_are_warned_of_without_gold() -> None:
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 4, 500)
    parent = np.where(rng.random(500) < 0.6, truth, rng.integers(0, 4, 500))
    content = {}
    for k in range(12):
        copy = np.where(rng.random(500) < 0.75, parent, rng.integers(0, 4, 500))
        content[f"llm{k}"] = {1: {f"d{i}": int(g) for i, g in enumerate(copy)}}
    content["other"] = {1: {f"d{i}": int(g) for i, g in enumerate(truth)}}
    merge(Judgments.from_dict(content), "em-mv")  # EM cannot know: the consensus of copies looks like the truth
    with warned(ReliabilityWarning):
        assert [d.kind for d in merge(Judgments.from_dict(content), "em-mv", gold="other").doubts] == ["overconfident"]
    # some copies among many independent judges: there is something to compare them with
    content = {f"llm{k}": content[f"llm{k}"] for k in range(7)}
    for k in range(12, 20):
        mixed = np.where(rng.random(500) < 0.55, truth, rng.integers(0, 4, 500))
        content[f"llm{k}"] = {1: {f"d{i}": int(g) for i, g in enumerate(mixed)}}
    with warned(DependenceWarning, "llm12", "llm15"):
        merge(Judgments.from_dict(content), "em-mv")


def test_arguments_are_checked() -> None:
    j = Judgments.from_dict({"a": {1: {"x": 1}}})
    with refused(InputError, 'method="mean"'):
        merge(j, "mean")
    with refused(InputError, 'start="here"'):
        merge(j, "em-mv", start="here")  # type: ignore[arg-type]
    with refused(InputError, "max_rounds=0"):
        merge(j, "em-mv", max_rounds=0)
    with refused(InputError, 'gold="nobody"'):
        merge(j, gold="nobody")


def test_results_print_and_save(five: tuple[Judgments, dict[str, int]]) -> None:
    merged = merge(five[0], "em-mv")
    assert phrase("merging.converged-after") in str(merged)
    content = json.loads(merged.to_json())
    assert len(content["tables"]["labels"]) == 600
    assert merged.confusions.to_frame().height == 5 * 4
    assert merged.to_frame().columns == ["topic", "doc", "assessor", "grade"]


def test_a_class_is_no_aggregator(five: tuple[Judgments, dict[str, int]]) -> None:
    with refused(InputError, "DawidSkene", "DawidSkene()"):
        merge(five[0], DawidSkene)


def test_a_coin_needs_a_seed_from_zero_on() -> None:
    tied = Judgments.from_dict({"a": {1: {"x": 0}}, "b": {1: {"x": 1}}})
    with refused(InputError, "seed=-1"):
        merge(tied, seed=-1)


@pytest.fixture(scope="module")
def spammed() -> tuple[Judgments, np.ndarray]:
    """Three good assessors and five that toss coins."""
    truth = np.random.default_rng(1).integers(0, 2, 500)
    return crowd(truth, [good(2, 0.97)] * 4 + [good(2, 0.5)] * 3, None, seed=2), truth


def share_right(j: Judgments, truth: np.ndarray) -> float:
    return float(np.mean([truth[int(d[1:])] == g for d, g in zip(j.doc_ids(j.item), j.grade, strict=True)]))


def test_dropping_or_weighing_coins_helps_the_vote(spammed: tuple[Judgments, np.ndarray]) -> None:
    j, truth = spammed
    kept, dropped, weighed = (merge(j, suspects=s) for s in ("keep", "drop", "weigh"))  # type: ignore[arg-type]
    assert set(dropped.suspects) == {"w4", "w5", "w6"}
    assert share_right(dropped.judgments, truth) > share_right(kept.judgments, truth) + 0.01
    assert share_right(weighed.judgments, truth) > share_right(kept.judgments, truth) + 0.01
    assert any(phrase("suspects.suspects-left-out", 3) in n for n in dropped.notes)
    assert kept.suspects == {}
    with refused(InputError, 'suspects="weigh"'):
        merge(j, "em-mv", suspects="weigh")
    with refused(InputError, 'suspects="hide"'):
        merge(j, suspects="hide")  # type: ignore[arg-type]


def test_repeats_are_evidence_in_models_and_said_in_votes() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 300)
    rows = [
        (1, f"d{i:03}", f"w{k}", int(t if rng.random() < 0.7 else 1 - t))
        for i, t in enumerate(truth)
        for k in range(3)
        for _ in range(3)
    ]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "grade"], orient="row")
    all_labels, first = (Judgments.from_frame(frame, repeated=r) for r in ("keep", "first"))  # type: ignore[arg-type]
    with_repeats, without = merge(all_labels, "em-mv"), merge(first, "em-mv")
    assert share_right(with_repeats.judgments, truth) > share_right(without.judgments, truth) + 0.03
    assert any(phrase("suspects.repeated-labels-used-evidence", "1,800") in n for n in with_repeats.notes)
    vote = merge(all_labels)
    assert np.array_equal(vote.judgments.grade, merge(first).judgments.grade)
    assert any(phrase("suspects.first-label") in n for n in vote.notes)
