"""How sure a mean ceiling is: over other topics, and over the labels its matrix was learned from.

With a given matrix the topics alone are a sample: Student's interval of their mean. With a matrix estimated from the
same judgments, whole groups of topics are left out in turn, matrix and mean computed anew (jackknife): the spread of
the pseudo-values G·θ − (G−1)·θ₍₋g₎ carries both uncertainties.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import DissensusError
from dissensus.inference.ceiling.api import Ceiling, ceiling
from dissensus.measures.catalog import measure
from dissensus.tables.judgments import Judgments

GROUPS = 20


def ceiling_interval(
    result: Ceiling, judgments: Judgments | None = None, *, level: float = 0.95, groups: int = GROUPS
) -> pl.DataFrame:
    """Polars frame assessor, ceiling, low, high, topics; the interval's ends are NaN with fewer than two topics.

    Where the measure lies in [0, 1], so does the interval: its ends are cut there.

    `judgments` are those the ceiling was computed from; they are needed where its matrix was estimated from them.
    Simulated ceilings, and estimated ones without judgments, are given the spread over topics alone.

    >>> topics = {1: [1, 0], 2: [1, 0, 0], 3: [1, 1, 0], 4: [1, 0, 0, 0]}
    >>> row = ceiling_interval(ceiling(topics, [[0.9, 0.1], [0.1, 0.9]], "P@1")).row(0, named=True)
    >>> f"{row['ceiling']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
    '0.873 [0.757, 0.989]'
    """
    who = tuple(dict.fromkeys(result.assessor))
    spread = {a: _over_topics(result, a, level) for a in who}
    if result.estimated and judgments is not None and result.method != "simulate":
        spread |= _jackknife(result, judgments, who, level, groups)
    if measure(result.measure).bounded:
        spread = {a: (_inside(low), _inside(high), n) for a, (low, high, n) in spread.items()}
    means = result.per_assessor
    rows = [(a, means[a], *spread[a]) for a in who]
    return pl.DataFrame(rows, schema=["assessor", "ceiling", "low", "high", "topics"], orient="row")


def _over_topics(result: Ceiling, assessor: str, level: float) -> tuple[float, float, int]:
    values = np.array([s for a, s in zip(result.assessor, result.score, strict=True) if a == assessor])
    values = values[~np.isnan(values)]
    n = len(values)
    if n < 2:
        return math.nan, math.nan, n
    return (*_student(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n), n, level), n)


def _jackknife(
    result: Ceiling, judgments: Judgments, who: tuple[str, ...], level: float, groups: int
) -> dict[str, tuple[float, float, int]]:
    """Intervals of the assessors whose ceiling is defined whichever group is left out."""
    topics = judgments.topics
    used = min(groups, len(topics))
    if used < 2:
        return {}
    left_out: dict[str, list[float]] = {a: [] for a in who}
    only = who[0] if len(who) == 1 else None
    for g in range(used):
        rest = judgments.select(topics=[t for i, t in enumerate(topics) if i % used != g])
        try:
            part = ceiling(rest, None, result.measure, result.method, order=result.order, assessor=only).per_assessor
        except DissensusError:  # without these topics some grade has no row: no jackknife
            return {}
        for a in who:
            left_out[a].append(part.get(a, math.nan))
    out: dict[str, tuple[float, float, int]] = {}
    means = result.per_assessor
    for a in who:
        values: NDArray[np.float64] = np.array(left_out[a])
        if np.isnan(values).any():
            continue
        pseudo = used * means[a] - (used - 1) * values
        n = sum(1 for b, s in zip(result.assessor, result.score, strict=True) if b == a and not np.isnan(s))
        out[a] = (*_student(means[a], float(pseudo.std(ddof=1)) / math.sqrt(used), used, level), n)
    return out


def _inside(end: float) -> float:
    return end if math.isnan(end) else min(max(end, 0.0), 1.0)


def _student(mean: float, se: float, n: int, level: float) -> tuple[float, float]:
    from scipy.special import stdtrit

    half_width = float(stdtrit(n - 1, 0.5 + level / 2)) * se
    return mean - half_width, mean + half_width
