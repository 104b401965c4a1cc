"""Average precision of many assessors: the two ways to sum it give the same numbers to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import MeasureError
from dissensus.measures.families import average
from dissensus.measures.families.average import GAP, precision_sums_of

DOCS = [f"d{i:02d}" for i in range(40)]


@pytest.fixture(scope="module")
def rankings() -> ds.Collection:
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
    rankings: ds.Collection, share: float, rel: int, cutoff: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    grades = np.where(rng.random((160, 33)) < share, rng.integers(1, 4, (160, 33)), rng.integers(-1, 1, (160, 33)))
    joined = rankings.with_labels(grades.astype(np.int8)).joined
    monkeypatch.setattr(average, "MANY", 10**9)
    dense = precision_sums_of(rel, cutoff, joined)
    monkeypatch.setattr(average, "MANY", 1)
    monkeypatch.setattr(average, "SPARSE", 1.0)
    np.testing.assert_array_equal(precision_sums_of(rel, cutoff, joined), dense)
    if share == 0.2:
        assert dense.any()


def test_many_assessors_are_scored_as_each_alone(rankings: ds.Collection) -> None:
    """Few relevant labels and many assessors: the lists are what runs here."""
    rng = np.random.default_rng(2)
    grades = (rng.random((160, 40)) < 0.1).astype(np.int8)
    together = rankings.with_labels(grades).score(["AP"]).values["AP"]
    for a in (0, 17, 39):
        alone = rankings.with_labels(grades[:, [a]]).score(["AP"]).values["AP"]
        np.testing.assert_array_equal(together[a], alone[0])


def test_grades_beyond_the_scale_have_room_in_the_lists(rankings: ds.Collection) -> None:
    """Label sets put in by hand are not checked against the scale: both ways must count them alike."""
    grades = np.zeros((160, 20), np.int8)
    grades[::7] = 9
    joined = rankings.with_labels(grades).joined
    alone = rankings.with_labels(grades[:, :1]).joined
    np.testing.assert_array_equal(precision_sums_of(1, None, joined)[:, 4], precision_sums_of(1, None, alone)[:, 0])


@pytest.mark.parametrize(("bottom", "top"), [(0.1, 1.0), (0.0, 0.0), (0.0, 0.5)])
def test_gap_needs_0_at_the_bottom_and_1_at_the_top(bottom: float, top: float) -> None:
    gains = {0: bottom, 1: 1.0, 2: top}
    with refused(MeasureError, 0, 2, 1, by="GAP"):
        GAP(gains=gains).score([2, 1, 0], scale="0..2")
