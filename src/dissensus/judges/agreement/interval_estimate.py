"""An estimate: a number that carries its interval, what it rests on, and why it may be missing.

Intervals of agreement coefficients are over topics, the unit in which judging comes: documents of one topic are judged
by the same people in one sitting and are not independent. A coefficient gives its value and, per topic, its value
without that topic; the jackknife pseudo-values T·θ − (T−1)·θ₍₋ₜ₎ then stand for the topics in an ordinary interval of
a mean: studentised bootstrap, or Student's t.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FEW = 10  # topics below which only the t interval is given, marked unreliable
MANY = 500  # units above which the t interval is as good as the bootstrap and much cheaper
CHUNK = 4_000_000  # numbers looked at at a time
ONE_GRADE = "undefined: only one grade is used, so agreement by chance cannot be told from agreement"
NO_ORDER = "undefined: the labels have no order"
NO_PAIRS = "undefined: no document was judged by two assessors"


class Estimate(float):
    """A float with `.low`, `.high`, `.n` (units it rests on) and `.note`; use it as the number it is.

    >>> e = Estimate(0.62, 0.5, 0.7, 40)
    >>> round(e + 0.1, 2), str(e)
    (0.72, '0.6200 [0.5000, 0.7000]')
    """

    low: float
    high: float
    n: int
    note: str

    def __new__(cls, value: float, low: float = np.nan, high: float = np.nan, n: int = 0, note: str = "") -> Estimate:
        self = super().__new__(cls, value)
        self.low, self.high, self.n, self.note = float(low), float(high), int(n), note
        return self

    def __str__(self) -> str:
        if np.isnan(self):
            return f"NaN ({self.note})" if self.note else "NaN"
        return f"{float(self):.4f}" + ("" if np.isnan(self.low) else f" [{self.low:.4f}, {self.high:.4f}]")

    def to_dict(self) -> dict[str, Any]:
        """value, low, high, n, note."""
        return {"value": float(self), "low": self.low, "high": self.high, "n": self.n, "note": self.note}


@dataclass(frozen=True)
class Resampling:
    """How intervals are made: over which units, at which confidence, with how many resamples and which seed."""

    units: str = "topics"
    confidence: float = 0.95
    resamples: int = 999
    seed: int = 0

    def method(self, n: int) -> str:
        """The kind of interval for n units, in words."""
        if n < 2:
            return f"no interval: {n} {self.units}"
        if n < FEW:
            return f"t over {n} {self.units}, unreliable below {FEW}"
        return f"studentised bootstrap over {n} {self.units}" if n <= MANY else f"t over {n:,} {self.units}"

    def estimate(self, value: float, without: Floats, n: int, note: str = "") -> Estimate:
        """An estimate from its value on all units and its values without each unit (NaN: not usable)."""
        without = without[np.isfinite(without)]
        units = len(without)
        if not np.isfinite(value) or units < 2:
            return Estimate(value, n=n, note=note)
        low, high = self.interval(units * value - (units - 1) * without)
        return Estimate(value, low, high, n, note)

    def interval(self, values: Floats) -> tuple[float, float]:
        """Interval of a mean of independent values: studentised bootstrap from 10 to 500 values, else t."""
        from dissensus.stats.resampling import topic_interval

        if np.ptp(values) <= 1e-12:  # every unit says the same
            return float(values[0]), float(values[0])
        found = topic_interval(
            values,
            method="t" if len(values) > MANY else "auto",
            level=self.confidence,
            replicates=self.resamples,
            seed=self.seed,
            unit=self.units,
        )
        return found.low, found.high


def from_totals(
    parts: Floats, coefficient: Callable[[Floats], Floats], resampling: Resampling, n: int, note: str = ""
) -> Estimate:
    """An estimate from sums: `parts` holds one row of additive parts per unit, `coefficient` turns rows of totals
    into values (NaN where undefined)."""
    total = parts.sum(axis=0, keepdims=True)
    value = float(coefficient(total)[0])
    used = np.flatnonzero(np.any(parts != 0, axis=1))
    step = max(1, CHUNK // parts.shape[1])
    without = [coefficient(total - parts[used[i : i + step]]) for i in range(0, len(used), step)]
    if np.isnan(value) and not note:
        note = NO_PAIRS if n == 0 else ONE_GRADE
    return resampling.estimate(value, np.concatenate([np.empty(0), *without]), n, note)
