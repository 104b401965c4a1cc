"""Majority vote: shares, ties by policy."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dissensus.data.tables.judgments import Judgments
from dissensus.errors import InputError
from dissensus.judges.label_table import labels
from dissensus.judges.merging.voting import choose, vote_shares, wawa, weighted_shares


def test_shares_count_first_judgments() -> None:
    j = Judgments.from_dict({"a": {1: {"x": 2}}, "b": {1: {"x": 0}}, "c": {1: {"x": 2, "y": 1}}})
    assert vote_shares(labels(j).first()).tolist() == [[1 / 3, 0, 2 / 3], [0, 1, 0]]


def test_ties_by_policy() -> None:
    shares = np.array([[0.5, 0.0, 0.5], [0.0, 0.0, 0.0], [0.1, 0.9, 0.0]])
    assert choose(shares, "lower")[0].tolist() == [0, -1, 1]
    assert choose(shares, "higher")[0].tolist() == [2, -1, 1]
    assert choose(shares, "lower")[1] == 1
    with refused(InputError, 'ties="best"'):
        choose(shares, "best")  # type: ignore[arg-type]


def test_the_coin_is_fair_and_seeded() -> None:
    shares = np.tile([1 / 3, 0.0, 1 / 3, 1 / 3], (30_000, 1))
    level, n = choose(shares, "coin", 5)
    assert n == 30_000
    assert np.allclose(np.bincount(level, minlength=4) / 30_000, [1 / 3, 0, 1 / 3, 1 / 3], atol=0.01)
    assert np.array_equal(level, choose(shares, "coin", 5)[0])
    assert not np.array_equal(level, choose(shares, "coin", 6)[0])


def test_by_hand() -> None:
    given = {"a": (1, 1, 0, 0), "b": (1, 1, 0, 1), "c": (0, 0, 0, 1)}
    table = labels(Judgments.from_dict({w: {1: {f"d{i}": g for i, g in enumerate(v)}} for w, v in given.items()}))
    level, _ = choose(vote_shares(table), "lower")
    assert level.tolist() == [1, 1, 0, 1]
    found = wawa(table, level)
    assert found.skill == pytest.approx([3 / 4, 1, 2 / 4])
    total = 3 / 4 + 1 + 2 / 4
    assert found.posterior[:, 1] == pytest.approx([1.75 / total, 1.75 / total, 0, 1.5 / total])


def test_where_all_weigh_nothing_votes_are_equal() -> None:
    table = labels(Judgments.from_dict({"a": {1: {"x": 0}}, "b": {1: {"x": 1}}}))
    assert weighted_shares(table, np.zeros(2)).tolist() == [[0.5, 0.5]]
