"""All pairs of systems at once, from arrays: one adjustment gives the p-values and the intervals.

A `Family` is one measure's pairs: differences, their raw p-values, the joint covariance of the systems' means, and
intervals at any level. `adjusted` turns them into p-values and intervals that hold for all pairs × measures together:

- "max-t" (default): p_ab becomes z_ab = Φ⁻¹(1 − p_ab/2) and is held against the largest |Z| of all pairs, drawn with
  their joint correlation (`stats.simultaneous.largest_pair_z`); intervals are those of the test itself at the level
  2Φ(q) − 1, q the critical value. Any test fits: t, Welch, randomisation, Fieller's sets. Bonferroni over measures.
- "bonferroni": m·p, intervals at 1 − α/m. "none": raw p, intervals at 1 − α.
- "holm", "bh": p-values only. No interval goes with them, so none is given and p decides.

    >>> theta, covariance = np.array([0.5, 0.4, 0.1]), 0.001 * (np.diag([1, 2, 4]) + 1.0)
    >>> member = t_pairs("AP", theta, covariance, df=49.0)
    >>> result = adjusted([member], "max-t", level=0.95)[0]
    >>> [(round(float(p), 2), bool(low <= 0 <= high)) for p, low, high in zip(result.p, result.low, result.high)]
    [(0.17, True), (0.0, False), (0.0, False)]

`margin` tells how many standard errors a difference must measure to be found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.stats import multiplicity
from dissensus.stats.intervals import quantile, quantiles
from dissensus.stats.multiplicity import adjust
from dissensus.stats.simultaneous import critical, largest_pair_z, share_reaching
from dissensus.wording import counted
from dissensus.work.memory import with_room

Ends = Callable[[float], tuple[Floats, Floats]]
Together = Callable[[float], tuple[Floats, Floats, Floats]]
Correction = Literal["max-t", "holm", "bonferroni", "bh", "none"]
CORRECTIONS: tuple[str, ...] = get_args(Correction)
WITHOUT_INTERVALS = ("holm", "bh")
PAIR = 1_800  # bytes that a pair takes while it is tested, drawn and worded
PAIRS = 64  # pairs whose topics are looked at together
POWER = 0.8  # with which a difference that can be seen is found


def check_correction(correction: str) -> Correction:
    """The name of an adjustment, or an error that lists them."""
    if correction not in CORRECTIONS:
        choices = ", ".join(map(repr, CORRECTIONS))
        raise InputError(
            Text(Option("correction", correction), f" is not a valid adjustment; choose one of {choices}.")
        )
    return correction  # type: ignore[return-value]


def pairs_of(n: int, baseline: int | None = None) -> tuple[Ints, Ints]:
    """All pairs (a, b) with a before b; with a baseline, every other system against it.

    >>> [ends.tolist() for ends in pairs_of(3)], [ends.tolist() for ends in pairs_of(3, baseline=1)]
    ([[0, 0, 1], [1, 2, 2]], [[0, 2], [1, 1]])
    """
    if baseline is None:
        size = n * (n - 1) // 2
        with_room(
            PAIR * size, f"all {size:,} pairs of {n:,} systems",
            Fix("Compare every system with one: ", Option("baseline"), "."), "Or compare fewer systems.",
        )  # fmt: skip
        return np.triu_indices(n, 1)
    others = np.delete(np.arange(n), baseline)
    return others, np.full(n - 1, baseline)


@dataclass(frozen=True, eq=False)
class Family:
    """One measure's pairs of systems: NaN where a pair has no answer; `interval(level)` gives low and high ends."""

    measure: str
    a: Ints
    b: Ints
    difference: Floats
    se: Floats
    df: Floats
    p: Floats
    interval: Ends
    covariance: Floats  # of the systems' means; NaN rows where a system has none
    covariance_df: float  # degrees of freedom behind the covariance
    effect: Floats | None = None  # differences in standard deviations
    topics: Ints | None = None  # behind each pair
    together: Together | None = None  # p, low, high of all pairs at a level, where the test itself draws them jointly


@dataclass(frozen=True, eq=False)
class Adjusted:
    """p-values and intervals of one measure, adjusted together; `level` is that of each interval by itself.

    `size` pairs of all measures were adjusted by `correction`.
    """

    p: Floats
    low: Floats
    high: Floats
    level: float
    correction: str = "none"
    size: int = 1


def t_pairs(
    measure: str,
    theta: Floats,
    covariance: Floats,
    df: float | Floats,
    *,
    pairs: tuple[Ints, Ints] | None = None,
    se: Floats | None = None,
    covariance_df: float | None = None,
) -> Family:
    """Differences of `theta` with t intervals; `se` and `df` by pair where they are not those of `covariance`."""
    a, b = pairs_of(len(theta)) if pairs is None else pairs
    if se is None:
        variance = covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]
        size = np.maximum(covariance[a, a], covariance[b, b])
        se = np.where(variance < 1e-18 * np.maximum(size, 1e-300), 0.0, np.sqrt(np.maximum(variance, 0.0)))
    difference = np.asarray(theta[a] - theta[b], np.float64)
    rounding = (se == 0) & (np.abs(difference) <= 1e-12 * np.maximum(np.abs(theta[a]), np.abs(theta[b])))
    difference = np.where(rounding, 0.0, difference)
    freedom = np.broadcast_to(np.asarray(df, np.float64), difference.shape)
    known = freedom.min(initial=np.inf) if covariance_df is None else covariance_df
    p = t_p_values(difference, se, freedom)

    def interval(level: float) -> tuple[Floats, Floats]:
        return t_ends(difference, se, freedom, p, level)

    return Family(measure, a, b, difference, se, freedom, p, interval, covariance, float(known))


def t_p_values(difference: Floats, se: Floats, df: Floats) -> Floats:
    """Two-sided p of difference/se.

    Where a difference is the same on all n = df + 1 topics, t has no denominator; what is left is that all signs
    agree, p = 2^(1−n): two topics with the same difference do not show it.
    """
    from scipy.special import ndtr, stdtr

    varies = se > 0
    t = np.divide(np.abs(difference), se, out=np.zeros_like(difference), where=varies)
    finite = np.isfinite(df)
    p = 2 * np.where(finite, stdtr(np.where(finite, df, 1.0), -t), ndtr(-t))
    constant = np.where(difference == 0, 1.0, np.exp2(-np.where(finite, df, 1074.0)))
    p = np.where(varies, p, constant)
    return np.asarray(np.where(np.isfinite(difference) & np.isfinite(se), p, np.nan), np.float64)


def t_ends(difference: Floats, se: Floats, df: Floats, p: Floats, level: float) -> tuple[Floats, Floats]:
    """difference ± t·se; the whole line where a constant difference is not shown at this level."""
    half = quantiles(level, df) * se
    open_ended = (se == 0) & (difference != 0) & (p >= 1 - level)
    return np.where(open_ended, -np.inf, difference - half), np.where(open_ended, np.inf, difference + half)


def naive_differences(scores: Floats, a: Ints, b: Ints) -> tuple[Floats, Floats]:
    """(mean, p) of paired t tests on bronze scores, topics undefined for either left out."""
    from scipy.special import stdtr

    n, mean, square = np.zeros(len(a), np.int64), np.full(len(a), np.nan), np.zeros(len(a))
    for first in range(0, len(a), PAIRS):  # few enough to stay in the cache
        some = slice(first, first + PAIRS)
        d = scores[a[some]] - scores[b[some]]
        known = np.isfinite(d)
        n[some] = known.sum(axis=1)
        np.divide(np.where(known, d, 0.0).sum(axis=1), n[some], out=mean[some], where=n[some] > 0)
        square[some] = (np.where(known, d - mean[some, None], 0.0) ** 2).sum(axis=1)
    enough = n > 1
    se = np.sqrt(np.divide(square, (n - 1) * n, out=np.zeros(len(n)), where=enough))
    t = np.divide(np.abs(mean), se, out=np.zeros(len(n)), where=se > 1e-15)
    p = np.where(se > 1e-15, 2 * stdtr(np.maximum(n - 1, 1), -t), (mean == 0).astype(np.float64))
    return mean, np.where(enough, p, np.nan)


def adjusted(members: Sequence[Family], correction: Correction, level: float, *, seed: int = 0) -> list[Adjusted]:
    """Every measure's pairs, adjusted for the whole family."""
    size = sum(len(m.p) for m in members)
    if correction == "max-t":
        found = [_by_max_t(m, len(members), level, seed) for m in members]
    else:
        found = _by_p_values(members, correction, level)
    return [replace(one, correction=correction, size=size) for one in found]


def _by_p_values(members: Sequence[Family], correction: multiplicity.Correction, level: float) -> list[Adjusted]:
    """By the p-values alone: Bonferroni, Holm, Benjamini and Hochberg, or not at all."""
    answered = [np.isfinite(m.p) for m in members]
    raw = np.concatenate([m.p[known] for m, known in zip(members, answered, strict=True)])
    one = level if correction == "none" else 1 - (1 - level) / max(len(raw), 1)
    flat = adjust(raw, correction)
    out, start = [], 0
    for m, known in zip(members, answered, strict=True):
        p = np.full(len(m.p), np.nan)
        p[known] = flat[start : start + int(known.sum())]
        start += int(known.sum())
        if correction in WITHOUT_INTERVALS:
            nothing = np.full(len(p), np.nan)
            out.append(Adjusted(p, nothing, nothing, float("nan")))
        else:
            out.append(Adjusted(p, *m.interval(one), one))
    return out


def _by_max_t(m: Family, measures: int, level: float, seed: int) -> Adjusted:
    """Simultaneous within the measure, Bonferroni over measures; one pair alone needs no simulation."""
    from scipy.special import ndtr, ndtri

    if m.together is not None:
        one = 1 - (1 - level) / measures
        p, low, high = m.together(one)
        return Adjusted(np.minimum(measures * p, 1.0), low, high, one)
    tested = np.isfinite(m.p) & ((m.se > 0) | (m.difference != 0))
    varies = tested & (m.se > 0)
    if tested.sum() <= 1 or not varies.any():
        times = measures * max(int(tested.sum()), 1)
        one = 1 - (1 - level) / times
        return Adjusted(np.minimum(times * m.p, 1.0), *m.interval(one), one)
    systems = np.unique(np.concatenate([m.a[varies], m.b[varies]]))
    place = np.zeros(len(m.covariance), np.int64)
    place[systems] = np.arange(len(systems))
    joint = m.covariance[np.ix_(systems, systems)]
    draws = largest_pair_z(joint, place[m.a[varies]], place[m.b[varies]], df=m.covariance_df, seed=seed)
    one = float(2 * ndtr(critical(draws, 1 - (1 - level) / measures)) - 1)
    p = np.array(m.p)
    z = -ndtri(np.maximum(m.p[tested], 1e-300) / 2)
    p[tested] = np.minimum(measures * share_reaching(draws, z), 1.0)
    return Adjusted(p, *m.interval(one), one)


# ── how small a difference can be seen ───────────────────────────────────────────────────────────────────────────────
def check_difference(difference: float | None) -> None:
    """A difference that matters has a size: a sign, or nothing at all, would be answered with nonsense."""
    if difference is not None and not (math.isfinite(difference) and difference > 0):
        raise InputError(Text(Option("difference", difference), ": name the size of a difference, above 0."))


def margin(df: float, level: float = 0.95, power: float = POWER) -> float:
    """Standard errors that a difference must measure to be found with `power`."""
    from scipy.special import ndtri

    return quantile(level, df) + float(ndtri(power))


def margins(df: Floats, level: float = 0.95, power: float = POWER) -> Floats:
    """`margin` of every number of degrees of freedom."""
    from scipy.special import ndtri

    return quantiles(level, df) + float(ndtri(power))


def units_needed(n: int, detectable: float, difference: float) -> int:
    """How many units find `difference` where `n` find `detectable`: standard errors fall with the root of their number.

    >>> units_needed(50, 0.06, 0.03)
    200
    """
    return math.ceil(n * (detectable / difference) ** 2)


def advice(detectable: float, n: int, difference: float | None) -> str:
    """What could be seen, or how many topics it would take to see `difference`."""
    if math.isnan(detectable):
        return ""
    if difference is None:
        return f"the smallest difference found with 80% power is {detectable:.3f}"
    if detectable <= difference:
        return f"a difference of {difference:g} would have been seen on {counted(n, 'topic')}"
    topics = units_needed(n, detectable, difference)
    return f"a difference of {difference:g} would need about {topics:,} topics instead of {n:,}"
