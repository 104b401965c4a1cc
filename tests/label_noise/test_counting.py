"""Pair counts against counting pairs one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from dissensus.errors import InputError
from dissensus.label_noise.counting import PairCounts, _from_orders, count_pairs, from_tables, inversions


def one_by_one(original, noisy):
    ordered = inverse = new = 0
    for i, j in combinations(range(len(original)), 2):
        after = np.sign(noisy[i] - noisy[j])
        before = np.sign(original[i] - original[j])
        ordered += after != 0
        inverse += after != 0 and before == -after
        new += after != 0 and before == 0
    return PairCounts(int(ordered), int(inverse), int(new))


labels = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=40)


@given(labels)
@settings(max_examples=200, deadline=None)
def test_tables_equal_brute_force(pairs):
    a, b = (np.array(x, int) for x in zip(*pairs, strict=True)) if pairs else (np.empty(0, int), np.empty(0, int))
    assert count_pairs(a, b) == one_by_one(a, b)


@given(labels)
@settings(max_examples=200, deadline=None)
def test_orders_equal_brute_force(pairs):
    if pairs:
        a, b = (np.array(x, int) for x in zip(*pairs, strict=True))
        assert _from_orders(a, b) == one_by_one(a, b)


def test_total_orders_and_real_numbers():
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=300), rng.normal(size=300)
    assert count_pairs(a, b) == one_by_one(a, b)
    assert count_pairs(a, a) == PairCounts(300 * 299 // 2, 0, 0)
    assert count_pairs(a, -a).noise == 1.0


def test_long_total_order_is_counted_without_pairs():
    n = 200_000
    a = np.arange(n)
    assert count_pairs(a, -a).inverse == n * (n - 1) // 2
    assert inversions(np.arange(n)) == 0


def test_many_queries_at_once():
    rng = np.random.default_rng(1)
    unit, a, b = rng.integers(0, 7, 200), rng.integers(0, 3, 200), rng.integers(0, 4, 200)
    table = np.bincount((unit * 3 + a) * 4 + b, minlength=84).reshape(7, 3, 4)
    got = np.array(from_tables(table)).T
    for u in range(7):
        want = one_by_one(a[unit == u], b[unit == u])
        assert got[u].tolist() == [want.ordered, want.inverse, want.new]


def test_noise_and_its_limits():
    assert count_pairs([1, 0], [0, 1]).noise == 1.0
    assert count_pairs([0, 0], [0, 1]).noise == 0.5
    assert count_pairs([2, 1, 0], [2, 1, 0]).correct == 3
    assert np.isnan(count_pairs([1, 0], [1, 1]).noise)
    with refused(InputError, 2, 1):
        count_pairs([1, 0], [1])
    with refused(InputError, "NaN"):
        count_pairs([1.0, np.nan], [1, 0])
