"""Ordinal EM: leans and spreads."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from dissensus.errors import DissensusWarning
from dissensus.judging.label_table import labels
from dissensus.judging.merging import ordinal_em
from dissensus.judging.merging.api import merge
from dissensus.tables.judgments import Judgments


def quiet(j: Judgments, method: str, **options: object):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DissensusWarning)
        return merge(j, method, temper=False, **options)  # type: ignore[arg-type]


def test_ordinal_em_finds_the_lean() -> None:
    """A lenient assessor: one grade too high half of the time."""
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 4, 600)
    lenient = np.minimum(truth + (rng.random(600) < 0.5), 3)
    near = [np.clip(truth + rng.choice([-1, 0, 1], 600, p=[0.1, 0.8, 0.1]), 0, 3) for _ in range(3)]
    content = {f"w{k}": {1: {f"d{i:03}": int(g) for i, g in enumerate(x)}} for k, x in enumerate([*near, lenient])}
    j = Judgments.from_dict(content, scale="0..3")
    table = labels(j)
    counts = table.expected(ordinal_em.fit(table, table.shares()).posterior)
    shape = ordinal_em.lean_and_spread(counts, np.tile([1.0, 0.0], (4, 1)))
    assert shape[3, 1] > 1 > abs(shape[0, 1])
    gradient_free = np.exp(ordinal_em.log_confusions(shape, 4))
    assert gradient_free.sum(axis=2) == pytest.approx(np.ones((4, 4)))
    assert quiet(j, "ordinal").judgments.grade.tolist() == pytest.approx(truth.tolist(), abs=1)


def test_newton_finds_the_top_of_the_likelihood() -> None:
    """No small step in (a, b) raises Σ counts·log P; the prior of the crowd is part of the counts."""
    counts = np.random.default_rng(1).random((1, 4, 4)) + 3 * np.eye(4)
    best = ordinal_em._newton(counts, np.array([[1.0, 0.0]]))

    def value(shape: np.ndarray) -> float:
        return float((counts * ordinal_em.log_confusions(shape, 4)).sum())

    for step in ([1e-3, 0], [-1e-3, 0], [0, 1e-3], [0, -1e-3]):
        assert value(best + step) < value(best)
