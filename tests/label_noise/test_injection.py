"""Noise goes in at the rate the matrix says, by seed, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError, ScaleError
from dissensus.judging.confusion.api import Confusion
from dissensus.label_noise.injection import Mixture, as_profiles, inject_noise
from dissensus.tables.judgments import Judgments


def labels(n=2000, grades=3, seed=0):
    grade = np.random.default_rng(seed).integers(0, grades, n).tolist()
    return Judgments.from_dict({"gold": {t: {f"d{i}": grade[i] for i in range(t, n, 4)} for t in range(4)}})


@pytest.mark.parametrize("profile", [Confusion.uniform, Confusion.distance])
def test_rates_are_the_matrix(profile):
    j = labels(20_000)
    confusion = profile(3, 0.3)
    noisy = inject_noise(j, confusion, seed=1)
    table = np.zeros((3, 3))
    np.add.at(table, (j.grade, noisy.grade), 1)
    np.testing.assert_allclose(table / table.sum(axis=1, keepdims=True), confusion.matrix, atol=0.015)


def test_equal_seeds_equal_labels_and_the_original_is_untouched():
    j = labels()
    before = j.grade.copy()
    a, b, c = (inject_noise(j, Confusion.uniform(3, 0.2), seed=s).grade for s in (3, 3, 4))
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()
    np.testing.assert_array_equal(j.grade, before)


def test_no_noise_changes_nothing_and_notes_say_what_was_done():
    j = labels()
    clean = inject_noise(j, Confusion.uniform(3, 0.0))
    np.testing.assert_array_equal(clean.grade, j.grade)
    assert clean.notes[-1] == "noise injected: 0 of 2,000 labels changed (seed 0)"


def test_grades_below_zero_stay():
    j = Judgments.from_dict({"gold": {1: {"a": -2, "b": 1, "c": 0}}})
    noisy = inject_noise(j, Confusion.uniform(2, 1.0))
    assert noisy.grade.tolist() == [-2, 0, 1]


def test_scales_must_fit():
    with refused(ScaleError, "0…1"):
        inject_noise(labels(), Confusion.uniform(2, 0.1))
    wider = inject_noise(labels(), Confusion.uniform(5, 0.1))  # the scale was read off the data: it may widen
    assert wider.scale.top == 4


def test_a_plain_matrix_is_a_profile():
    j = Judgments.from_dict({"g": {1: {"a": 1, "b": 0}}})
    assert inject_noise(j, [[0, 1], [1, 0]]).grade.tolist() == [1 - g for g in j.grade.tolist()]


def test_names_matrices_functions_and_several() -> None:
    matrix = ds.Confusion([[0.8, 0.2], [0.4, 0.6]])
    family = as_profiles({"mild": "uniform", "measured": matrix})
    assert list(family) == ["mild", "measured"]
    np.testing.assert_allclose(family["measured"](2, 0.5).matrix, [[0.9, 0.1], [0.2, 0.8]])
    assert list(as_profiles(["uniform", "distance"])) == ["uniform", "distance"]
    assert as_profiles(ds.Confusion.uniform).popitem()[1](3, 0.3).matrix[0, 0] == pytest.approx(0.7)


def test_what_is_refused() -> None:
    with refused(InputError, "odd"):
        as_profiles("odd")
    with refused(InputError, 3, 2):
        Mixture(ds.Confusion([[0.8, 0.2], [0.4, 0.6]]))(3, 0.1)
