"""How small a difference can be seen, and what it would take to see a smaller one.

The variance of a rectified difference has two parts: topics differ, and not every document was audited. Only the second
shrinks with more gold labels. Where the first alone is too large, no audit can settle the matter, but more topics can.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError, Option, Text
from dissensus.stats.intervals import quantile, quantiles

Floats = NDArray[np.float64]
POWER = 0.8


def margin(df: float, level: float = 0.95, power: float = POWER) -> float:
    """Standard errors that a difference must measure to be found with `power`."""
    from dissensus.stats.distributions import ndtri

    return quantile(level, df) + float(ndtri(power))


def units_needed(n: int, detectable: float, difference: float) -> int:
    """How many units find `difference` where `n` find `detectable`: standard errors fall with the root of their number.

    >>> units_needed(50, 0.06, 0.03)
    200
    """
    return math.ceil(n * (detectable / difference) ** 2)


def margins(df: Floats, level: float = 0.95, power: float = POWER) -> Floats:
    """`margin` of every number of degrees of freedom."""
    from dissensus.stats.distributions import ndtri

    return quantiles(level, df) + float(ndtri(power))


def power_of(shift: float, df: float, level: float = 0.95) -> float:
    """Probability that a t test claims a difference of `shift` standard errors; without a difference, 1 − level.

    >>> round(power_of(0.0, 9), 4), round(power_of(2.0, 9), 4), round(power_of(2.8, float("inf")), 4)
    (0.05, 0.4313, 0.7996)
    """
    from scipy.special import nctdtr

    from dissensus.stats.distributions import ndtr

    if not math.isfinite(shift):
        return 1.0 if shift > 0 else math.nan
    limit = quantile(level, df)
    if not math.isfinite(df):
        return float(ndtr(shift - limit) + ndtr(-shift - limit))
    return float(1 - nctdtr(df, shift, limit) + nctdtr(df, shift, -limit))


def check_difference(difference: float | None) -> None:
    """A difference that matters has a size: a sign, or nothing at all, would be answered with nonsense."""
    if difference is not None and not (math.isfinite(difference) and difference > 0):
        raise InputError(Text(Option("difference", difference), ": name the size of a difference, above 0."))


@dataclass(frozen=True)
class Needed:
    """What a difference needs: further audited documents (NaN where no audit can settle it), or topics in all."""

    labels: float
    topics: float
    sentence: str


@dataclass(frozen=True)
class Needs:
    """What a corrected rate needs: queries, or gold labels, in all; NaN where no number of them is enough by itself."""

    queries: float
    labels: float

    def __str__(self) -> str:
        def count(number: float, what: str) -> str:
            return f"no number of {what}" if math.isnan(number) else f"about {number:,.0f} {what}"

        queries, labels = count(self.queries, "queries"), count(self.labels, "gold labels")
        return f"{queries} with these gold labels, or {labels} with these queries"


def needs(observed: float, calibration: float, discrimination: float, se: float, *, queries: int, labels: int) -> Needs:
    """What brings the standard error of a corrected rate to `se`, from counts alone.

    Its variance is [V(j̄) + V_calibration]/D², today `observed` and `calibration` over D². The first part shrinks with
    queries, the second with gold labels; each is asked what it would take if the other stays as it is.

    >>> needs(0.0001, 0.0003, 0.5, 0.05, queries=1000, labels=200)
    Needs(queries=308.0, labels=115.0)
    """
    allowed = (se * discrimination) ** 2

    def enough(today: float, other: float, number: int) -> float:
        left = allowed - other
        return math.nan if left <= 0 else float(math.ceil(number * today / left))

    return Needs(enough(observed, calibration, queries), enough(calibration, observed, labels))
