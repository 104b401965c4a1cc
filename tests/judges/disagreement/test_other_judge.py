"""The pooled confusion of any judge with any other, and published matrices."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.judges.disagreement.other_judge import other_judge_confusion, other_judges


def test_slow_twin():
    rng = np.random.default_rng(4)
    said = {f"d{i}": rng.integers(0, 3, rng.integers(1, 5)).tolist() for i in range(40)}
    j = ds.Judgments.from_dict(
        {who: {"1": {d: row[k] for d, row in said.items() if len(row) > k}} for k, who in enumerate("abcd")},
        scale="0..2",
    )
    want = np.zeros((3, 3))
    for row in said.values():
        for a, b in itertools.permutations(range(len(row)), 2):
            want[row[a], row[b]] += 1 / (len(row) - 1)
    got = other_judge_confusion(j)
    assert got.counts == pytest.approx(want)
    assert got.n.sum() == pytest.approx(sum(len(row) for row in said.values() if len(row) > 1))
    assert any(phrase("other-judge.documents-label-left-out") in note for note in got.notes)


def test_two_judges_are_the_mean_of_both_directions():
    rows = {"x": (0, 1), "y": (1, 1), "z": (0, 0)}
    j = ds.Judgments.from_dict({w: {1: {d: r[k] for d, r in rows.items()}} for k, w in enumerate("ab")})
    both = ds.confusion(j, "a", "b").counts + ds.confusion(j, "b", "a").counts
    assert other_judge_confusion(j).counts == pytest.approx(both)
    assert other_judge_confusion(j, smoothing=1).matrix[0].sum() == pytest.approx(1)


def test_nothing_shared():
    with refused(InputError, by="other_judge", options=["confusion"]):
        other_judge_confusion(ds.Judgments.from_dict({"a": {1: {"x": 1}}}))


def test_copies_of_one_judge_are_named():
    same = {1: {"x": 0, "y": 1, "z": 2}}
    assert phrase("other-judge.never-disagree") in other_judges(ds.Judgments.from_dict({"a": same, "b": same})).notes[0]
    other = {1: {"x": 0, "y": 1, "z": 1}}
    assert (
        phrase("other-judge.never-disagree")
        not in other_judges(ds.Judgments.from_dict({"a": same, "b": other})).notes[0]
    )
