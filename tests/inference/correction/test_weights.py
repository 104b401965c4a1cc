"""Weights of documents: the same scores as the measure, from a matrix written down by hand."""

from __future__ import annotations

import numpy as np
import pytest
from audited_study import study

import dissensus as ds
from dissensus.inference.correction.design import lay_out
from dissensus.inference.correction.estimate import naive
from dissensus.inference.correction.weights import (
    Weights,
    cosines,
    discount_weights,
    identical,
    popularity,
    products,
    weights_by_rank,
    weights_of,
)
from dissensus.measures.catalog import measure
from dissensus.tables.collection import join
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

DENSE = np.array([[0.5, 0.0, 0.3], [0.5, 0.2, 0.0]])
SMALL = Weights.from_dense(DENSE, np.array([0, 0, 1]))


def test_a_matrix_comes_back():
    assert (SMALL.n_systems, SMALL.n_topics, SMALL.n_items) == (2, 2, 3)
    assert np.array([SMALL.row(s) for s in (0, 1)]).tolist() == DENSE.tolist()
    assert SMALL.dense(np.array([2, 0])).tolist() == DENSE[:, [2, 0]].tolist()
    assert SMALL.scored_items.all()


def test_scores_mass_and_pull_by_hand():
    assert SMALL.scores(np.array([1.0, 2.0, 10.0])) == pytest.approx(np.array([[0.5, 3.0], [0.9, 0.0]]))
    mass = SMALL.mass(np.array([1, 0, 1]), 2)
    assert mass == pytest.approx(np.array([[[0.0, 0.5], [0.0, 0.3]], [[0.2, 0.5], [0.0, 0.0]]]))
    assert SMALL.weight_sd == pytest.approx(DENSE.std(axis=0))


@pytest.mark.parametrize("name", ["P@5", "DCG@10", "RBP(p=0.8)"])
def test_weights_give_the_scores_of_the_measure(name):
    runs, bronze, _ = study(topics=6, grades=3)
    design = lay_out(runs, bronze, None)
    m = ds.measure(name)
    value = design.values_of(m)[1][design.bronze]
    weights = weights_of(m, design.joined, design.gold_scale)
    assert weights.scores(value) == pytest.approx(naive(m, design), abs=1e-12)


def test_tied_documents_share_the_weight_of_their_ranks_and_unlabelled_ones_keep_theirs():
    runs = ds.Runs.from_dict({"A": {"q": {"x": 2.0, "y": 1.0, "z": 1.0, "new": 0.5}}})
    bronze = ds.Judgments.from_dict({"llm": {"q": {"x": 0, "y": 1, "z": 0}}})
    joined = lay_out(runs, bronze, None).joined
    weights = weights_by_rank(lambda n: 1 / np.arange(1, n + 1), joined, "expected")
    assert sorted(weights.row(0)) == pytest.approx([5 / 12, 5 / 12, 1.0])
    assert weights.rest.tolist() == [[pytest.approx(0.25)]]


SHOWN = np.array([[1.0, 0.5, 0.0], [1.0, 0.5, 0.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.0]])
WEIGHTS = Weights.from_dense(SHOWN, np.array([0, 0, 1]))


def test_cosines_equal_dense_ones_and_nothing_shown_shares_nothing() -> None:
    assert products(WEIGHTS) == pytest.approx(SHOWN @ SHOWN.T)
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
    from dissensus.inference.correction import weights as module

    rng = np.random.default_rng(4)
    dense = rng.random((7, 90)) * (rng.random((7, 90)) < 0.2)
    weights = Weights.from_dense(dense, np.arange(90) // 10)
    monkeypatch.setattr(module, "DENSE", 7 * 13)
    blocks = products(weights)
    monkeypatch.setattr(module, "WORK", 0)
    np.testing.assert_allclose(blocks, products(weights), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(blocks, dense @ dense.T, rtol=1e-13, atol=1e-15)
