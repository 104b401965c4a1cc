"""What systems have in common."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.data.tables.collection import join
from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.runs import Runs
from dissensus.inference.correction.overlap import cosines, discount_weights, identical, popularity, products
from dissensus.inference.correction.weights import Weights
from dissensus.measures.catalog import measure

DENSE = np.array([[1.0, 0.5, 0.0], [1.0, 0.5, 0.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.0]])
WEIGHTS = Weights.from_dense(DENSE, np.array([0, 0, 1]))


def test_cosines_equal_dense_ones_and_nothing_shown_shares_nothing() -> None:
    assert products(WEIGHTS) == pytest.approx(DENSE @ DENSE.T)
    assert cosines(WEIGHTS)[0] == pytest.approx([1.0, 1.0, 0.25 / 1.25, 0.0])
    assert cosines(WEIGHTS)[3, 3] == 0.0


def test_identical_systems_are_named() -> None:
    assert identical(WEIGHTS) == [(0, 1)]


def test_equally_popular_systems_have_no_popularity() -> None:
    assert popularity(Weights.from_dense(np.eye(3), np.zeros(3, np.int64))).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nDCG@2", [1.0, 1 / np.log2(3), 0.0]),
        ("AP", [1.0, 1 / 2, 1 / 3]),
        ("ERR@2", [1.0, 1 / 2, 0.0]),
        ("R@2", [1.0, 1.0, 0.0]),
    ],
)
def test_discounts_never_look_at_labels(name: str, expected: list[float]) -> None:
    runs = Runs.from_dict({"A": {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}})
    for grades in ({"x": 1, "y": 0, "z": 3}, {"x": 0, "y": 0, "z": 0}):
        joined = join(runs, Judgments.from_dict({"llm": {"q": grades}}))
        assert discount_weights(measure(name), joined).row(0) == pytest.approx(expected)


def test_full_tables_in_blocks_and_sparse_ones_give_the_same_products(monkeypatch):
    from dissensus.inference.correction import overlap

    rng = np.random.default_rng(4)
    dense = rng.random((7, 90)) * (rng.random((7, 90)) < 0.2)
    weights = Weights.from_dense(dense, np.arange(90) // 10)
    monkeypatch.setattr(overlap, "DENSE", 7 * 13)
    blocks = overlap.products(weights)
    monkeypatch.setattr(overlap, "WORK", 0)
    np.testing.assert_allclose(blocks, overlap.products(weights), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(blocks, dense @ dense.T, rtol=1e-13, atol=1e-15)
