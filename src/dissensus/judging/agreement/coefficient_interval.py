"""A coefficient: a number that carries its interval, what it rests on, and why it may be missing.

Intervals of agreement coefficients are over topics, the unit in which judging comes: documents of one topic are judged
by the same people in one sitting and are not independent. A coefficient gives its value and, per topic, its value
without that topic; the jackknife pseudo-values T·θ − (T−1)·θ₍₋ₜ₎ then stand for the topics in an ordinary interval of
a mean: studentised bootstrap, or Student's t. Of fewer than ten topics, and wherever the interval would leave the range
of the coefficient, Student's t is taken on the scale of log((θ − lowest)/(1 − θ)). That keeps it inside, and is
Fisher's z where the lowest value is −1. At an end of the range there is no such interval, and none is given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dissensus.arrays import Floats
from dissensus.stats.intervals import quantile
from dissensus.stats.resampling import topic_interval

FEW = 10  # topics below which only the t interval is given, marked unreliable
MANY = 500  # units above which the t interval is as good as the bootstrap and much cheaper
CHUNK = 4_000_000  # numbers looked at at a time

Undefined = Literal["one grade", "no order", "no pairs", "one assessor", "grade not given", "one-grade scale"]
WHY: dict[Undefined, str] = {  # what each reason is called where people read it
    "one grade": "undefined: only one grade is used, so agreement by chance cannot be told from agreement",
    "no order": "undefined: the labels have no order",
    "no pairs": "undefined: no document was judged by two assessors",
    "one assessor": "undefined: there is one assessor",
    "grade not given": "undefined: no assessor gave this grade or a higher one",
    "one-grade scale": "undefined: the scale has one grade",
}


class Coefficient(float):
    """A float with `.low`, `.high`, `.n` (units it rests on) and `.undefined`, why it is NaN; `.note` says it in words.

    >>> c = Coefficient(0.62, 0.5, 0.7, 40)
    >>> round(c + 0.1, 2), str(c)
    (0.72, '0.6200 [0.5000, 0.7000]')
    >>> str(Coefficient(float("nan"), undefined="no order"))
    'NaN (undefined: the labels have no order)'
    """

    low: float
    high: float
    n: int
    undefined: Undefined | None

    def __new__(
        cls,
        value: float,
        low: float = np.nan,
        high: float = np.nan,
        n: int = 0,
        undefined: Undefined | None = None,
    ) -> Coefficient:
        self = super().__new__(cls, value)
        self.low, self.high, self.n, self.undefined = float(low), float(high), int(n), undefined
        return self

    @property
    def note(self) -> str:
        """Why the coefficient is undefined, in words; empty where it is defined."""
        return "" if self.undefined is None else WHY[self.undefined]

    def __str__(self) -> str:
        if np.isnan(self):
            return f"NaN ({self.note})" if self.note else "NaN"
        return f"{float(self):.4f}" + ("" if np.isnan(self.low) else f" [{self.low:.4f}, {self.high:.4f}]")

    def to_dict(self) -> dict[str, object]:
        """value, low, high, n, note."""
        return {"value": float(self), "low": self.low, "high": self.high, "n": self.n, "note": self.note}


@dataclass(frozen=True)
class Resampling:
    """How intervals are made: over which units, at which level, with how many replicates and which seed."""

    units: str = "topics"
    level: float = 0.95
    replicates: int = 999
    seed: int = 0

    def method(self, n: int) -> str:
        """The kind of interval for n units, in words."""
        if n < 2:
            return f"no interval: {n} {self.units}"
        if n < FEW:
            return f"t over {n} {self.units}, unreliable below {FEW}, on a transformed scale"
        return f"studentised bootstrap over {n} {self.units}" if n <= MANY else f"t over {n:,} {self.units}"

    def estimate(
        self, value: float, without: Floats, n: int, undefined: Undefined | None = None, lowest: float = -1.0
    ) -> Coefficient:
        """A coefficient from its value on all units and its values without each unit (NaN: not usable)."""
        without = without[np.isfinite(without)]
        units = len(without)
        if not np.isfinite(value) or units < 2:
            return Coefficient(value, n=n, undefined=undefined)
        low, high = self.interval(units * value - (units - 1) * without, value, lowest)
        return Coefficient(value, low, high, n, undefined)

    def interval(self, values: Floats, value: float, lowest: float) -> tuple[float, float]:
        """Interval of a mean of independent values: studentised bootstrap from 10 to 500 values, else t; see above."""
        if np.ptp(values) <= 1e-12:  # every unit says the same
            return float(values[0]), float(values[0])
        if len(values) < FEW:
            return self.inside(values, value, lowest)
        found = topic_interval(
            values,
            method="t" if len(values) > MANY else "auto",
            level=self.level,
            replicates=self.replicates,
            seed=self.seed,
            unit=self.units,
        )
        if found.low < lowest or found.high > 1:
            return self.inside(values, value, lowest)
        return found.low, found.high

    def inside(self, values: Floats, value: float, lowest: float) -> tuple[float, float]:
        """The t interval of log((θ − lowest)/(1 − θ)), taken back; none where θ is at an end."""
        if not lowest + 1e-9 < value < 1 - 1e-9:
            return np.nan, np.nan
        se = float(values.std(ddof=1) / np.sqrt(len(values)))
        centre = np.log((value - lowest) / (1 - value))
        half = quantile(self.level, len(values) - 1.0) * se * (1 - lowest) / ((value - lowest) * (1 - value))
        low, high = (lowest + (1 - lowest) / (1 + np.exp(-z)) for z in (centre - half, centre + half))
        return float(low), float(high)


def from_totals(
    parts: Floats,
    coefficient: Callable[[Floats], Floats],
    resampling: Resampling,
    n: int,
    undefined: Undefined | None = None,
    lowest: float = -1.0,
) -> Coefficient:
    """A coefficient from sums: `parts` holds one row of additive parts per unit, `coefficient` turns rows of totals
    into values (NaN where undefined)."""
    total = parts.sum(axis=0, keepdims=True)
    value = float(coefficient(total)[0])
    used = np.flatnonzero(np.any(parts != 0, axis=1))
    step = max(1, CHUNK // parts.shape[1])
    without = [coefficient(total - parts[used[i : i + step]]) for i in range(0, len(used), step)]
    if np.isnan(value) and undefined is None:
        undefined = "no pairs" if n == 0 else "one grade"
    return resampling.estimate(value, np.concatenate([np.empty(0), *without]), n, undefined, lowest)


def share(parts: Floats, resampling: Resampling, n: int, undefined: Undefined) -> Coefficient:
    """A share pooled over units: what agrees (first part) of all there is (second); `undefined` where there is none."""
    reason = None if parts[:, 1].any() else undefined
    return from_totals(parts, lambda z: ratio(z[:, 0], z[:, 1]), resampling, n, reason, lowest=0.0)


def ratio(a: Floats, b: Floats) -> Floats:
    """a / b, NaN where b is 0 but for rounding."""
    out: Floats = np.divide(a, b, out=np.full(np.shape(b), np.nan), where=b > 1e-12)
    return out
