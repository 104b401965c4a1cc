"""A few steps of limited-memory BFGS with the line search of Moré and Thuente, for smooth functions without bounds.

    d = −H g,   H from the last pairs (s, y) by the two-loop recursion, H₀ = s'y / y'y
    f(x + t d) ≤ f(x) + .001 t g'd   and   |g(x + t d)'d| ≤ .9 |g'd|

The iterates are those of `scipy.optimize.minimize(method="L-BFGS-B")`, which the tests compare. Written here because
importing scipy.optimize takes longer than a small merge, and its many small BLAS calls wake threads that spin.

Nocedal 1980; Liu & Nocedal 1989; Moré & Thuente 1994.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Function = Callable[[Floats], tuple[float, Floats]]
DECREASE, CURVATURE, WIDTH = 1e-3, 0.9, 0.1
TRIALS = 20  # evaluations of one line search
FLAT, STILL = 1e-5, 2.220446049250313e-09  # stop at gradients, and relative decreases, this small


def minimize(function: Function, x: Floats, steps: int) -> Floats:
    """The point after at most `steps` steps from `x`; `function` gives value and gradient.

    >>> minimize(lambda x: (float((x - 3) @ (x - 3)), 2 * (x - 3)), np.zeros(2), steps=5).round(6).tolist()
    [3.0, 3.0]
    """
    value, slope = function(x)
    pairs: list[tuple[Floats, Floats, float]] = []
    for _ in range(steps):
        if np.abs(slope).max(initial=0.0) <= FLAT:
            break
        direction = -_times_inverse_hessian(slope, pairs)
        first = 1.0 if pairs else min(1.0 / float(np.sqrt(direction @ direction)), 1e10)
        found = _search(function, x, value, slope, direction, first)
        if found is None:
            if not pairs:
                break
            pairs.clear()  # as if begun here, from the gradient alone
            continue
        step, new_value, new_slope = found
        change, difference = step * direction, new_slope - slope
        curved = float(change @ difference)
        if curved > np.finfo(float).eps * -float(slope @ change):
            pairs.append((change, difference, curved))
        x = x + change
        fallen = value - new_value
        scale = max(abs(value), abs(new_value), 1.0)
        value, slope = new_value, new_slope
        if fallen <= STILL * scale:
            break
    return x


def _times_inverse_hessian(slope: Floats, pairs: list[tuple[Floats, Floats, float]]) -> Floats:
    """H g by the two-loop recursion."""
    out = slope.copy()
    weights = []
    for change, difference, curved in reversed(pairs):
        weights.append(float(change @ out) / curved)
        out -= weights[-1] * difference
    if pairs:
        _, difference, curved = pairs[-1]
        out *= curved / float(difference @ difference)
    for (change, difference, curved), weight in zip(pairs, reversed(weights), strict=True):
        out += (weight - float(difference @ out) / curved) * change
    return out


def _search(
    function: Function, x: Floats, value: float, slope: Floats, direction: Floats, step: float
) -> tuple[float, float, Floats] | None:
    """(step, value, gradient) where both conditions hold; None where the direction leads nowhere."""
    down = float(slope @ direction)
    if down >= 0:
        return None
    best, other = (0.0, value, down), (0.0, value, down)
    bracketed, first_stage = False, True
    width, before = 1e10, 2e10
    low, high = 0.0, 5 * step
    for _ in range(TRIALS):
        here, gradient = function(x + step * direction)
        along = float(gradient @ direction)
        wanted = value + step * DECREASE * down
        if here <= wanted and abs(along) <= CURVATURE * -down:
            return step, here, gradient
        if bracketed and (step <= low or step >= high or high - low <= WIDTH * high):
            return step, here, gradient
        first_stage = first_stage and not (here <= wanted and along >= 0)
        trial = (step, here, along)
        if first_stage and here <= best[1] and here > wanted:  # without the decrease asked for
            tilt = DECREASE * down
            (a, b, c) = (_tilted(point, tilt) for point in (best, other, trial))
            best, other, step, bracketed = _update(a, b, c, bracketed, low, high)
            best, other = _tilted(best, -tilt), _tilted(other, -tilt)
        else:
            best, other, step, bracketed = _update(best, other, trial, bracketed, low, high)
        if bracketed:
            if abs(other[0] - best[0]) >= 0.66 * before:
                step = best[0] + 0.5 * (other[0] - best[0])
            before, width = width, abs(other[0] - best[0])
            low, high = min(best[0], other[0]), max(best[0], other[0])
        else:
            low, high = step + 1.1 * (step - best[0]), step + 4.0 * (step - best[0])
        step = min(max(step, 0.0), 1e10)
        if bracketed and (step <= low or step >= high or high - low <= WIDTH * high):
            step = best[0]
    return None


Point = tuple[float, float, float]  # step, value, derivative


def _tilted(point: Point, tilt: float) -> Point:
    step, value, along = point
    return step, value - step * tilt, along - tilt


def _update(
    best: Point, other: Point, trial: Point, bracketed: bool, low: float, high: float
) -> tuple[Point, Point, float, bool]:
    """(best, other, next step, whether a minimum lies between them): the safeguarded steps of Moré and Thuente §4."""
    (x, fx, dx), (t, ft, dt) = best, trial
    opposite = dt * (dx / abs(dx)) if dx else 0.0
    if ft > fx:  # higher value: the minimum is between
        cubic, quadratic = _cubic(best, trial), x + (t - x) * (dx / ((fx - ft) / (t - x) + dx) / 2)
        step = cubic if abs(cubic - x) < abs(quadratic - x) else cubic + (quadratic - cubic) / 2
        return best, trial, step, True
    if opposite < 0:  # lower value, derivative of the other sign: the minimum is between
        cubic, secant = _cubic(trial, best), t + dt / (dt - dx) * (x - t)
        step = cubic if abs(cubic - t) > abs(secant - t) else secant
        return trial, best, step, True
    if abs(dt) < abs(dx):  # lower value, flatter
        secant = t + dt / (dt - dx) * (x - t)
        cubic = _beyond(best, trial, low, high)
        if bracketed:
            step = cubic if abs(cubic - t) < abs(secant - t) else secant
            limit = t + 0.66 * (other[0] - t)
            step = min(limit, step) if t > x else max(limit, step)
        else:
            step = cubic if abs(cubic - t) > abs(secant - t) else secant
            step = min(max(step, low), high)
        return trial, other, step, bracketed
    # lower value, at least as steep
    step = _cubic(trial, other) if bracketed else high if t > x else low
    return trial, other, step, bracketed


def _cubic(a: Point, b: Point) -> float:
    """Where the cubic through both values and derivatives has its minimum, reckoned from `a`."""
    (x, fx, dx), (t, ft, dt) = a, b
    theta = 3 * (fx - ft) / (t - x) + dx + dt
    size = max(abs(theta), abs(dx), abs(dt))
    root = size * np.sqrt(max((theta / size) ** 2 - dx / size * (dt / size), 0.0))
    root = -root if t < x else root
    return float(x + ((root - dx) + theta) / (((root - dx) + root) + dt) * (t - x))


def _beyond(best: Point, trial: Point, low: float, high: float) -> float:
    """The cubic's minimum beyond the trial; the limit where it has none there."""
    (x, fx, dx), (t, ft, dt) = best, trial
    theta = 3 * (fx - ft) / (t - x) + dx + dt
    size = max(abs(theta), abs(dx), abs(dt))
    root = size * np.sqrt(max((theta / size) ** 2 - dx / size * (dt / size), 0.0))
    root = -root if t > x else root
    ratio = ((root - dt) + theta) / ((root + (dx - dt)) + root)
    if ratio < 0 and root != 0:
        return float(t + ratio * (x - t))
    return high if t > x else low
