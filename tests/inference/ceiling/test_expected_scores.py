"""The exact kernel against the paper's own sum over (documents above, documents tied), and its properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dissensus as ds
from dissensus.inference.ceiling.expected_scores import (
    Forms,
    ScoredTopics,
    exact_scores,
    gauss_legendre,
    normal_scores,
    ordered_labels,
)

ONE = np.zeros(1, np.int64)


def twin(counts, matrix, weights, values):
    """Σ_i n_i v_i Σ_j c_ij Σ_{h,s} φ_ij(h, s) mean(w(h+1) … w(h+s+1)), φ built one document at a time."""
    n = int(sum(counts))
    running = np.concatenate(([0.0], np.cumsum(weights)))
    total = 0.0
    for i, n_i in enumerate(counts):
        for j in range(len(matrix[0])):
            if not n_i:
                continue
            phi = np.zeros((n + 1, n + 1))
            phi[0, 0] = 1.0
            for k, n_k in enumerate(counts):
                above, tied = matrix[k, j + 1 :].sum(), matrix[k, j]
                for _ in range(int(n_k) - (k == i)):
                    grown = phi * (1 - above - tied)
                    grown[1:, :] += above * phi[:-1, :]
                    grown[:, 1:] += tied * phi[:, :-1]
                    phi = grown
            for h in range(n):
                for s in range(n - h):
                    mean = (running[h + s + 1] - running[h]) / (s + 1)
                    total += n_i * values[i] * matrix[i, j] * phi[h, s] * mean
    return total


def forms_of(measure, counts):
    return Forms.of(ds.measure(measure), np.array([counts]), ds.Scale.range(0, len(counts) - 1))


matrices = st.lists(st.lists(st.floats(0.01, 1), min_size=3, max_size=3), min_size=3, max_size=3).map(
    lambda rows: np.array([np.array(row) / sum(row) for row in rows])
)
pools = st.tuples(st.integers(0, 6), st.integers(0, 5), st.integers(1, 4))


@settings(max_examples=40, deadline=None)
@given(counts=pools, matrix=matrices, measure=st.sampled_from(["nDCG", "nDCG@3", "P@2", "RBP(p=0.6)", "R@4"]))
def test_the_papers_sum(counts, matrix, measure):
    forms = forms_of(measure, counts)
    got = exact_scores(np.array([counts]), matrix[None], ONE, forms)[0]
    n = sum(counts)
    weights = np.zeros(n)
    used = min(int(forms.lengths[0]), n)
    weights[:used] = forms.weights[0, :used]
    assert got == pytest.approx(twin(counts, matrix, weights, forms.values[0]), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(counts=pools, matrix=matrices)
def test_a_score_between_worst_and_best(counts, matrix):
    forms = forms_of("nDCG", counts)
    got = exact_scores(np.array([counts]), matrix[None], ONE, forms)[0]
    upside_down = exact_scores(np.array([counts]), np.eye(3)[::-1][None].copy(), ONE, forms)[0]
    assert upside_down - 1e-12 <= got <= 1 + 1e-12


def test_more_noise_lower_ceiling():
    grades = np.repeat([0, 1, 2], (20, 8, 4))
    values = [float(ds.ceiling(grades, ds.Confusion.uniform(3, noise), "nDCG")) for noise in (0, 0.1, 0.3, 0.5, 2 / 3)]
    assert values == sorted(values, reverse=True)


def test_topics_do_not_touch_each_other():
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 40, (150, 3))
    counts[:, 2] += 1
    matrix = ds.Confusion.distance(3, 0.3).matrix
    forms = Forms.of(ds.measure("nDCG@5"), counts, ds.Scale.range(0, 2))
    of = np.zeros(150, np.int64)
    for compute in (exact_scores, normal_scores):
        together = compute(counts, matrix[None].copy(), of, forms)
        some = np.array([3, 77, 149])
        alone = [compute(counts[[t]], matrix[None].copy(), ONE, forms.rows(np.array([t])))[0] for t in some]
        assert together[some].tolist() == alone


def test_forms_of_several_measures_are_those_of_each():
    rng = np.random.default_rng(2)
    counts, scale = rng.integers(0, 9, (30, 3)), ds.Scale.range(0, 2)
    measures = [ds.measure(m) for m in ("P@2", "nDCG", "RBP(p=0.6)")]
    measure_of = rng.integers(0, 3, 30)
    forms = Forms.of_each(measures, measure_of, counts, scale)
    for t, m in enumerate(measure_of):
        alone = Forms.of(measures[m], counts[[t]], scale)
        used = int(alone.lengths[0])
        assert forms.lengths[t] == used
        assert forms.weights[t, :used].tolist() == alone.weights[0, :used].tolist()
        assert not forms.weights[t, used:].any()
        np.testing.assert_array_equal(forms.values[t], alone.values[0])
    assert Forms.of_each([*measures[:2], ds.measure("AP")], measure_of, counts, scale) is None


def test_nodes_integrate_polynomials():
    x, w = gauss_legendre(4)
    assert w @ x**7 == pytest.approx(1 / 8, abs=1e-15)


def test_a_measure_of_ones_own_has_a_ceiling():
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class OnlyFirst(ds.Linear):
        def weights(self, n):
            return (np.arange(n) == 0).astype(float)

    result = ds.ceiling([1, 0, 0], [[0.75, 0.25], [0.5, 0.5]], OnlyFirst())
    assert float(result) == pytest.approx(float(ds.ceiling([1, 0, 0], [[0.75, 0.25], [0.5, 0.5]], "P@1")))


SCALE = ds.Scale.range(0, 2)
COUNTS = np.array([[2, 1, 1], [0, 3, 1]])
FIRST = np.zeros(2, np.int64)
# label 0 is the best news, label 2 the worst
TURNED = np.array([[[0.1, 0.2, 0.7], [0.2, 0.6, 0.2], [0.7, 0.2, 0.1]]])


def ordered(order, matrices, name="nDCG"):
    measure = ds.measure(name)
    forms = Forms.of(measure, COUNTS, SCALE) if name == "nDCG" else None
    return ordered_labels(order, ScoredTopics(COUNTS, [measure], FIRST, forms, SCALE), matrices, FIRST)


def test_by_label_rows_are_made_to_sum_to_one():
    matrices, of = ordered("label", TURNED * 0.99)
    assert matrices == pytest.approx(TURNED)
    assert of is FIRST


def test_by_posterior_the_columns_run_from_the_worst_label_to_the_best():
    matrices, of = ordered("posterior", TURNED)
    assert of.tolist() == [0, 1]
    for t, counts in enumerate(COUNTS):
        value = Forms.of(ds.measure("nDCG"), COUNTS, SCALE).values[t]
        joint = counts[:, None] * matrices[t]
        expected = (value @ joint) / joint.sum(axis=0)
        assert (np.diff(expected) > 0).all()
        assert np.sort(matrices[t], axis=1) == pytest.approx(np.sort(TURNED[0], axis=1))


def test_labels_that_are_worth_the_same_become_one():
    split = np.array([[[0.5, 0.25, 0.25], [0.2, 0.4, 0.4], [0.2, 0.4, 0.4]]])
    matrices, _ = ordered("posterior", split)
    assert matrices[0][:, :2] == pytest.approx(np.array([[0.5, 0.5], [0.2, 0.8], [0.2, 0.8]]))
    assert not matrices[0][:, 2].any()


def test_a_binary_measure_without_a_linear_form_counts_relevance():
    """AP: grades 1 and 2 are worth the same, so labels that only separate them are one."""
    separating = np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]])
    matrices, _ = ordered("posterior", separating, "AP")
    assert matrices[0][:, 1].tolist() == [0.0, 1.0, 1.0]
