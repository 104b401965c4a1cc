"""One contrast along a committed order: unbiased guesses Z_t of Δ, and between which values each had to lie.

Δ = Σ_d c_d v_d, v in [0, 1] the gold value, c known. Documents are read in successive sampling with rates r. At draw t,
S seen and U unseen before it, f_t(d) the mean gold value of d's bronze label in S with 4 pseudo-labels at p_J:

    Z_t = Σ_S c·v + Σ_U c·f_t + c_I (v_I − f_t(I)) T_t/r_I,   T_t = Σ_U r,   E[Z_t | past] = Δ exactly.

A document that no assessor can judge has two values: v at the end that lowers c·v in the sequence that gives the lower
end of the set (`z_low`), at the other end in the one that gives the upper (`z_high`); f does not learn from it.
(METHODS §12; Waudby-Smith & Ramdas 2020; Shekhar et al. 2023.)
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.stats.anytime import BETS, WIDER, crossing, interval_of, log_both, log_factors, log_mean

PSEUDO = 4.0  # pseudo-labels at p_J behind f


@dataclass(frozen=True, eq=False)
class Steps:
    """What every draw of a prefix gave; all arrays have one entry per label.

    `floor`, `ceiling`: between which values Δ lies for certain after the draw. `error` is e = c(v − f)/r, `largest` the
    largest e² that an unseen document could give before the draw, `left` T. `sure` is False from the first label on
    which no assessor could give: then z_low and z_high differ and each end is one-sided.
    """

    z_low: Floats
    z_high: Floats
    low: Floats
    high: Floats
    floor: Floats
    ceiling: Floats
    error: Floats
    largest: Floats
    left: Floats
    sure: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.z_low)

    def head(self, t: int) -> Steps:
        """The first t draws."""
        return Steps(*(getattr(self, name)[:t] for name in self.__dataclass_fields__))


class LabelSequence:
    """A contrast laid along the order; `steps` reads labels off it.

    `c`, `rate`, `label` (bronze label 0…n−1) by draw; `prior` p_J by label.
    """

    def __init__(self, c: Floats, rate: Floats, label: Ints, prior: Floats) -> None:
        self.c, self.rate, self.label, self.prior = c, rate, label, prior
        self.left = np.cumsum(rate[::-1])[::-1]
        ratio = c / rate
        of_label = label[:, None] == np.arange(len(prior))
        # the most that an unseen document of each label can push Z up or down, before draw t
        self.most = np.maximum.accumulate(np.where(of_label, np.maximum(ratio, 0)[:, None], 0.0)[::-1])[::-1]
        self.least = np.minimum.accumulate(np.where(of_label, np.minimum(ratio, 0)[:, None], 0.0)[::-1])[::-1]
        self.mass = np.cumsum(np.where(of_label, c[:, None], 0.0)[::-1], axis=0)[::-1]
        self.up = np.append(np.cumsum(np.maximum(c, 0)[::-1])[::-1], 0.0)
        self.down = np.append(np.cumsum(np.minimum(c, 0)[::-1])[::-1], 0.0)

    def steps(self, value: Floats) -> Steps:
        """Every draw of the prefix whose gold values are `value`; NaN where no assessor could judge."""
        t = len(value)
        c, rate, label = self.c[:t], self.rate[:t], self.label[:t]
        unknown = np.isnan(value)
        f = predictions(value, label, self.prior)[:-1]
        own = f[np.arange(t), label]
        v_low = np.where(unknown, (c < 0).astype(np.float64), value)
        v_high = np.where(unknown, (c > 0).astype(np.float64), value)
        before_low, before_high = (np.append(0.0, np.cumsum(c * v)) for v in (v_low, v_high))
        rest = (self.mass[:t] * f).sum(axis=1)
        left = self.left[:t]
        z_low = before_low[:-1] + rest + c * (v_low - own) * left / rate
        z_high = before_high[:-1] + rest + c * (v_high - own) * left / rate
        rise = np.maximum((1 - f) * self.most[:t], -f * self.least[:t]).max(axis=1)
        fall = np.minimum(-f * self.most[:t], (1 - f) * self.least[:t]).min(axis=1)
        low = np.minimum(before_low[:-1] + rest + fall * left, before_low[:-1] + self.down[:t]) - WIDER
        high = np.maximum(before_high[:-1] + rest + rise * left, before_high[:-1] + self.up[:t]) + WIDER
        e_low, e_high = c * (v_low - own) / rate, c * (v_high - own) / rate
        return Steps(
            z_low, z_high, low, high,
            before_low[1:] + self.down[1 : t + 1], before_high[1:] + self.up[1 : t + 1],
            np.where(np.abs(e_low) > np.abs(e_high), e_low, e_high), np.maximum(rise, -fall) ** 2, left,
            np.cumsum(unknown) == 0,
        )  # fmt: skip

    def estimate_without_labels(self) -> float:
        """Σ c·p_J: what the bronze labels alone say before the first gold label."""
        return float((self.c * self.prior[self.label]).sum())


def predictions(value: Floats, label: Ints, prior: Floats) -> Floats:
    """f before draw 1, 2, … and after the last (rows), by bronze label (columns); NaN values teach nothing."""
    given = (label[:, None] == np.arange(len(prior))) & ~np.isnan(value)[:, None]
    total = np.cumsum(np.where(given, value[:, None], 0.0), axis=0)
    count = np.cumsum(given, axis=0)
    start = np.zeros((1, len(prior)))
    f = (PSEUDO * prior + np.concatenate([start, total])) / (PSEUDO + np.concatenate([start, count]))
    return np.asarray(f, np.float64)


class ExactSet:
    """The betting set of one contrast with its running intersection over the looks that were taken.

    The wealth at the two running ends is carried along; an end is searched anew only at the looks that move it.
    """

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self.low, self.high = -np.inf, np.inf
        self.empty_at: int | None = None  # an event of probability at most α
        self._at = np.full(2, np.nan)
        self._logs = np.zeros((2, 2, len(BETS)))  # end × (up, down) × bet
        self._step = np.full(2, np.nan)  # how far each end moved when it last did
        self._carried = 0

    def look(self, steps: Steps) -> tuple[float, float]:
        """(low, high) after the last of `steps`; looks are taken in order, not necessarily at every label."""
        t = len(steps)
        floor, ceiling = float(steps.floor[-1]), float(steps.ceiling[-1])
        if self.empty_at is None:
            for end in (0, 1):
                self._carry(end, steps)
            self._carried = t
            low, high = self._ends(steps, max(self.low, floor), min(self.high, ceiling))
            if low <= high:
                self.low, self.high = low, high
            else:
                self.empty_at = t
        return (floor, ceiling) if self.empty_at is not None else (self.low, self.high)

    def peek(self, steps: Steps) -> tuple[float, float]:
        """The same without taking the look: later ones do not depend on it."""
        return deepcopy(self).look(steps)

    def _carry(self, end: int, steps: Steps) -> None:
        m, new = float(self._at[end]), slice(self._carried, None)
        if steps.floor[-1] <= m <= steps.ceiling[-1]:
            self._logs[end, 0] += log_factors(steps.z_low[new], steps.low[new], m).sum(axis=0)
            self._logs[end, 1] += log_factors(steps.z_high[new], steps.high[new], m).sum(axis=0)

    def _ends(self, steps: Steps, floor: float, ceiling: float) -> tuple[float, float]:
        if floor > ceiling:
            middle = (floor + ceiling) / 2  # every document is labelled, and the bounds meet but for rounding
            return (middle, middle) if floor - ceiling < WIDER else (np.nan, np.nan)
        sure = bool(steps.sure[-1])
        stays = self._stays(0, floor, sure), self._stays(1, ceiling, sure)
        low, high = floor, ceiling
        if not all(stays):
            low, high = self._both(steps, floor, ceiling, stays) if sure else self._one_sided(steps, floor, ceiling)
        for end, m in enumerate((low, high)):
            if m != self._at[end] and not np.isnan(m):
                self._step[end] = abs(m - self._at[end])
                self._at[end] = m
                self._logs[end, 0] = log_factors(steps.z_low, steps.low, m).sum(axis=0)
                self._logs[end, 1] = log_factors(steps.z_high, steps.high, m).sum(axis=0)
        return low, high

    def _stays(self, end: int, m: float, sure: bool) -> bool:
        """Is the running end still in the set? (Not known where the certain bounds moved it.)"""
        if m != self._at[end]:
            return False
        up, down = log_mean(self._logs[end])
        wealth = log_both(up, down) if sure else (up, down)[end] - np.log(2)
        return bool(wealth < -np.log(self.alpha))

    def _both(self, steps: Steps, floor: float, ceiling: float, stays: tuple[bool, bool]) -> tuple[float, float]:
        """The set by W; an end that stays is a point inside it, from which the other is found."""

        def beyond(m: float) -> float:
            return excess(steps, m, self.alpha)

        if not any(stays):
            middle = (floor + ceiling) / 2
            if not beyond(middle) < 0:
                low, high = interval_of(beyond, (floor, ceiling), middle)
                return float(low), float(high)
            return self._inwards(beyond, 0, floor, middle), self._inwards(beyond, 1, ceiling, middle)
        if stays[0]:
            return floor, self._inwards(beyond, 1, ceiling, floor)
        return self._inwards(beyond, 0, floor, ceiling), ceiling

    def _inwards(self, beyond: Callable[[float], float], end: int, outside: float, inside: float) -> float:
        """Where `beyond` crosses 0, searched from the end that was left, in steps that grow."""
        if outside == inside or beyond(outside) < 0:
            return outside
        step = float(np.nan_to_num(self._step[end]))
        step = max(step, 1e-3 * abs(inside - outside))
        while step < abs(inside - outside):
            nearer = outside + step * np.sign(inside - outside)
            if beyond(nearer) < 0:
                return crossing(beyond, outside, nearer)
            outside, step = nearer, 4 * step
        return crossing(beyond, outside, inside)

    def _one_sided(self, steps: Steps, floor: float, ceiling: float) -> tuple[float, float]:
        limit = float(np.log(2 / self.alpha))
        low = _end_of(lambda m: log_wealth_of(steps, m)[0] - limit, floor, ceiling)
        return low, _end_of(lambda m: log_wealth_of(steps, m)[1] - limit, ceiling, floor)


def log_wealth_of(steps: Steps, m: float) -> tuple[float, float]:
    """(ln up, ln down) at m: up from the sequence of the lower end, down from that of the upper."""
    up = log_mean(log_factors(steps.z_low, steps.low, m).sum(axis=0))
    down = log_mean(log_factors(steps.z_high, steps.high, m).sum(axis=0))
    return float(up), float(down)


def excess(steps: Steps, m: float, alpha: float) -> float:
    """ln W(m) − ln(1/α): negative inside the set."""
    return float(log_both(*log_wealth_of(steps, m))) + float(np.log(alpha))


def _end_of(excess: Callable[[float], float], near: float, far: float) -> float:
    """Where a one-sided excess falls below 0 on the way from `near` to `far`; NaN if nowhere."""
    return float("nan") if excess(far) >= 0 else crossing(excess, near, far)
