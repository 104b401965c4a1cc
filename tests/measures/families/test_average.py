"""Average precision of many assessors: the two ways to sum it give the same numbers to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_twins import empty, hits, listed, rankings, twin
from refusals import refused

import dissensus as ds
from dissensus.engine.walks import graded_sums, listed_precision_sums, precision_sums, relevant_for
from dissensus.errors import MeasureError
from dissensus.measures.families import average
from dissensus.measures.families.average import GAP, precision_sums_of

DOCS = [f"d{i:02d}" for i in range(40)]


@pytest.fixture(scope="module")
def collection() -> ds.Collection:
    rng = np.random.default_rng(0)
    runs = {
        f"s{s}": {
            str(t): {d: float(-i) for i, d in enumerate(rng.permutation(DOCS)[: int(rng.integers(5, 35))])}
            for t in range(4)
            if (s, t) != (2, 3)  # a ranking that is missing
        }
        for s in range(5)
    }
    gold = {"gold": {str(t): dict.fromkeys(DOCS, 0) for t in range(4)}}
    return ds.Collection(ds.Runs.from_dict(runs), ds.Judgments.from_dict(gold, scale="0..3"))


@pytest.mark.parametrize("share", [0.0, 0.02, 0.2, 0.6])
@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("cutoff", [None, 7])
def test_lists_of_relevant_labels_sum_as_all_labels_do(
    collection: ds.Collection, share: float, rel: int, cutoff: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    grades = np.where(rng.random((160, 33)) < share, rng.integers(1, 4, (160, 33)), rng.integers(-1, 1, (160, 33)))
    joined = collection.with_labels(grades.astype(np.int8)).joined
    monkeypatch.setattr(average, "MANY", 10**9)
    dense = precision_sums_of(rel, cutoff, joined)
    monkeypatch.setattr(average, "MANY", 1)
    monkeypatch.setattr(average, "SPARSE", 1.0)
    np.testing.assert_array_equal(precision_sums_of(rel, cutoff, joined), dense)
    if share == 0.2:
        assert dense.any()


def test_many_assessors_are_scored_as_each_alone(collection: ds.Collection) -> None:
    """Few relevant labels and many assessors: the lists are what runs here."""
    rng = np.random.default_rng(2)
    grades = (rng.random((160, 40)) < 0.1).astype(np.int8)
    together = collection.with_labels(grades).score(["AP"]).values["AP"]
    for a in (0, 17, 39):
        alone = collection.with_labels(grades[:, [a]]).score(["AP"]).values["AP"]
        np.testing.assert_array_equal(together[a], alone[0])


def test_grades_beyond_the_scale_have_room_in_the_lists(collection: ds.Collection) -> None:
    """Label sets put in by hand are not checked against the scale: both ways must count them alike."""
    grades = np.zeros((160, 20), np.int8)
    grades[::7] = 9
    joined = collection.with_labels(grades).joined
    alone = collection.with_labels(grades[:, :1]).joined
    np.testing.assert_array_equal(precision_sums_of(1, None, joined)[:, 4], precision_sums_of(1, None, alone)[:, 0])


@pytest.mark.parametrize(("bottom", "top"), [(0.1, 1.0), (0.0, 0.0), (0.0, 0.5)])
def test_gap_needs_0_at_the_bottom_and_1_at_the_top(bottom: float, top: float) -> None:
    gains = {0: bottom, 1: 1.0, 2: top}
    with refused(MeasureError, 0, 2, 1):
        GAP(gains=gains).score([2, 1, 0], scale="0..2")


def slow_precisions(grades: list[int], pool: list[int], rel: int = 2) -> float:
    return sum(sum(g >= rel for g in grades[: k + 1]) / (k + 1) for k, g in enumerate(grades) if g >= rel)


def test_precision_sums() -> None:
    joined = rankings()
    out = empty(joined)
    precision_sums(*hits(joined), joined.hit_rank, joined.hit_item, joined.labels, np.int8(2), out)
    np.testing.assert_allclose(out, twin(joined, slow_precisions), atol=1e-13)
    assert out.max() > 1


def test_lists_of_relevant_assessors_give_the_same_sums() -> None:
    joined = rankings(1)
    start, who = np.empty(len(joined.labels) + 1, np.int64), np.empty(int((joined.labels >= 2).sum()) + 1, np.uint32)
    relevant_for(joined.labels, np.int8(2), start, who)
    expected_start, expected_who = listed(joined, 2)
    np.testing.assert_array_equal(start, expected_start)
    np.testing.assert_array_equal(who[:-1], expected_who[:-1])
    out = empty(joined)
    listed_precision_sums(*hits(joined), joined.hit_rank, joined.hit_item, start, who, out)
    np.testing.assert_allclose(out, twin(joined, slow_precisions), atol=1e-13)


def test_graded_sums() -> None:
    joined = rankings(2)
    q = np.array([0.0, 0.25, 0.25, 1.0])

    def slow(grades: list[int], pool: list[int]) -> float:
        chance = [q[g] if g >= 0 else 0.0 for g in grades]
        return sum(sum(min(chance[i], here) for i in range(k + 1)) / (k + 1) for k, here in enumerate(chance))

    out = empty(joined)
    graded_sums(*hits(joined), joined.hit_rank, joined.hit_item, joined.labels, joined.scale.low, q, out)
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-13)
