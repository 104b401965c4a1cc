"""Wawa by hand: an assessor weighs as much as it agrees with the majority."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.data.tables.judgments import Judgments
from dissensus.judges.label_table import labels
from dissensus.judges.merging.voting import choose, vote_shares
from dissensus.judges.merging.wawa import fit, weighted_shares


def test_by_hand() -> None:
    given = {"a": (1, 1, 0, 0), "b": (1, 1, 0, 1), "c": (0, 0, 0, 1)}
    table = labels(Judgments.from_dict({w: {1: {f"d{i}": g for i, g in enumerate(v)}} for w, v in given.items()}))
    level, _ = choose(vote_shares(table), "lower")
    assert level.tolist() == [1, 1, 0, 1]
    found = fit(table, level)
    assert found.skill == pytest.approx([3 / 4, 1, 2 / 4])
    total = 3 / 4 + 1 + 2 / 4
    assert found.posterior[:, 1] == pytest.approx([1.75 / total, 1.75 / total, 0, 1.5 / total])


def test_where_all_weigh_nothing_votes_are_equal() -> None:
    table = labels(Judgments.from_dict({"a": {1: {"x": 0}}, "b": {1: {"x": 1}}}))
    assert weighted_shares(table, np.zeros(2)).tolist() == [[0.5, 0.5]]
