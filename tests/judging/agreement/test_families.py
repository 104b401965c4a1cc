"""Judge families: planted ones are found, independent crowds have none."""

from __future__ import annotations

import numpy as np
import pytest
from crowds import crowd, good

import dissensus as ds
from dissensus.judging.agreement.families import correlations, pair_excess
from dissensus.judging.label_table import labels


def test_independent_crowds_have_no_family() -> None:
    rng = np.random.default_rng(0)
    named = 0
    for seed in range(20):
        j = crowd(rng.integers(0, 4, 300), [good(4, a) for a in rng.uniform(0.4, 0.9, 7)], None, seed)
        named += bool(pair_excess(labels(j)).named.any())
    assert named <= 1


def test_a_planted_family_is_named_and_nobody_else() -> None:
    """Two judges of eight take half of their labels from one hidden parent."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 800)

    def judge() -> np.ndarray:
        return np.where(rng.random(800) < 0.65, truth, rng.integers(0, 3, 800))

    parent = judge()
    children = [np.where(rng.random(800) < 0.6, parent, judge()) for _ in range(2)]
    everyone = [judge() for _ in range(6)] + children
    content = {f"j{k}": {0: {i: int(g) for i, g in enumerate(said)}} for k, said in enumerate(everyone)}
    j = ds.Judgments.from_dict(content, scale="0..2")
    result = ds.agreement(j, replicates=99)
    assert result.effective.families == (("j6", "j7"),)
    row = result.alike.row(0, named=True)
    assert (row["assessor_a"], row["assessor_b"]) == ("j6", "j7")
    assert row["excess"] == pytest.approx(row["correlation"] - row["explained"])
    assert "j6 and j7" in str(result)


def test_correlations_are_numpys() -> None:
    rng = np.random.default_rng(2)
    x = rng.integers(0, 2, 100)
    y = np.where(rng.random(100) < 0.7, x, 1 - x)
    cells = np.zeros((1, 2, 2), np.int64)
    np.add.at(cells[0], (x, y), 1)
    for ordered in (True, False):
        assert correlations(cells, ordered=ordered)[0] == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert np.isnan(correlations(np.array([[[5, 5], [0, 0]]]), ordered=True)[0])


def test_four_assessors_name_nobody() -> None:
    j = crowd(np.random.default_rng(3).integers(0, 2, 200), [good(2, 0.8)] * 4, None, seed=4)
    assert not pair_excess(labels(j)).named.any()
