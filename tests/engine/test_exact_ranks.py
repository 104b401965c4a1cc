"""The exact kernel's parts against scipy and against polynomials multiplied out."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import polynomial
from scipy import stats

from dissensus.engine.exact_ranks import _binomial, _convolve, _leave_one_out, expected_score
from dissensus.inference.ceiling.expected_scores import gauss_legendre


@pytest.mark.parametrize(("n", "q"), [(0, 0.3), (7, 0.0), (7, 1.0), (12, 0.37), (400, 0.02), (5000, 0.5)])
def test_a_binomial_is_scipys(n, q):
    inverse = np.concatenate(([0.0], 1 / np.arange(1, n + 2)))
    out = np.empty(n + 2)
    start, length = _binomial(n, q, inverse, out)
    want = stats.binom.pmf(np.arange(start, start + length), n, q)
    assert out[:length] == pytest.approx(want, rel=1e-9, abs=1e-18)
    assert out[:length].sum() == pytest.approx(1, abs=1e-13)


def test_a_convolution_stops_where_there_is_no_room():
    a, b = np.array([0.5, 0.25, 0.25]), np.array([0.1, 0.9])
    out = np.empty(8)
    assert _convolve(a, 3, b, 2, 8, out) == 4
    assert out[:4] == pytest.approx(np.convolve(a, b))
    assert _convolve(a, 3, b, 2, 2, out) == 2
    assert out[:2] == pytest.approx(np.convolve(a, b)[:2])


def test_leaving_one_grade_out_is_the_sum_of_products():
    share, q = np.array([0.3, 0.0, 1.2, 0.7]), np.array([0.2, 0.9, 0.5, 0.1])
    counts = np.array([3, 0, 1, 2])
    present = [0, 2, 3]
    want = np.zeros(3)
    for i in present:
        one = np.ones(1)
        for k in present:
            if k != i:
                one = polynomial.polymul(one, [1 - q[k], q[k]])
        want += share[i] * one
    mixture, product = np.empty(6), np.empty(6)
    assert _leave_one_out(share, counts, q, mixture, product) == 3
    assert mixture[:3] == pytest.approx(want)


def test_two_documents_by_hand():
    """The relevant one comes first if its label is higher, or by the toss of a coin if both labels are equal."""
    matrix = np.array([[0.8, 0.2], [0.3, 0.7]])
    first = 0.7 * 0.8 + (0.7 * 0.2 + 0.3 * 0.8) / 2
    inverse = np.array([0.0, 1.0, 0.5, 1 / 3])
    for refine in (-1, 0, 2):
        got = expected_score(
            np.array([1, 1]), matrix, np.array([1.0]), np.array([0.0, 1.0]), *gauss_legendre(4), refine, inverse
        )
        assert got == pytest.approx(first, abs=1e-14)
