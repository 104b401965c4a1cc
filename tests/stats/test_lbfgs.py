"""The steps are those of scipy's L-BFGS-B, whichever case of the line search they go through."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize as by_scipy

from dissensus.stats.lbfgs import minimize


def rosenbrock(x: np.ndarray) -> tuple[float, np.ndarray]:
    a, b = x[:-1], x[1:]
    slope = np.zeros_like(x)
    slope[:-1] = -400 * a * (b - a**2) - 2 * (1 - a)
    slope[1:] += 200 * (b - a**2)
    return float((100 * (b - a**2) ** 2 + (1 - a) ** 2).sum()), slope


def logistic(x: np.ndarray) -> tuple[float, np.ndarray]:
    z = np.arange(1, len(x) + 1) * x
    soft = np.logaddexp(0, z)
    value = float(soft.sum() - 0.7 * z.sum() + 0.5 * ((x - 1) ** 2).sum())
    return value, np.arange(1, len(x) + 1) * (np.exp(z - soft) - 0.7) + x - 1


@pytest.mark.parametrize("function", [rosenbrock, logistic])
@pytest.mark.parametrize("steps", [1, 3, 8])
def test_the_points_are_those_of_scipy(function, steps: int) -> None:
    rng = np.random.default_rng(steps)
    for scale in (0.01, 1.0, 3.0, 30.0):
        for _ in range(10):
            start = rng.normal(size=5) * scale
            theirs = by_scipy(function, start, jac=True, method="L-BFGS-B", options={"maxiter": steps}).x
            np.testing.assert_allclose(minimize(function, start, steps), theirs, rtol=1e-6, atol=1e-7)


def test_a_minimum_is_not_left() -> None:
    assert minimize(lambda x: (float(x @ x), 2 * x), np.zeros(3), 5).tolist() == [0, 0, 0]
