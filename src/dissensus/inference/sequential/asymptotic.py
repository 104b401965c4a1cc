"""The asymptotic set: narrower than betting, once there are enough labels.

With e_i = c_I(v_I − f_i)/r_I, A = Σ 1/T_i²: centre Σ(Z_i/T_i²)/A and half width m_t·√V/A, where

    V = A·[Σ(e_i − ē)² + E²]/(t − 1),   m_t² = (1 + 1/(ρ²V))·(ln(1 + ρ²V) − 2 ln α),

E² the largest e² that an unseen document could still give, ρ² fixed at t = 30. It may rule at a look only from t = 30
and where n_eff = (Σe² + E²)²/(Σe⁴ + E⁴) is at least 25: a judge that is nearly always right shows no residuals until
its rare errors arrive, and if those favour one side, a set without E² and n_eff fails on half of all paths.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats
from dissensus.inference.sequential.wealth import Steps
from dissensus.stats.anytime import START, mixture_multiplier, mixture_scale

LEAST_EFFECTIVE = 25.0
EARLY_MULTIPLIER = 3.1  # m before look 30, where ρ² is not fixed yet


@dataclass(frozen=True, eq=False)
class Asymptotic:
    """Per look: the centre (of the lower and of the upper sequence), the half width, m_t, and whether it may rule."""

    centre_low: Floats
    centre_high: Floats
    half: Floats
    multiplier: Floats
    effective: Floats
    rules: Floats

    @property
    def estimate(self) -> Floats:
        return (self.centre_low + self.centre_high) / 2


def asymptotic(steps: Steps, alpha: float) -> Asymptotic:
    """The asymptotic set after every draw; half widths are NaN before look 30."""
    t = np.arange(1, len(steps) + 1)
    square = 1 / steps.left**2
    a = np.cumsum(square)
    e, biggest = steps.error, steps.largest
    total, squares = np.cumsum(e), np.cumsum(e**2)
    spread = np.maximum(squares - total**2 / t, 0.0) + biggest
    variance = a * spread / np.maximum(t - 1, 1)
    quartic = np.cumsum(e**4) + biggest**2
    effective = np.divide((squares + biggest) ** 2, quartic, out=np.zeros(len(t)), where=quartic > 0)
    multiplier, half = np.full(len(t), EARLY_MULTIPLIER), np.full(len(t), np.nan)
    if len(t) >= START and variance[START - 1] > 0:
        late = slice(START - 1, None)
        multiplier[late] = mixture_multiplier(variance[late], mixture_scale(float(variance[START - 1]), alpha), alpha)
        half[late] = multiplier[late] * np.sqrt(variance[late]) / a[late]
    return Asymptotic(
        np.cumsum(steps.z_low * square) / a,
        np.cumsum(steps.z_high * square) / a,
        half,
        multiplier,
        effective,
        (t >= START) & (effective >= LEAST_EFFECTIVE) & np.isfinite(half),
    )


def labels_needed(left: Floats, spread: float, gap: float, alpha: float, seen: int = 0, half: float = 0.0) -> int:
    """After how many labels the half width will be under |gap|, if residuals stay as they are: a forecast.

    `left`: T of every draw to the end, known from the order; `spread`: the variance of one residual; `half`: the half
    width after `seen` labels, which the forecast starts from where it is wider than the residuals explain.
    """
    a = np.cumsum(1 / left**2)
    expected = math.sqrt(-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) * np.sqrt(spread / a)
    if seen and expected[seen - 1] > 0:
        expected = expected * max(half / float(expected[seen - 1]), 1.0)
    enough = np.flatnonzero(expected[seen:] < abs(gap))
    return seen + int(enough[0]) + 1 if len(enough) else len(left)
