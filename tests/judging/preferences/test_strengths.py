"""Bradley–Terry: closed forms, a slow twin by a general optimiser, coverage of the sandwich, rank sets."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scipy.optimize import minimize

from dissensus.errors import InputError
from dissensus.judging.preferences.strengths import Comparisons, connected, fit, rank_sets


def comparisons(rows: list[tuple], n: int) -> Comparisons:
    i, j, answer, *rest = (np.array(c) for c in zip(*rows, strict=True))
    shown = rest[0] if rest else np.zeros(len(i), np.int64)
    cluster = rest[1] if len(rest) > 1 else np.arange(len(i))
    return Comparisons(n, i, j, answer.astype(float), shown, cluster)


def simulated(
    seed: int, topics: int, theta: np.ndarray, effect: float = 0.0, spread: float = 0.0, position: float = 0.0
):
    rng = np.random.default_rng(seed)
    rows = []
    for t in range(topics):
        own = theta + spread * rng.normal(size=len(theta))
        for a in range(len(theta)):
            for b in range(a + 1, len(theta)):
                shown = int(rng.choice([-1, 1]))
                p = 1 / (1 + np.exp(-(own[a] - own[b] + position * shown)))
                answer = 0.5 if rng.random() < effect else float(rng.random() < p)
                rows.append((a, b, answer, shown, t))
    return comparisons(rows, len(theta))


def test_two_items_have_the_log_odds() -> None:
    found = fit(comparisons([(0, 1, 1)] * 6 + [(0, 1, 0)] * 2 + [(0, 1, 0.5)] * 2, 2))
    assert found.theta == pytest.approx([np.log(7 / 3) / 2, -np.log(7 / 3) / 2])
    assert found.converged
    assert not found.shrunken


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_a_general_optimiser_finds_the_same(ties: str) -> None:
    data = simulated(1, 8, np.array([1.0, 0.2, -0.3, -0.9]), effect=0.2, position=0.4)

    def loss(x: np.ndarray) -> float:
        gap = x[data.i] - x[data.j] + x[4] * data.shown
        if ties == "half":
            log = -np.logaddexp(0, -gap)
            return -(data.answer * log + (1 - data.answer) * (log - gap)).sum() + x[:4].mean() ** 2
        parts = np.stack([-gap / 2, np.full(len(gap), x[5]), gap / 2])
        chosen = (2 * data.answer).astype(int)
        return -(parts[chosen, np.arange(len(gap))] - np.logaddexp.reduce(parts)).sum() + x[:4].mean() ** 2

    slow = minimize(loss, np.zeros(6 if ties == "davidson" else 5), tol=1e-10).x
    found = fit(data, ties=ties)
    np.testing.assert_allclose(found.theta, slow[:4] - slow[:4].mean(), atol=1e-4)
    assert found.position == pytest.approx(slow[4], abs=1e-4)
    if ties == "davidson":
        assert found.nu == pytest.approx(np.exp(slow[5]), rel=1e-3)


def test_an_item_that_always_wins_is_shrunken_and_groups_never_compared_are_refused() -> None:
    data = comparisons([(0, 1, 1), (0, 1, 1), (0, 2, 1), (1, 2, 1), (1, 2, 0)], 3)
    assert not connected(data, "strong")
    found = fit(data)
    assert found.shrunken
    assert np.isfinite(found.theta).all()
    assert found.theta[0] == max(found.theta)
    with refused(InputError):
        fit(comparisons([(0, 1, 1), (2, 3, 0)], 4))


def test_intervals_clustered_by_topic_hold_where_answers_depend_on_the_topic() -> None:
    """Topics have their own strengths: the sandwich covers the mean strength, the model's covariance does not."""
    theta = np.array([0.6, 0.0, -0.6])
    far = fit(simulated(10_000, 3000, theta, spread=1.0)).theta  # what many topics say
    held = {True: 0, False: 0}
    for seed in range(120):
        data = simulated(seed, 40, theta, spread=1.0)
        for clustered in held:
            found = fit(data, clustered=clustered)
            gap, var = found.theta[0] - found.theta[2], np.array([1, 0, -1]) @ found.covariance @ np.array([1, 0, -1])
            held[clustered] += abs(gap - (far[0] - far[2])) <= 2.02 * np.sqrt(var)
    assert held[True] >= 107  # of 120: 95 % within three standard errors
    assert held[False] < held[True]


def test_rank_sets_hold_the_true_ranks_and_are_certain_where_strengths_are_far_apart() -> None:
    sets = rank_sets(np.array([5.0, 0.0, -5.0]), np.eye(3) * 0.01)
    assert sets.tolist() == [[1, 1], [2, 2], [3, 3]]
    assert rank_sets(np.array([0.1, 0.0, -0.1]), np.eye(3)).tolist() == [[1, 3]] * 3
