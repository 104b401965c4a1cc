"""Intervals: what the data say a number may be.

    >>> str(t_interval([0.2, 0.4, 0.6, 0.4]))
    '[0.1402, 0.6598] (95%, t with 3 degrees of freedom)'
    >>> str(wilson(9, 10))
    '[0.5958, 0.9821] (95%, Wilson)'

Nothing is clipped: an interval for a rate may leave [0, 1] where the method does, and that is said, not hidden.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dissensus.arrays import Floats
from dissensus.errors import Fix, InputError, Option, Text

WEAK = 5.0  # below this D/se(D), normal intervals around a ratio N/D are replaced by Fieller's


@dataclass(frozen=True)
class Interval:
    """From `low` to `high` with confidence `level`; `note` says what to keep in mind, `reliable` whether to worry."""

    low: float
    high: float
    level: float
    method: str
    reliable: bool = True
    note: str = ""

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    @property
    def width(self) -> float:
        return self.high - self.low

    def __str__(self) -> str:
        text = f"[{self.low:.4f}, {self.high:.4f}] ({self.level * 100:g}%, {self.method})"
        return text + (f"; {self.note}" if self.note else "")


@dataclass(frozen=True)
class Region:
    """A confidence set that need not be an interval: one piece, two rays, or the whole line."""

    kind: Literal["interval", "rays", "line"]
    pieces: tuple[tuple[float, float], ...]
    level: float
    method: str

    def __contains__(self, value: float) -> bool:
        return any(low <= value <= high for low, high in self.pieces)

    def __str__(self) -> str:
        text = " ∪ ".join(
            f"{'(' if math.isinf(low) else '['}{low:.4f}, {high:.4f}{')' if math.isinf(high) else ']'}"
            for low, high in self.pieces
        )
        return f"{text} ({self.level * 100:g}%, {self.method})"


@dataclass(frozen=True)
class ConfidenceSet:
    """A set of numbers as disjoint closed pieces in order: one interval, two rays, or the whole line.

    >>> print(ConfidenceSet(((-math.inf, -1.0), (2.0, math.inf))))
    (−∞, -1.0000] ∪ [2.0000, ∞)
    """

    pieces: tuple[tuple[float, float], ...]

    @property
    def kind(self) -> str:
        """One of "interval", "two rays", "line"."""
        if len(self.pieces) == 2:
            return "two rays"
        return "line" if self.pieces[0] == (-math.inf, math.inf) else "interval"

    @property
    def hull(self) -> tuple[float, float]:
        """The smallest interval around the set; (−∞, ∞) for rays and the line."""
        return (self.pieces[0][0], self.pieces[-1][1])

    def __contains__(self, x: float) -> bool:
        return any(low <= x <= high for low, high in self.pieces)

    def __str__(self) -> str:
        return " ∪ ".join(_piece(low, high) for low, high in self.pieces)


def _piece(low: float, high: float) -> str:
    left = "(−∞" if low == -math.inf else f"[{low:.4f}"
    right = "∞)" if high == math.inf else f"{high:.4f}]"
    return f"{left}, {right}"


# ── quantiles ────────────────────────────────────────────────────────────────────────────────────────────────────────
@lru_cache(4096)  # asked once per system and topic set, of few degrees of freedom
def quantile(level: float, df: float | None = None) -> float:
    """The two-sided critical value: normal, or Student's t with `df` degrees of freedom.

    >>> round(quantile(0.95), 4), round(quantile(0.95, 9), 4)
    (1.96, 2.2622)
    """
    from scipy.special import ndtri, stdtrit

    upper = 0.5 + check_level(level) / 2
    return float(ndtri(upper) if df is None or math.isinf(df) else stdtrit(df, upper))


def quantiles(level: float, df: Floats) -> Floats:
    """`quantile` of every number of degrees of freedom, infinite ones among them."""
    from scipy.special import stdtrit

    out = np.full(np.shape(df), quantile(level))
    known = ~np.isinf(df)
    out[known] = stdtrit(df[known], 0.5 + level / 2)
    return out


def two_sided_p(statistic: float, df: float | None = None) -> float:
    """P(|Z| ≥ |statistic|) for a standard normal or t variable."""
    from scipy.special import ndtr, stdtr

    beyond = ndtr(-abs(statistic)) if df is None or math.isinf(df) else stdtr(df, -abs(statistic))
    return float(2 * beyond)


def p_text(p: float, digits: int = 3) -> str:
    """A p-value for a sentence: no p-value is 0, and one that is not 0.05 is not shown as 0.05.

    >>> p_text(0.0004), p_text(0.017), p_text(0.0171, 4), p_text(0.04968)
    ('< 0.001', '= 0.017', '= 0.0171', '= 0.0497')
    """
    least = 10.0**-digits
    return f"< {least:.{digits}f}" if p < least else f"= {unrounded(p, 0.05, digits)}"


def unrounded(value: float, mark: float, digits: int = 3) -> str:
    """A number with so many digits that it is not taken for a mark which it is near.

    >>> unrounded(0.00021, 0.0), unrounded(-0.25, 0.0), unrounded(0.0, 0.0)
    ('0.0002', '-0.250', '0.000')
    """
    while value != mark and round(value, digits) == mark and digits < 6:
        digits += 1
    return f"{value:.{digits}f}"


def check_level(level: float) -> float:
    """A confidence level, strictly between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.floating) or not 0 < level < 1:
        raise InputError(
            Text(Option("level", level), ": a confidence level lies between 0 and 1."),
            Fix("Write ", Option("level", 0.95), "."),
        )
    return float(level)


# ── one number ───────────────────────────────────────────────────────────────────────────────────────────────────────
def wald(estimate: float, se: float, *, level: float = 0.95, df: float | None = None) -> Interval:
    """estimate ± quantile · se."""
    if not se >= 0:
        raise InputError(Text(Option("se", se), ": a standard error must be at least 0."))
    half = quantile(level, df) * se
    how = "normal" if df is None or math.isinf(df) else f"t with {df:g} degrees of freedom"
    return Interval(estimate - half, estimate + half, level, how)


def t_interval(values: ArrayLike, *, level: float = 0.95) -> Interval:
    """Of a mean: x̄ ± t_{n−1} s/√n. Of skewed scores it covers .86 at 5 topics, .90 at 10, .94 at 50."""
    x = _sample(values, "values")
    if len(x) < 2:
        raise InputError(f"{len(x)} value(s) have no spread; an interval needs two at least.")
    return wald(float(x.mean()), float(x.std(ddof=1) / math.sqrt(len(x))), level=level, df=len(x) - 1)


def mean_intervals(values: Floats, level: float = 0.95) -> tuple[Floats, Floats, Floats]:
    """(mean, low, high) of every row by Student's t, NaN left out; no ends where fewer than two values are known.

    >>> [x.round(3).tolist() for x in mean_intervals(np.array([[0.2, 0.4, np.nan], [0.5, np.nan, np.nan]]))]
    [[0.3, 0.5], [-0.971, nan], [1.571, nan]]
    """
    known = np.isfinite(values)
    n = known.sum(axis=1)
    filled = np.where(known, values, 0.0)
    mean = np.divide(filled.sum(axis=1), n, out=np.full(len(n), np.nan), where=n > 0)
    square = (np.where(known, values - mean[:, None], 0.0) ** 2).sum(axis=1)
    se = np.sqrt(np.divide(square, (n - 1.0) * n, out=np.full(len(n), np.nan), where=n > 1))
    half = quantiles(level, np.maximum(n - 1.0, 1.0)) * se
    return mean, mean - half, mean + half


def wilson(hits: float, n: float, *, level: float = 0.95) -> Interval:
    """Of a proportion (Wilson 1927): centre (h + z²/2)/(n + z²); good from n = 10 on, also near 0 and 1."""
    if not (n > 0 and 0 <= hits <= n):
        raise InputError(
            Text(Option("hits", hits), " of ", Option("n", n), ": hits lie between 0 and n, n is above 0.")
        )
    z = quantile(level)
    centre = (hits + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(hits * (n - hits) / n + z * z / 4)
    low, high = centre - half, centre + half
    return Interval(0.0 if hits == 0 else low, 1.0 if hits == n else high, level, "Wilson")


# ── a ratio ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def fieller(
    numerator: float,
    denominator: float,
    var_numerator: float,
    var_denominator: float,
    *,
    covariance: float = 0.0,
    level: float = 0.95,
    df: float | None = None,
) -> Region:
    """Of a ratio N/D: all x with (N − xD)² ≤ z²[V_N − 2x·Cov + x²V_D] (Fieller 1940).

    It asks which values x are compatible with the data: those whose residual N − xD is within z of its own standard
    error. Where D is not separated from 0 the set is two rays or the whole line, and comes back as such: the data do
    not bound the ratio, and an interval would pretend they do.

    >>> str(fieller(2.0, 1.0, 0.01, 0.01))
    '[1.6259, 2.5339] (95%, Fieller)'
    >>> fieller(2.0, 0.1, 0.01, 0.01).kind, fieller(0.1, 0.1, 0.01, 0.01).kind
    ('rays', 'line')
    """
    if not (var_numerator >= 0 and var_denominator >= 0):
        raise InputError("variances must be at least 0.")
    z2 = quantile(level, df) ** 2
    # a x² − 2 b x + c ≤ 0
    a = denominator**2 - z2 * var_denominator
    b = numerator * denominator - z2 * covariance
    c = numerator**2 - z2 * var_numerator
    root2 = b * b - a * c
    inf = math.inf
    if a > 0:
        # inside the roots; N/D itself is always inside, so they are real up to rounding
        root = math.sqrt(max(root2, 0.0))
        pieces: tuple[tuple[float, float], ...] = (((b - root) / a, (b + root) / a),)
        return Region("interval", pieces, level, "Fieller")
    if a < 0 and root2 > 0:
        root = math.sqrt(root2)
        return Region("rays", ((-inf, (b + root) / a), ((b - root) / a, inf)), level, "Fieller")
    if a == 0 and b != 0:
        edge = c / (2 * b)
        pieces = ((edge, inf),) if b > 0 else ((-inf, edge),)
        return Region("rays", pieces, level, "Fieller")
    return Region("line", ((-inf, inf),), level, "Fieller")


# ── a rate seen through an imperfect judge ───────────────────────────────────────────────────────────────────────────
def lang_reiczigel(
    observed: float,
    n: float,
    relevant: tuple[float, float],
    nonrelevant: tuple[float, float],
    *,
    level: float = 0.95,
) -> Interval:
    """Of a rate corrected for sensitivity and specificity that are themselves estimated (Lang & Reiczigel 2014).

    `relevant` = (correctly accepted, n₁), `nonrelevant` = (correctly rejected, n₀); `n` is the number of labels behind
    `observed`, or its effective number j̄(1−j̄)/V(j̄). With p', Se', Sp' the shrunken rates,
    t = (p' + Sp' − 1)/(Se' + Sp' − 1) and the interval is t + shift ± z·se. Not clipped to [0, 1].

    >>> str(lang_reiczigel(0.6260, 13_800, (43, 59), (67, 84)))
    '[0.6494, 1.0139] (95%, Lang–Reiczigel)'

    Not for a judge whose Se + Sp is close to 1: the correction divides by what is left; use `fieller`.
    """
    z = quantile(level)
    for name, (hits, total) in (("relevant", relevant), ("nonrelevant", nonrelevant)):
        if not (total > 0 and 0 <= hits <= total):
            raise InputError(f"{name}=({hits}, {total}): hits lie between 0 and n, n is above 0.")
    if not (0 <= observed <= 1 and n > 0):
        raise InputError(
            Text(
                Option("observed", observed), ", ", Option("n", n), ": a rate between 0 and 1 from n labels, n above 0."
            )
        )
    (h1, n1), (h0, n0) = relevant, nonrelevant
    p = (n * observed + z * z / 2) / (n + z * z)
    se, sp = (h1 + 1) / (n1 + 2), (h0 + 1) / (n0 + 2)
    gain = se + sp - 1
    if gain == 0:
        raise InputError("a judge with Se + Sp = 1 says nothing about relevance; there is no interval.")
    t = (p + sp - 1) / gain
    v1, v0 = se * (1 - se) / (n1 + 2), sp * (1 - sp) / (n0 + 2)
    shift = 2 * z * z * (t * v1 - (1 - t) * v0)
    error = math.sqrt(p * (1 - p) / (n + z * z) + t * t * v1 + (1 - t) ** 2 * v0) / abs(gain)
    return Interval(t + shift - z * error, t + shift + z * error, level, "Lang–Reiczigel")


def _sample(values: ArrayLike, name: str) -> Floats:
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1:
        raise InputError(f"{name} has shape {x.shape}; one row of numbers is needed.")
    if not np.isfinite(x).all():
        raise InputError(f"{name} holds {np.sum(~np.isfinite(x)):,} values that are no finite numbers.")
    return x


def ratio_interval(
    hits: NDArray[np.float64], given: NDArray[np.float64], cluster: NDArray[np.integer], level: float
) -> tuple[float, float]:
    """(low, high) of Σ hits / Σ given, 0 ≤ hits ≤ given, rows of one cluster being dependent.

    p = Σ_c y_c / Σ_c x_c over clusters c; linearised, its variance is C/(C−1) · Σ_c (y_c − p x_c)² / (Σ_c x_c)². The
    interval is Student's with C − 1 degrees of freedom on the logit scale, so that it stays inside (0, 1).

    Where every cluster says 0 (or all say 1) there is no variance to see: then the exact bound of that many
    independent clusters is used, [0, 1 − (α/2)^{1/C}]. One cluster alone, or none, says nothing: (0, 1) and NaN.
    """
    if not len(hits):
        return math.nan, math.nan
    low, high = ratio_intervals(hits, given, cluster, np.zeros(len(hits), np.int64), 1, level)
    return float(low[0]), float(high[0])


def ratio_intervals(
    hits: NDArray[np.float64],
    given: NDArray[np.float64],
    cluster: NDArray[np.integer],
    owner: NDArray[np.integer],
    n: int,
    level: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`ratio_interval` of `n` owners at once: row r belongs to `owner[r]`."""
    from scipy.special import expit, stdtrit

    low, high = np.full(n, np.nan), np.full(n, np.nan)
    if not len(hits):
        return low, high
    _, code = np.unique(cluster, return_inverse=True)
    cell, place = np.unique(owner.astype(np.int64) * (int(code.max()) + 1) + code, return_inverse=True)
    of = cell // (int(code.max()) + 1)
    y, x = np.bincount(place, hits), np.bincount(place, given)
    clusters, total = np.bincount(of, minlength=n), np.bincount(of, x, n)
    p = np.divide(np.bincount(of, y, n), total, out=np.full(n, np.nan), where=total > 0)
    low[clusters == 1], high[clusters == 1] = 0.0, 1.0
    several, alpha = clusters > 1, 1 - level
    far = 1 - (alpha / 2) ** (1 / np.maximum(clusters, 1))
    none, every = several & (p <= 0.0), several & (p >= 1.0)
    low[none], high[none] = 0.0, far[none]
    low[every], high[every] = 1 - far[every], 1.0
    some = several & (p > 0.0) & (p < 1.0)
    q, c = p[some], clusters[some]
    variance = c / (c - 1) * np.bincount(of, (y - p[of] * x) ** 2, n)[some] / total[some] ** 2
    reach = stdtrit(c - 1, 1 - alpha / 2) * np.sqrt(variance) / (q * (1 - q))
    centre = np.log(q / (1 - q))
    low[some], high[some] = expit(centre - reach), expit(centre + reach)
    return low, high
