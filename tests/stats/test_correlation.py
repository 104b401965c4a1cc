"""τ and τ_ap against scipy, against brute force over tie breaks, and against published numbers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from scipy.stats import kendalltau

from dissensus.engine.orders import pairs_above as count_above
from dissensus.errors import InputError
from dissensus.stats.correlation import kendall_tau, tau_ap

# the example of the R package ircor, by the authors of τ_ap,a and τ_ap,b, with the values it prints
X = np.array([0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54])
Y = np.array([0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84])

scores = st.integers(2, 9).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4).map(float), min_size=n, max_size=n)] * 2)
)


def plain_tau_ap(reference: np.ndarray, other: np.ndarray) -> float:
    """The definition, without ties."""
    order = np.argsort(-other)
    share = [np.mean(reference[order[:i]] > reference[order[i]]) for i in range(1, len(order))]
    return float(2 * np.mean(share) - 1)


def tie_breaks(scores: np.ndarray) -> list[np.ndarray]:
    groups = [np.flatnonzero(scores == v) for v in np.unique(scores)[::-1]]
    out = []
    for arrangement in itertools.product(*[itertools.permutations(g) for g in groups]):
        ranks = np.empty(len(scores))
        ranks[[i for group in arrangement for i in group]] = -np.arange(len(scores))
        out.append(ranks)
    return out


def test_published_values() -> None:
    y, x = np.round(Y, 1), np.round(X, 1)
    assert kendall_tau(X, Y) == pytest.approx(0.2)
    assert kendall_tau(X, y) == pytest.approx(0.2222222, abs=1e-7)
    assert kendall_tau(X, y, variant="b") == pytest.approx(0.2247333, abs=1e-7)
    assert kendall_tau(x, y, variant="b") == pytest.approx(0.25)
    assert tau_ap(X, Y) == pytest.approx(0.3928571, abs=1e-7)
    assert tau_ap(X, y) == pytest.approx(0.39903, abs=1e-6)
    assert tau_ap(X, y, ties="b") == pytest.approx(0.3317019, abs=1e-7)
    assert tau_ap(x, y, ties="b") == pytest.approx(0.339418, abs=1e-6)


@settings(max_examples=50, deadline=None)
@given(scores)
def test_tau_b_is_scipys(pair: tuple[list[float], list[float]]) -> None:
    ours, theirs = kendall_tau(*pair, variant="b"), kendalltau(*pair).statistic
    assert (np.isnan(ours) and np.isnan(theirs)) or ours == pytest.approx(theirs, abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(scores)
def test_tau_a_counts_pairs(pair: tuple[list[float], list[float]]) -> None:
    x, y = map(np.array, pair)
    signs = [np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i, j in itertools.combinations(range(len(x)), 2)]
    assert kendall_tau(x, y) == pytest.approx(np.mean(signs), abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(2, 4).flatmap(
        lambda n: st.tuples(*[st.lists(st.integers(0, 3).map(float), min_size=n, max_size=n)] * 2)
    )
)
def test_tau_ap_a_is_the_mean_over_all_tie_breaks(pair: tuple[list[float], list[float]]) -> None:
    x, y = map(np.array, pair)
    every = [plain_tau_ap(a, b) for a in tie_breaks(x) for b in tie_breaks(y)]
    assert tau_ap(x, y) == pytest.approx(np.mean(every), abs=1e-12)


def test_large_rankings_agree_with_their_definition() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.random(400), rng.random(400)
    assert tau_ap(x, y) == pytest.approx(plain_tau_ap(x, y), abs=1e-12)
    assert kendall_tau(x, y) == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)


def test_sampled_tie_breaks_come_near_the_exact_mean_and_repeat() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.random(30), rng.integers(0, 5, 30)
    sampled = tau_ap(x, y, ties="sampled", replicates=2000, seed=3)
    assert sampled == tau_ap(x, y, ties="sampled", replicates=2000, seed=3)
    assert sampled == pytest.approx(tau_ap(x, y), abs=0.01)


@pytest.mark.parametrize("n", [2, 3, 50, 129, 1000])
def test_a_ranking_is_exactly_like_itself_and_unlike_its_reverse(n: int) -> None:
    x = np.random.default_rng(n).random(n)
    assert kendall_tau(x, x) == 1.0
    assert tau_ap(x, x) == 1.0
    assert tau_ap(x, -x) == -1.0
    assert kendall_tau(x, -x) == -1.0
    tied = np.round(x, 1)
    if len(np.unique(tied)) > 1:
        assert kendall_tau(tied, tied, variant="b") == pytest.approx(1.0)
        assert tau_ap(tied, tied, ties="b") == 1.0


def test_rows_are_compared_one_by_one_and_broadcast() -> None:
    rng = np.random.default_rng(2)
    reference, others = rng.random((4, 1, 20)), rng.integers(0, 9, (4, 7, 20)).astype(float)
    many = tau_ap(reference, others)
    assert many.shape == (4, 7)
    for i, j in itertools.product(range(4), range(7)):
        assert many[i, j] == tau_ap(reference[i, 0], others[i, j])
        assert kendall_tau(reference, others)[i, j] == kendall_tau(reference[i, 0], others[i, j])


def test_a_constant_side() -> None:
    assert kendall_tau([1, 2, 3], [5, 5, 5]) == 0.0
    assert tau_ap([1, 2, 3], [5, 5, 5]) == 0.0
    assert np.isnan(kendall_tau([1, 2, 3], [5, 5, 5], variant="b"))
    assert np.isnan(tau_ap([1, 2, 3], [5, 5, 5], ties="b"))


def test_order_of_the_items_does_not_matter() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, 6, 40), rng.integers(0, 6, 40)
    shuffled = rng.permutation(40)
    for ties in ("a", "b"):
        assert tau_ap(x, y, ties=ties) == pytest.approx(tau_ap(x[shuffled], y[shuffled], ties=ties), abs=1e-14)


@pytest.mark.parametrize(
    ("x", "y", "values"),
    [
        ([1, 2], [1, 2, 3], (2, 3)),
        ([1], [1], (1,)),
        ([1, np.nan], [1, 2], (1, "NaN")),
        (3, [1, 2], ("x",)),
        (np.zeros((2, 3)), np.zeros((5, 3)), ("(2, 3)", "(5, 3)")),
    ],
)
def test_wrong_input_gives_no_number(x: object, y: object, values: tuple[object, ...]) -> None:
    with refused(InputError, *values):
        kendall_tau(x, y)  # type: ignore[arg-type]


def test_unknown_variants() -> None:
    with refused(InputError, 'ties="c"', "a", "b", "sampled"):
        tau_ap([1, 2], [1, 2], ties="c")  # type: ignore[arg-type]
    with refused(InputError, 'variant="c"'):
        kendall_tau([1, 2], [1, 2], variant="c")  # type: ignore[arg-type]
    with refused(InputError, "replicates=0"):
        tau_ap([1, 2], [1, 2], ties="sampled", replicates=0)


def test_inputs_may_be_read_only_and_are_left_alone() -> None:
    x, y = X.copy(), Y.copy()
    x.setflags(write=False)
    assert tau_ap(x, y) == tau_ap(X, Y)
    np.testing.assert_array_equal(y, Y)


@pytest.mark.parametrize("wrong", ["ab", ["a", "b"], [1, [2, 3]], None])
def test_what_is_no_list_of_scores_is_refused_in_words(wrong: object) -> None:
    with refused(InputError):
        kendall_tau(wrong, [1, 2])  # type: ignore[arg-type]


def test_a_seed_is_a_whole_number() -> None:
    with refused(InputError, "seed=-1"):
        tau_ap([1, 2], [1, 1], ties="sampled", seed=-1)


def obvious(other: np.ndarray, rank: np.ndarray) -> list[np.ndarray]:
    above = other[:, None, :] > other[:, :, None]  # row, item, item above it
    better = rank[:, None, :] < rank[:, :, None]
    same = rank[:, None, :] == rank[:, :, None]
    group = (other[:, None, :] == other[:, :, None]).sum(axis=2)
    return [(above & better).sum(axis=2), (above & same).sum(axis=2), above.sum(axis=2), group]


@pytest.mark.parametrize("values", [2, 5, 1000])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_counts(n: int, values: int) -> None:
    rng = np.random.default_rng(n * values)
    other = rng.integers(0, values, (6, n)).astype(float)
    rank = np.array([np.unique(row, return_inverse=True)[1] for row in rng.integers(0, values, (6, n))], np.int64)
    order = np.argsort(-other, axis=1, kind="stable")
    for form in (count_above.fast, count_above.python):
        counts = [np.empty((6, n), np.int64) for _ in range(4)]
        form(order, other, rank, *counts)
        for ours, theirs in zip(counts, obvious(other, rank), strict=True):
            np.testing.assert_array_equal(ours, theirs)
