"""Confusions counted from judgments: of two judges, and of any judge with any other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.judging.confusion.counting import confusion, other_judge_confusion, other_judges
from dissensus.tables.judgments import Judgments


def test_confusion_counts_what_both_judged() -> None:
    j = Judgments.from_dict(
        {
            "gold": {1: {"a": 2, "b": 0, "c": 1, "only-gold": 2}, 2: {"a": 0}},
            "bronze": {1: {"a": 1, "b": 0, "c": 1, "only-bronze": 2}, 2: {"a": 2}},
            "third": {1: {"a": 2}},
        }
    )
    c = confusion(j)
    assert c.counts is not None
    assert c.counts.tolist() == [[1, 0, 1], [0, 1, 0], [0, 1, 0]]
    assert c.to_frame().filter((c.to_frame()["reference"] == "0") & (c.to_frame()["observed"] == "2"))["count"][0] == 1
    pooled = confusion(j, observed=None)
    assert pooled.counts is not None
    assert pooled.counts.sum() == 5
    alone = confusion(reference=j.select(assessors=["gold"]), observed=j.select(assessors=["bronze"]))
    assert np.array_equal(alone.counts, c.counts)
    mixed = confusion(j, reference="gold", observed=j.select(assessors=["bronze"]))
    assert np.array_equal(mixed.counts, c.counts)


def test_confusion_errors_name_the_assessors() -> None:
    j = Judgments.from_dict({"ann": {1: {"a": 1}}, "bob": {1: {"b": 1}}})
    with refused(InputError, "ann", "bob"):
        confusion(j)
    with refused(InputError, "ann", "bob"):
        confusion(j, "ann", "bob")
    with refused(InputError, "ann"):
        confusion(j, "ann", "ann")


def test_grades_below_zero_are_left_out_or_a_level() -> None:
    j = Judgments.from_dict({"gold": {1: {"a": 0, "b": 1, "c": -2}}, "bronze": {1: {"a": -2, "b": 1, "c": 0}}})
    c = confusion(j)
    assert c.counts is not None
    assert c.counts.tolist() == [[0, 0], [0, 1]]
    assert phrase("agreement.labels-below-zero", 2) in str(c)
    nominal = confusion(j, negative="label")
    assert nominal.scale.names == ("-2", "0", "1")
    assert nominal.counts is not None
    assert nominal.counts.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_pooled_slow_twin():
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
    assert other_judge_confusion(j).smoothed(1).matrix[0].sum() == pytest.approx(1)


def test_nothing_shared():
    with refused(InputError, options=["confusion"]):
        other_judge_confusion(ds.Judgments.from_dict({"a": {1: {"x": 1}}}))


def test_copies_of_one_judge_are_named():
    same = {1: {"x": 0, "y": 1, "z": 2}}
    assert phrase("other-judge.never-disagree") in other_judges(ds.Judgments.from_dict({"a": same, "b": same})).notes[0]
    other = {1: {"x": 0, "y": 1, "z": 1}}
    assert (
        phrase("other-judge.never-disagree")
        not in other_judges(ds.Judgments.from_dict({"a": same, "b": other})).notes[0]
    )
