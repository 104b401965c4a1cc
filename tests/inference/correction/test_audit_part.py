"""How many equally telling labels there are behind a rectified score."""

from __future__ import annotations

import numpy as np
import pytest
from wording import phrase

from dissensus.inference.correction.audit_part import AuditPart, few_labels
from dissensus.inference.correction.linear_scores import rectified_estimate
from dissensus.inference.correction.prior import Prior
from dissensus.inference.correction.rectified import Labels
from dissensus.inference.correction.weights import Weights
from dissensus.stats.intervals import quantiles


def test_equal_labels_count_in_full_and_one_large_one_counts_alone() -> None:
    part = AuditPart(np.array([[1.0, 1.0, 1.0, 1.0], [100.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]]), 2)
    assert part.telling()[:2] == pytest.approx([4.0, 1.0004], abs=1e-4)
    assert part.telling()[2] == np.inf
    assert part.covariance[0, 0] == pytest.approx(1.0)


def test_differences_equal_the_sum_itself() -> None:
    root = np.random.default_rng(0).normal(size=(4, 30))
    part = AuditPart(root, 5)
    a, b = np.triu_indices(4, 1)
    square = (root[a] - root[b]) ** 2
    assert part.telling_between(a, b) == pytest.approx(square.sum(axis=1) ** 2 / (square**2).sum(axis=1))
    assert part.telling_between(np.array([1]), np.array([1]))[0] == np.inf  # nothing tells a system from itself


def study(rng: np.random.Generator, budget: float) -> tuple[Weights, Labels, np.ndarray, np.ndarray]:
    """Four systems over 400 documents of 20 topics, a judge with Se .8 and Sp .8, documents drawn by their weight."""
    topic = np.repeat(np.arange(20), 20)
    dense = (rng.random((4, 400)) < 0.5) / 10
    gold = (rng.random(400) < 0.35).astype(float)
    bronze = np.where(rng.random(400) < 0.8, gold, 1 - gold).astype(np.int64)
    pi = np.minimum(budget * dense.mean(axis=0) / dense.mean(axis=0).sum(), 1.0)
    seen = rng.random(400) < pi
    prior = Prior.of(np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0]))
    labels = Labels(bronze, 3, np.where(seen, gold, np.nan), seen, pi, topic, prior)
    return Weights.from_dense(dense, topic), labels, pi, dense @ gold / 20


@pytest.mark.parametrize("budget", [20.0, 40.0])
def test_small_audits_are_covered_or_refused(budget: float) -> None:
    rng = np.random.default_rng(4)
    held, asked = 0, 0
    for _ in range(150):
        weights, labels, pi, truth = study(rng, budget)
        made = rectified_estimate(weights, labels, np.where(pi > 0, pi, np.nan), "these_topics")
        known = ~made.too_few
        half = quantiles(0.95, made.df_of()) * made.se
        held += int((np.abs(made.theta - truth) <= half)[known].sum())
        asked += int(known.sum())
    assert asked > 300
    assert held / asked > 0.94


def test_few_labels_have_the_larger_standard_error_and_fewer_degrees() -> None:
    weights, labels, pi, _ = study(np.random.default_rng(1), 30.0)
    made = rectified_estimate(weights, labels, np.where(pi > 0, pi, np.nan), "these_topics")
    assert made.audit is not None
    assert made.floor is not None
    larger = np.maximum(np.diag(made.audit.covariance), np.diag(made.floor))
    assert made.se == pytest.approx(np.sqrt(larger))
    shown = np.diag(made.audit.covariance) >= np.diag(made.floor)
    expected = np.where(shown, np.maximum(made.audit.telling(), 1.0), labels.n_audited - 1)
    assert made.df_of() == pytest.approx(expected)


def test_two_systems_that_no_audited_document_tells_apart_are_refused() -> None:
    weights = Weights.from_dense(np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]]), np.zeros(3, np.int64))
    seen, pi = np.array([True, False, False]), np.full(3, 0.5)
    prior = Prior.of(np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0]))
    labels = Labels(np.array([1, 1, 0]), 3, np.array([1.0, np.nan, np.nan]), seen, pi, np.zeros(3, np.int64), prior)
    made = rectified_estimate(weights, labels, pi, "these_topics")
    behind = made.telling_between(np.array([0]), np.array([1]))[0]
    assert behind == 0
    assert few_labels(behind).startswith(phrase("audit-part.no-audited-document"))
