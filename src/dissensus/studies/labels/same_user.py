"""The same user again, or another: is disagreement between people or within them? (S1 Figs. 2 and 3)"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.judging.label_table import labels
from dissensus.tables.judgments import Judgments
from dissensus.work.seeds import generator


def same_user_again(
    judgments: Judgments, top: object = None, *, samples: int = 1000, seed: int = 0
) -> pl.DataFrame | None:
    """who (self, other), grade, sample, p: P(top | grade) when a repeated label is drawn anew; None without repeats.

    Documents that some assessor judged more than once. "self" compares two different judgments by one assessor,
    "other" one judgment each by two assessors; every sample draws which of the repeated judgments speaks.
    """
    table = labels(judgments)
    item, who = table.item.astype(np.int64), table.assessor.astype(np.int64)
    starts = np.flatnonzero(np.diff(item * (table.n_assessors + 1) + who, prepend=-1))
    sizes = np.diff(np.append(starts, len(item)))
    twice = np.isin(item[starts], item[starts[sizes >= 2]])
    starts, sizes = starts[twice], sizes[twice]
    if not len(starts):
        return None
    best = table.scale.grade(top) - table.scale.low if top is not None else table.n_levels - 1
    names = table.scale.names
    own = sizes >= 2
    _, document = np.unique(item[starts], return_inverse=True)
    rows: list[tuple[str, str, int, float]] = []
    for sample in range(samples):
        rng = generator(seed, 5000, sample)
        one = np.floor(rng.random(len(starts)) * sizes).astype(np.int64)
        again = np.floor(rng.random(len(starts)) * (sizes - 1)).astype(np.int64)
        again += again >= one  # a different one of the assessor's labels
        first = table.level[starts + one]
        second = table.level[np.where(own, starts + again, starts)]
        share = np.bincount(first[own], weights=second[own] == best, minlength=len(names))
        given = np.bincount(first[own], minlength=len(names))
        rows += [("self", names[i], sample, share[i] / given[i]) for i in np.flatnonzero(given)]
        rows += [("other", names[i], sample, p) for i, p in _across(document, first, best, len(names))]
    return pl.DataFrame(rows, schema=["who", "grade", "sample", "p"], orient="row")


def _across(document: NDArray[np.int64], level: NDArray[np.int8], best: int, k: int) -> list[tuple[int, float]]:
    """p(top | grade) between assessors, one label each; every document counts once."""
    n = np.bincount(document * k + level, minlength=(int(document.max()) + 1) * k).reshape(-1, k)
    r = n.sum(axis=1)
    n, r = n[r >= 2], r[r >= 2]
    given = (n / r[:, None]).sum(axis=0)
    others = n[:, [best]] - np.eye(k, dtype=np.int64)[best]
    hits = (n / r[:, None] * others / (r - 1)[:, None]).sum(axis=0)
    return [(int(i), float(hits[i] / given[i])) for i in np.flatnonzero(given)]


def histogram(again: pl.DataFrame, bins: int = 60) -> pl.DataFrame:
    """who, grade, p (middle of the bin), density, mean, sd: `same_user_again` as normalised histograms."""
    low, high = float(again["p"].min()), float(again["p"].max())  # type: ignore[arg-type]
    edges = np.linspace(low, high if high > low else low + 1, bins + 1)
    rows = []
    for (who, grade), part in again.group_by(["who", "grade"], maintain_order=True):
        values = part["p"].to_numpy()
        density, _ = np.histogram(values, edges, density=True)
        for a, b, d in zip(edges[:-1], edges[1:], density, strict=True):
            rows.append((who, grade, (a + b) / 2, float(d), float(values.mean()), float(values.std())))
    return pl.DataFrame(rows, schema=["who", "grade", "p", "density", "mean", "sd"], orient="row")
