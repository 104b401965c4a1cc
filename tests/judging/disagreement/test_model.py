"""Weights are reliable only where p rises with the grade."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.judging.disagreement.model import check_users, drawn_at_least, weight_of


def judged(signal: float, seed: int = 0) -> ds.Judgments:
    """Two users on 40 topics of 20 documents, three grades; with `signal` 0 they grade at random."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, (40, 20))
    content = {}
    for user in ("u", "v"):
        said = np.where(rng.random(truth.shape) < signal, truth, rng.integers(0, 3, truth.shape))
        content[user] = {t: {d: int(said[t, d]) for d in range(20)} for t in range(40)}
    return ds.Judgments.from_dict(content, scale="0..2")


def test_random_grades_are_not_reliable_however_many() -> None:
    flat = ds.disagreement(judged(0.0))
    assert min(flat.count.values()) > 200
    assert set(flat.unreliable) >= {1}
    table = flat.to_frame()
    assert not table.filter(table["grade"] == "1")["reliable"].item()


def test_shared_grades_are_reliable() -> None:
    model = ds.disagreement(judged(0.7))
    assert model.rise[2][1] > 0
    assert 2 not in model.unreliable
    assert model.rise[2][0] == pytest.approx(model.p[2] - model.p[0])


def test_rise_covers() -> None:
    """95 % intervals of the rise hold 0 where grades are random."""
    hits = sum(low <= 0 <= high for s in range(60) for _, low, high in [ds.disagreement(judged(0.0, s)).rise[2]])
    assert hits >= 53


def test_labels_without_order_go_by_count() -> None:
    names = {w: {1: {d: "cat" if d % 2 else "dog" for d in range(120)}} for w in ("a", "b")}
    model = ds.disagreement(ds.Judgments.from_dict(names), top="cat")
    assert model.rise == {}
    assert model.unreliable == ()


class TestWeights:
    @pytest.mark.parametrize(("m", "n", "want"), [(1, 3, 0.51), (2, 3, 0.09), (2, 4, 0.216), (2, 5, 0.3483)])
    def test_check_values(self, m, n, want):
        assert weight_of(0.3, m, n, is_top=False) == pytest.approx(want, abs=1e-12)

    def test_equation_3(self):
        for n in range(2, 8):
            assert weight_of(0.37, 1, n, is_top=False) == pytest.approx(1 - 0.63 ** (n - 1))
            assert weight_of(0.37, 1, n, is_top=True) == 1

    def test_at_least_none_is_certain_even_if_nothing_is_known(self):
        assert weight_of(math.nan, 0, 3, is_top=True) == weight_of(math.nan, 0, 3, is_top=False) == 1
        assert weight_of(math.nan, 1, 3, is_top=True) == 1
        assert math.isnan(weight_of(math.nan, 1, 3, is_top=False))

    def test_all_users(self):
        assert weight_of(0.5, 3, 3, is_top=True) == pytest.approx(0.25)
        assert weight_of(0.5, 3, 3, is_top=False) == 0  # one of the three already said something else
        assert weight_of(0.5, 1, 1, is_top=False) == 0

    def test_table_4_of_the_paper(self):
        # 372 cases, 87 of them top: the printed 0.31 does not follow, this does
        assert weight_of(87 / 372, 1, 3, is_top=False) == pytest.approx(0.413, abs=5e-4)
        assert weight_of(5 / 36, 1, 3, is_top=False) == pytest.approx(0.26, abs=5e-3)

    def test_drawing_without_replacement(self):
        assert drawn_at_least(1, 2, np.array([1, 0]), np.array([3, 3])) == pytest.approx([2 / 3, 0])
        assert drawn_at_least(0, 2, np.array([0]), np.array([3])) == pytest.approx([1])


def test_the_binomial_weight_is_a_count_of_outcomes() -> None:
    p = 0.3
    for n in range(1, 6):
        for m in range(n + 1):
            for is_top in (False, True):
                slow = sum(
                    math.prod(p if top else 1 - p for top in rest)
                    for rest in itertools.product((0, 1), repeat=n - 1)
                    if sum(rest) + is_top >= m
                )
                assert weight_of(p, m, n, is_top=is_top) == pytest.approx(slow)


@pytest.mark.parametrize(("m", "n"), [(4, 3), (-1, 3), (1, 0), (1.5, 3), (True, 3)])
def test_users_are_whole_numbers(m: int, n: int) -> None:
    with refused(InputError, 0, 1):
        check_users(m, n)
