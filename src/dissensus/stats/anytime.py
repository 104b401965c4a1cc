"""Sets for a mean that hold at every look, however often one looks and whenever one stops.

Two of them, for a sequence Z₁, Z₂, … with E[Z_t | past] = Δ for every t.

**By betting** (Waudby-Smith & Ramdas 2024; Ville's inequality). Z_t is known to lie in [lo_t, hi_t] before it is seen.
Whoever bets on "Δ is above m" holds

    up(m) = mean over κ of Π_t [1 + κ(Z_t − m)/(m − lo_t)],   down(m) = mean over κ of Π_t [1 − κ(Z_t − m)/(hi_t − m)],

and W = ½up + ½down exceeds 1/α at some t with probability at most α if Δ = m. So {m : W_t(m) < 1/α} covers Δ at all t
with probability 1 − α, whatever the distribution. W is convex in m: the set is an interval.

**By a normal mixture** (Waudby-Smith et al. 2024, Annals of Statistics 52): a running mean with variance process V has
the half width m_t·√V/A, m_t from `mixture_multiplier`. It holds for large t and is narrower.

    >>> z = np.array([1.0, 1, 0, 1, 1, 1, 1, 0, 1, 1] * 5)
    >>> betting_set(z, np.zeros(50), np.ones(50), (0.0, 1.0), alpha=0.05).round(3).tolist()
    [0.583, 0.935]

When not to use them: for one look fixed in advance, where an ordinary interval is narrower.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dissensus.arrays import Floats

BETS = np.array([0.02, 0.05, 0.1, 0.2, 0.4, 0.7])  # κ: shares of the largest bet that can never lose everything
WIDER = 1e-9
START, HORIZON = 30, 80  # the mixture is tuned at look 30, to be narrowest about look 80


def log_factors(z: Floats, edge: Floats, m: Floats | float) -> Floats:
    """ln[1 + κ(z − m)/(m − edge)] for every bet κ on the last axis.

    `edge` is lo for bets that Δ lies above m, hi for bets that it lies below (both signs turn, so the form is one).
    """
    share = (z - m) / (m - edge)
    return np.asarray(np.log1p(BETS * share[..., None]), np.float64)


def log_mean(logs: Floats) -> Floats:
    """ln of the mean over bets (the last axis) of exp(logs), without overflow."""
    top = logs.max(axis=-1)
    return np.asarray(top + np.log(np.exp(logs - top[..., None]).mean(axis=-1)), np.float64)


def log_wealth(z: Floats, low: Floats, high: Floats, m: float) -> tuple[float, float]:
    """(ln up, ln down) at m after all of `z`."""
    up, down = log_factors(z, low, m).sum(axis=0), log_factors(z, high, m).sum(axis=0)
    return float(log_mean(up)), float(log_mean(down))


def wealth_path(z: Floats, low: Floats, high: Floats, m: float) -> tuple[Floats, Floats]:
    """(ln up, ln down) at m after every prefix of `z`."""
    up, down = (np.cumsum(log_factors(z, edge, m), axis=0) for edge in (low, high))
    return log_mean(up), log_mean(down)


def log_both(up: Floats | float, down: Floats | float) -> Floats:
    """ln W from ln up and ln down: W = ½up + ½down."""
    return np.asarray(np.logaddexp(up, down) - math.log(2), np.float64)


def betting_set(z: Floats, low: Floats, high: Floats, bounds: tuple[float, float], alpha: float) -> Floats:
    """[lower, upper] end of {m in bounds : W(m) < 1/α} after all of `z`; NaN, NaN where it is empty.

    `bounds`: between which values Δ must lie, within all [lo_t, hi_t]; these are widened by 10⁻⁹, so that no bet can
    lose everything.
    """
    low, high = low - WIDER, high + WIDER

    def excess(m: float) -> float:
        return float(log_both(*log_wealth(z, low, high, m))) + math.log(alpha)

    return interval_of(excess, bounds, float(np.clip(z.mean(), *bounds)) if len(z) else sum(bounds) / 2)


def interval_of(excess: Callable[[float], float], bounds: tuple[float, float], inside: float) -> Floats:
    """The interval {m in bounds : excess(m) < 0} of a convex function; `inside` is a guess of a point in it."""
    if not excess(inside) < 0:
        inside = _lowest(excess, bounds)
        if not excess(inside) < 0:
            return np.array([np.nan, np.nan])
    return np.array([crossing(excess, bounds[0], inside), crossing(excess, bounds[1], inside)])


def crossing(excess: Callable[[float], float], outside: float, inside: float) -> float:
    """Where `excess` turns from negative at `inside` to positive on the way to `outside`; `outside` if it does not."""
    from scipy.optimize import brentq

    if outside == inside or excess(outside) < 0:
        return outside
    return float(brentq(excess, outside, inside, xtol=1e-11, rtol=1e-11))


def _lowest(excess: Callable[[float], float], bounds: tuple[float, float]) -> float:
    """The lowest point of a convex function, by golden section; stops early at a negative value."""
    a, b = bounds
    ratio = (math.sqrt(5) - 1) / 2
    c, d = b - ratio * (b - a), a + ratio * (b - a)
    fc, fd = excess(c), excess(d)
    for _ in range(80):
        if fc < 0 or fd < 0:
            break
        if fc < fd:
            b, d, fd = d, c, fc
            c = b - ratio * (b - a)
            fc = excess(c)
        else:
            a, c, fc = c, d, fd
            d = a + ratio * (b - a)
            fd = excess(d)
    return c if fc < fd else d


def mixture_scale(variance: float, alpha: float) -> float:
    """ρ² of the normal mixture, narrowest where the variance process is 80/30 of `variance`, its value at look 30."""
    target = -2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))
    return target / (variance * HORIZON / START)


def mixture_multiplier(variance: Floats | float, scale: float, alpha: float) -> Floats:
    """m_t = √[(1 + 1/(ρ²V))·(ln(1 + ρ²V) − 2 ln α)]: what takes the place of 1.96 at every look.

    >>> float(mixture_multiplier(80.0, mixture_scale(30.0, 0.05), 0.05).round(4))
    3.0352
    """
    x = scale * np.asarray(variance, np.float64)
    return np.asarray(np.sqrt((1 + 1 / x) * (np.log1p(x) - 2 * math.log(alpha))), np.float64)
