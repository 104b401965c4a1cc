"""Cohen's κ against scikit-learn, and of many assessors against a double loop."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from label_matrices import from_matrix
from sklearn.metrics import cohen_kappa_score

from dissensus.judging.agreement.api import agreement
from dissensus.judging.agreement.coefficient_interval import Resampling
from dissensus.judging.agreement.cohen import kappa
from dissensus.judging.label_table import labels

HOW = Resampling(replicates=99)


def test_cohen_is_scikit_learns_for_two() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 4, 300)
    y = np.where(rng.random(300) < 0.6, x, rng.integers(0, 4, 300))
    matrix = np.stack([x, y], axis=1)
    matrix[:40, 0] = -1  # documents only one judged must not count
    a = agreement(from_matrix(matrix, topics=15), replicates=99)
    x, y = x[40:], y[40:]
    assert a.kappa == pytest.approx(cohen_kappa_score(x, y), abs=1e-12)
    assert a.kappa_linear == pytest.approx(cohen_kappa_score(x, y, weights="linear"), abs=1e-12)
    assert a.kappa_quadratic == pytest.approx(cohen_kappa_score(x, y, weights="quadratic"), abs=1e-12)
    assert a.percent == pytest.approx((x == y).mean())
    row = a.pairs.row(0, named=True)
    assert row["kappa"] == pytest.approx(float(a.kappa))
    assert row["kappa_linear"] == pytest.approx(float(a.kappa_linear))
    assert row["n"] == 260
    for threshold in (1, 2, 3):
        both, either = ((x >= threshold) & (y >= threshold)).sum(), ((x >= threshold) | (y >= threshold)).sum()
        assert a.overlap[str(threshold)] == pytest.approx(both / either)


def test_kappa_of_many_is_the_obvious_double_loop_and_its_influence_the_jackknife() -> None:
    rng = np.random.default_rng(2)
    matrix = rng.integers(0, 3, (60, 6))
    matrix[rng.random(matrix.shape) < 0.3] = -1
    j = from_matrix(matrix, "0..2", topics=12)
    table = labels(j).first()
    shared = matrix[(matrix >= 0).sum(axis=1) >= 2]

    def twin(m: np.ndarray) -> float:
        share = [[np.mean(m[m[:, a] >= 0, a] == q) for q in range(3)] for a in range(6)]
        o = e = n = 0.0
        for a, b in itertools.combinations(range(6), 2):
            both = (m[:, a] >= 0) & (m[:, b] >= 0)
            n += both.sum()
            o += (m[both, a] == m[both, b]).sum()
            e += both.sum() * np.dot(share[a], share[b])
        return 1 - (n - o) / (n - e)

    ours = kappa(table, j.item_topic.astype(np.int64), "plain", True, HOW)
    assert ours == pytest.approx(twin(shared), abs=1e-12)
    topic = (np.arange(60) % 12)[(matrix >= 0).sum(axis=1) >= 2]
    exact = np.array([twin(shared[topic != t]) for t in range(12)])
    spread = np.sqrt(11 / 12 * ((exact - exact.mean()) ** 2).sum())
    width = (ours.high - ours.low) / 2
    assert width == pytest.approx(2.2 * spread, rel=0.35)  # t(11) = 2.20; the bootstrap is not far from it


def test_intervals_cover() -> None:
    """κ of two assessors with topic effects: 95 % intervals cover the population value."""
    rng = np.random.default_rng(7)
    topics, docs = 25, 20

    def sample(n: int) -> np.ndarray:
        accuracy = rng.beta(8, 2, n).repeat(docs)
        truth = rng.random(n * docs) < rng.beta(2, 3, n).repeat(docs)
        said = [np.where(rng.random(n * docs) < accuracy, truth, ~truth) for _ in range(2)]
        return np.stack(said, axis=1).astype(int)

    big = sample(20_000)
    target = cohen_kappa_score(big[:, 0], big[:, 1])
    hits = 0
    cluster = np.repeat(np.arange(topics), docs)
    template = labels(from_matrix(sample(topics), "0..1"))
    from dataclasses import replace

    for _ in range(300):
        said = sample(topics)
        e = kappa(
            replace(template, level=said.ravel().astype(np.int8)), cluster, "plain", True, Resampling(replicates=299)
        )
        hits += e.low <= target <= e.high
    assert 0.91 <= hits / 300 <= 0.98
