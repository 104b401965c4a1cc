"""EM against a slow twin in logarithms, and what it promises: seeds, threads, monotone likelihood."""

from __future__ import annotations

import numpy as np
import pytest
from crowds import crowd, good
from numpy.typing import NDArray

from dissensus.judging.label_table import Labels, labels
from dissensus.judging.merging.em import FLOOR, Fit, Sparse, fit
from dissensus.tables.judgments import Judgments


def sparse(table: Labels) -> Sparse:
    return Sparse.of(table, table.assessor, table.n_assessors, np.zeros(table.n_items, np.int32))


def twin(table: Labels, posterior: NDArray[np.float64], smoothing: float, rounds: int) -> NDArray[np.float64]:
    """Dawid and Skene as printed, in logarithms."""
    k = table.n_levels
    for _ in range(rounds):
        confusion = np.full((table.n_assessors, k, k), smoothing)
        for i, a, h in zip(table.item, table.assessor, table.level, strict=True):
            confusion[a, :, h] += posterior[i]
        used = confusion.sum(axis=1, keepdims=True) > 0
        confusion = np.where(used, np.maximum(confusion, FLOOR), 0)
        total = confusion.sum(axis=2, keepdims=True)
        with np.errstate(divide="ignore"):
            log_c = np.log(confusion / total)
        mass = posterior.sum(axis=0) + smoothing
        belief = np.tile(np.log(np.maximum(mass / mass.sum(), FLOOR)), (len(posterior), 1))
        for i, a, h in zip(table.item, table.assessor, table.level, strict=True):
            belief[i] += log_c[a, :, h]
        belief -= belief.max(axis=1, keepdims=True)
        posterior = np.exp(belief) / np.exp(belief).sum(axis=1, keepdims=True)
    return posterior


@pytest.mark.parametrize("smoothing", [0.0, 0.01])
def test_em_is_its_twin(smoothing: float) -> None:
    rng = np.random.default_rng(1)
    j = crowd(rng.integers(0, 3, 120), [good(3, a) for a in (0.9, 0.7, 0.6, 0.5, 0.8)], 3, seed=2)
    table = labels(j)
    start = table.shares()
    ours = fit(sparse(table), start, smoothing=smoothing, tol=0, max_rounds=7)
    assert np.allclose(ours.posterior, twin(table, start, smoothing, 7), atol=1e-9)
    assert ours.rounds == 7
    assert not ours.converged


def test_hundreds_of_labels_on_one_document_do_not_vanish() -> None:
    rng = np.random.default_rng(3)
    j = crowd(rng.integers(0, 2, 12), [good(2, 0.6)] * 1500, None, seed=4)
    table = labels(j)
    ours = fit(sparse(table), table.shares(), tol=0, max_rounds=3)
    assert np.isfinite(ours.log_likelihood).all()
    assert np.allclose(ours.posterior, twin(table, table.shares(), 0.01, 3), atol=1e-9)


def test_likelihood_rises_and_matrices_are_found() -> None:
    rng = np.random.default_rng(5)
    truth = rng.choice(3, 4000, p=[0.6, 0.3, 0.1])
    matrices = [good(3, 0.9), good(3, 0.75), good(3, 0.6), np.array([[0.8, 0.2, 0], [0.3, 0.6, 0.1], [0.1, 0.4, 0.5]])]
    table = labels(crowd(truth, matrices, None, seed=6))
    found = fit(sparse(table), table.shares(), smoothing=0, tol=1e-5)
    assert found.converged
    assert (np.diff(found.log_likelihood) > -1e-6).all()
    estimated = found.counts / found.counts.sum(axis=2, keepdims=True)
    assert np.abs(estimated - np.stack(matrices)).max() < 0.08
    assert np.allclose(found.prior[0], [0.6, 0.3, 0.1], atol=0.03)


def test_threads_do_not_matter() -> None:
    rng = np.random.default_rng(7)
    table = labels(crowd(rng.integers(0, 2, 300), [good(2, 0.8)] * 6, 4, seed=8))

    def run(threads: int) -> Fit:
        return fit(sparse(table), None, threads=threads, max_rounds=20)

    assert np.array_equal(run(1).posterior, run(3).posterior)
    assert run(1).log_likelihood == run(3).log_likelihood


def test_groups_have_their_own_priors() -> None:
    rng = np.random.default_rng(9)
    truth = np.r_[rng.random(500) < 0.9, rng.random(500) < 0.1].astype(int)
    table = labels(crowd(truth, [good(2, 0.8)] * 5, None, seed=10))
    order = np.array([int(d[1:]) for d in crowd(truth, [good(2, 0.8)] * 5, None, seed=10).doc_ids()])
    group = (order >= 500).astype(np.int32)
    found = fit(Sparse.of(table, table.assessor, table.n_assessors, group), None)
    assert found.prior[0, 1] == pytest.approx(0.9, abs=0.05)
    assert found.prior[1, 1] == pytest.approx(0.1, abs=0.05)


def test_an_anchored_fit_is_the_plain_one_until_a_grade_would_become_another() -> None:
    """Judges who share a continuum cut at different places: the classes of EM drift away from the grades."""
    rng = np.random.default_rng(1)
    severity, cuts = rng.normal(size=400), np.array([0.3, 1.0, 1.6])
    truth, seen = np.searchsorted(cuts, severity), severity + rng.normal(size=400)
    rows = [np.searchsorted(cuts + 0.8 * rng.normal(), seen + 0.4 * rng.normal(size=400)) for _ in range(12)]
    content = {f"w{k:02}": {1: {f"d{i:03}": int(g) for i, g in enumerate(row)}} for k, row in enumerate(rows)}
    table = labels(Judgments.from_dict(content, scale="0..3"))
    everyone = np.ones(table.n_assessors, bool)
    start = (table.shares().argmax(axis=1)[:, None] == np.arange(4)).astype(float)
    anchored = fit(sparse(table), start, anchor=everyone)
    assert anchored.anchored
    assert not anchored.converged
    assert anchored.rounds == 2
    plain = fit(sparse(table), start, max_rounds=anchored.rounds)
    np.testing.assert_array_equal(anchored.posterior, plain.posterior)
    further = fit(sparse(table), start, tol=0, max_rounds=anchored.rounds + 1)

    def most_often(posterior: NDArray[np.float64]) -> list[int]:
        given = np.zeros((4, 4))
        np.add.at(given.T, table.level.astype(int), posterior[table.item])
        return given.argmax(axis=1).tolist()

    assert most_often(anchored.posterior) == [0, 1, 2, 3]
    assert most_often(further.posterior) != [0, 1, 2, 3]
    right = [(x.posterior.argmax(axis=1) == truth).mean() for x in (anchored, fit(sparse(table), start))]
    assert right[0] > right[1] + 0.1


def test_an_anchor_that_holds_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    table = labels(crowd(rng.integers(0, 3, 120), [good(3, a) for a in (0.9, 0.7, 0.6, 0.8)], None, seed=2))
    plain, anchored = (fit(sparse(table), table.shares(), anchor=a) for a in (None, np.ones(4, bool)))
    assert not anchored.anchored
    assert anchored.converged
    np.testing.assert_array_equal(plain.posterior, anchored.posterior)
    assert plain.log_likelihood == anchored.log_likelihood
