"""Agreement topic by topic and grade by grade."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.scale import Scale
from dissensus.judges.agreement.coefficient_interval import Resampling, from_totals
from dissensus.judges.agreement.counts import Units
from dissensus.judges.agreement.krippendorff import alpha_of, coincidences
from dissensus.judges.label_table import Labels

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]


def by_topic(judgments: Judgments, counts: Units, table: Labels) -> pl.DataFrame:
    """One row per topic: documents with two labels or more, percent agreement, α (nominal and, if ordered, ordinal)."""
    import polars as pl

    labelled = np.bincount(table.item, minlength=table.n_items) > 0
    topic = judgments.item_topic[labelled].astype(np.int64)
    per_topic = Units(counts.count, topic, len(judgments.topics), "topics")
    size = counts.size
    pairs = size * (size - 1)
    agree = np.divide((counts.count * (counts.count - 1)).sum(axis=1), pairs, out=np.zeros_like(size), where=pairs > 0)
    n = np.bincount(topic, size >= 2, minlength=len(judgments.topics))
    tables, _ = coincidences(per_topic)
    columns: dict[str, object] = {
        "topic": pl.Series(judgments.topics, dtype=pl.String),
        "documents": n.astype(np.int64),
        "percent": np.divide(np.bincount(topic, agree, minlength=len(n)), n, out=np.full(len(n), np.nan), where=n > 0),
        "alpha_nominal": alpha_of(tables, "nominal"),
    }
    if table.scale.ordered:
        columns["alpha_ordinal"] = alpha_of(tables, "ordinal")
    return pl.DataFrame(columns)


def by_grade(counts: Units, scale: Scale, resampling: Resampling) -> pl.DataFrame:
    """One row per grade: labels, and P(another assessor says g | one said g), each pair of labels counting once."""
    import polars as pl

    size = counts.size
    rows = []
    for q, name in enumerate(scale.names):
        here = counts.count[:, q]
        parts = counts.totals(np.column_stack([here * (here - 1), here * (size - 1)]))
        e = from_totals(
            parts, _share, resampling, int(parts[:, 1].sum()), None if parts[:, 1].any() else "grade not given"
        )
        rows.append((name, int(here.sum()), float(e), e.low, e.high))
    return pl.DataFrame(rows, schema=["grade", "labels", "agreement", "low", "high"], orient="row")


def _share(z: Floats) -> Floats:
    out: Floats = np.divide(z[:, 0], z[:, 1], out=np.full(len(z), np.nan), where=z[:, 1] > 0)
    return out
