"""Judges who give scores instead of grades: ratings from 0 to 1, log-odds, probabilities.

The scores are kept as read. As labels they need classes: quantile bins for the correction of judge error, where only
the order of the classes matters (10 for each judge, equal scores together), or grades cut at thresholds for scores of
systems as the judge sees them.

    >>> grades, scale = cut([0.1, 0.7, 0.5], (0.5,))
    >>> grades.tolist(), str(scale)
    ([0, 1, 1], '0…1')
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from dissensus.tables.grades import MANY
from dissensus.tables.scale import Scale

BINS = 10


def classes_of(
    labels: pl.Series, judge: NDArray[np.integer], thresholds: Sequence[float] | None
) -> tuple[NDArray[np.float64], NDArray[np.int8], Scale] | None:
    """(the scores, their classes, the scale of these); None where the column holds grades."""
    scores = scores_of(labels)
    if scores is None or np.isnan(scores).any() or not (thresholds or are_scores(scores)):
        return None
    return scores, *(cut(scores, thresholds) if thresholds else binned(scores, judge))


def scores_of(labels: pl.Series) -> NDArray[np.float64] | None:
    """The numbers in a column, where it holds nothing else; missing values are NaN."""
    if labels.dtype == pl.Boolean or labels.dtype == pl.Object:
        return None
    text = labels.cast(pl.String).str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False)
    if (numbers.is_null() & ~(text.is_null() | (text == ""))).any() or (numbers.is_infinite()).any():
        return None
    return numbers.to_numpy().astype(np.float64)


def are_scores(values: NDArray[np.float64]) -> bool:
    """Are these a judge's scores, rather than grades among which a fraction is a slip?"""
    known = values[~np.isnan(values)]
    return len(np.unique(known[known != np.floor(known)])) >= MANY


def cut(values: ArrayLike, thresholds: Sequence[float]) -> tuple[NDArray[np.int8], Scale]:
    """Grades: how many of the thresholds a score reaches."""
    grades = np.searchsorted(np.sort(thresholds), np.asarray(values, np.float64), side="right").astype(np.int8)
    return grades, Scale.range(0, len(thresholds))


def binned(values: NDArray[np.float64], judge: NDArray[np.integer]) -> tuple[NDArray[np.int8], Scale]:
    """Quantile bins of each judge's scores, 0 the lowest; equal scores share a bin."""
    grades = np.zeros(len(values), np.int8)
    for one in np.unique(judge):
        mine = np.flatnonzero(judge == one)
        _, place, count = np.unique(values[mine], return_inverse=True, return_counts=True)
        middle = (np.cumsum(count) - count / 2) / len(mine)
        grades[mine] = np.minimum((middle * BINS).astype(np.int8), BINS - 1)[place]
    names = tuple(f"bin {i + 1} of {BINS}" for i in range(BINS))
    return grades, Scale(names, binned=True)
