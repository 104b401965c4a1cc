"""Precision against recall, raw and interpolated, as tables.

Raw: the mean precision and mean recall over topics after 1, 2, … k documents. Interpolated: the mean over topics of the
best precision at recall r or above, for r = 0, 0.1, … 1 (`IPrec@r`).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from dissensus.report.study import Study, topic_means

DEPTHS = (*range(1, 21), 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000)
LEVELS = tuple(round(r / 10, 1) for r in range(11))
SCHEMA = ["system", "step", "recall", "precision"]


def raw_curve(study: Study) -> pl.DataFrame:
    """Table system, step (documents read), recall, precision; depths beyond the longest ranking are left out."""
    longest = int(np.diff(study.runs.bounds).max(initial=1))
    depths = [k for k in DEPTHS if k <= longest]
    names = [f"P@{k}" for k in depths] + [f"R@{k}" for k in depths]
    scores = study.score(study.under(study.judge), names)
    rows = []
    for k in depths:
        precision = topic_means(scores.values[f"P@{k}"][0])
        recall = topic_means(scores.values[f"R@{k}"][0])
        rows += [(s, float(k), float(r), float(p)) for s, r, p in zip(scores.systems, recall, precision, strict=True)]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def interpolated_curve(study: Study) -> pl.DataFrame:
    """Table system, step (recall level), recall, precision."""
    scores = study.score(study.under(study.judge), [f"IPrec@{r}" for r in LEVELS])
    rows = []
    for r, values in zip(LEVELS, scores.values.values(), strict=True):
        means = topic_means(values[0])
        rows += [(s, r, r, float(p)) for s, p in zip(scores.systems, means, strict=True)]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")
