"""Expected pNoise: the published checks, all 90 printed matrix entries rederived, and simulation."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from refusals import refused

from dissensus.errors import ConfusionError, InputError
from dissensus.judging.confusion.api import Confusion
from dissensus.label_noise.counting import count_pairs
from dissensus.label_noise.expected import expected_pair_noise, pair_matrices

# Entries (1, γ, γ²) of the upper triangles, row by row, as printed in Niu et al. (2015), eqs. 2–6.
_HALF = (0, F(1, 2), F(-1, 2))
_U3 = (0, 1, F(-3, 4))
_HALF_U3 = (0, F(1, 2), F(-3, 8))
_WRONG_A3 = (-1, 1, F(-3, 4))
_N3 = (0, 1, F(-7, 9))
_HALF_N3 = (0, F(1, 2), F(-7, 18))
_NEAR3 = (1, F(-7, 6), 1)
_DU5 = (0, F(1, 2), F(-5, 16))
_U5 = (1, F(-1, 2), F(5, 16))
_AU5 = (0, 1, F(-5, 8))
_Q, _H = (0, F(1, 4), F(5, 16)), (0, F(1, 2), 0)
_T = (0, F(3, 4), F(-5, 16))
PRINTED = {
    (2, "uniform", "D"): [_HALF, (0, 0, 1), _HALF],
    (2, "uniform", "A"): [(0, 1, -1), (1, -2, 2), (0, 1, -1)],
    (3, "uniform", "D"): [_HALF_U3, (0, F(1, 2), 0), (0, 0, F(3, 4)), _HALF_U3, (0, 0, F(1, 2)), _HALF_U3],
    (3, "uniform", "A"): [_U3, _WRONG_A3, _WRONG_A3, _U3, _WRONG_A3, _U3],
    (3, "distance", "D"): [
        _HALF_N3,
        (0, F(1, 3), F(1, 6)),
        (0, 0, F(5, 9)),
        _HALF_U3,
        (0, 0, F(1, 2)),
        _HALF_N3,
    ],
    (3, "distance", "A"): [_N3, _NEAR3, (1, F(-2, 3), F(2, 9)), _U3, _NEAR3, _N3],
    (5, "uniform", "D"): [
        *(_DU5, _T, _H, _Q, (0, 0, F(5, 8))),
        *(_DU5, (0, F(-1, 4), F(7, 16)), _H, _Q),
        *(_DU5, (0, F(1, 4), F(-5, 16)), _H),
        *(_DU5, _T),
        _DU5,
    ],
    (5, "uniform", "A"): [_AU5, *[_U5] * 4, _AU5, *[_U5] * 3, _AU5, *[_U5] * 2, _AU5, _U5, _AU5],
    (5, "distance", "D"): [
        (0, F(1, 2), F(-83, 250)),
        (0, F(13, 25), F(-4, 85)),
        (0, F(7, 25), F(1, 10)),
        (0, F(3, 25), F(16, 85)),
        (0, 0, F(41, 125)),
        (0, F(1, 2), F(-11, 34)),
        (0, F(47, 102), F(-5, 51)),
        (0, F(4, 17), F(1, 17)),
        (0, F(3, 25), F(16, 85)),
        (0, F(1, 2), F(-23, 72)),
        (0, F(47, 102), F(-5, 51)),
        (0, F(7, 25), F(1, 10)),
        (0, F(1, 2), F(-11, 34)),
        (0, F(13, 25), F(-4, 85)),
        (0, F(1, 2), F(-83, 250)),
    ],
    (5, "distance", "A"): [
        (0, 1, F(-83, 125)),
        (1, F(-354, 425), F(-71, 425)),
        (1, F(-61, 150), F(13, 75)),
        (1, F(-118, 425), F(28, 425)),
        (1, F(-6, 25), F(18, 625)),
        (0, 1, F(-11, 17)),
        (1, F(-35, 51), F(28, 51)),
        (1, F(-6, 17), F(42, 289)),
        (1, F(-118, 425), F(28, 425)),
        (0, 1, F(-23, 36)),
        (1, F(-35, 51), F(28, 51)),
        (1, F(-61, 150), F(13, 75)),
        (0, 1, F(-11, 17)),
        (1, F(-354, 425), F(299, 425)),
        (0, 1, F(-83, 125)),
    ],
}
# The nine that are wrong, and what they should be.
WRONG = {
    (3, "uniform", "D", 1, 2): (0, F(1, 2), 0),
    (3, "uniform", "A", 0, 1): (1, -1, F(3, 4)),
    (3, "uniform", "A", 0, 2): (1, -1, F(3, 4)),
    (3, "uniform", "A", 1, 2): (1, -1, F(3, 4)),
    (3, "distance", "D", 1, 2): (0, F(1, 3), F(1, 6)),
    (5, "uniform", "D", 1, 2): (0, F(3, 4), F(-5, 16)),
    (5, "uniform", "D", 2, 3): (0, F(3, 4), F(-5, 16)),
    (5, "distance", "A", 0, 1): (1, F(-354, 425), F(12, 17)),
    (5, "distance", "A", 3, 4): (1, F(-354, 425), F(300, 425)),
}


def derived(grades, profile, which, noise):
    D, A = pair_matrices(getattr(Confusion, profile)(grades, noise))
    return (D if which == "D" else A)[np.triu_indices(grades)]


def value(entry, noise):
    return float(entry[0] + entry[1] * F(noise) + entry[2] * F(noise) ** 2)


def test_ninety_printed_entries_nine_of_them_wrong():
    assert sum(len(entries) for entries in PRINTED.values()) == 90
    wrong = set()
    for (grades, profile, which), entries in PRINTED.items():
        rows, columns = np.triu_indices(grades)
        for noise in (0.1, 0.3, 0.45):
            ours = derived(grades, profile, which, noise)
            for l, j, entry, mine in zip(rows, columns, entries, ours, strict=True):
                if abs(value(entry, noise) - mine) > 1e-12:
                    wrong.add((grades, profile, which, int(l), int(j)))
    assert wrong == set(WRONG)


@pytest.mark.parametrize("noise", [0.05, 0.2, 0.5])
def test_the_nine_corrected(noise):
    for (grades, profile, which, l, j), entry in WRONG.items():
        D, A = pair_matrices(getattr(Confusion, profile)(grades, noise))
        assert (D if which == "D" else A)[l, j] == pytest.approx(value(entry, noise), abs=1e-12)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [([8, 8], 0.0908), ([14, 2], 0.2166), ([0.5, 0.5], 0.100), ([7 / 8, 1 / 8], 0.2266)],
)
def test_published_checks(labels, expected):
    assert expected_pair_noise(labels, Confusion.uniform(2, 0.1)) == pytest.approx(expected, abs=5e-5)


def test_td2003_is_hit_hard():
    assert expected_pair_noise([0.992, 0.008], Confusion.uniform(2, 0.1)) > 0.4


def test_more_grades_are_not_always_safer():
    two, three = [0.842, 0.158], [0.842, 0.133, 0.025]
    at = lambda noise: (  # noqa: E731
        expected_pair_noise(two, Confusion.uniform(2, noise)),
        expected_pair_noise(three, Confusion.uniform(3, noise)),
    )
    assert at(0.1) == pytest.approx((0.1962, 0.2071), abs=5e-5)
    assert at(0.23)[0] < at(0.23)[1]
    assert at(0.25)[0] > at(0.25)[1]


@pytest.mark.parametrize("profile", ["uniform", "distance"])
def test_finite_n_equals_the_mean_over_simulations(profile):
    counts = np.array([6, 3, 2])
    confusion = getattr(Confusion, profile)(3, 0.3)
    original = np.repeat(np.arange(3), counts)
    rng = np.random.default_rng(7)
    noisy = ordered = 0.0
    for _ in range(4000):
        pairs = count_pairs(original, confusion.sample(original, rng))
        noisy += pairs.inverse + 0.5 * pairs.new
        ordered += pairs.ordered
    assert expected_pair_noise(counts, confusion) == pytest.approx(noisy / ordered, abs=0.004)


def test_counts_of_several_queries_pool_their_pairs():
    confusion = Confusion.distance(3, 0.2)
    one = np.array([[5, 3, 2]])
    assert expected_pair_noise(np.repeat(one, 4, axis=0), confusion) == pytest.approx(
        expected_pair_noise(one[0], confusion)
    )
    big = expected_pair_noise(one[0] * 100_000, confusion)
    assert big == pytest.approx(expected_pair_noise([0.5, 0.3, 0.2], confusion), abs=1e-5)


@pytest.mark.parametrize(
    ("labels", "values"),
    [
        ([0.5, 0.4], ("0.9", 1)),
        ([1, 1, 1], ("proportions_or_counts",)),
        ([1, -1], ("proportions_or_counts", 0)),
        ([0, 1], ("pNoise",)),
    ],
)
def test_refused(labels, values):
    with refused(InputError, *values):
        expected_pair_noise(labels, Confusion.uniform(2, 0.1))


def test_unknown_rows_are_refused():
    with refused(ConfusionError, 1):
        expected_pair_noise([1, 1], Confusion(None, counts=[[3, 1], [0, 0]]))


def test_a_plain_matrix_is_a_profile():
    matrix = [[0.9, 0.1], [0.2, 0.8]]
    assert expected_pair_noise([8, 8], matrix) == expected_pair_noise([8, 8], Confusion(matrix))
    with pytest.raises(ConfusionError):
        expected_pair_noise([8, 8], [[0.9, 0.2], [0.2, 0.8]])
