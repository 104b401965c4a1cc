"""Krippendorff's α from coincidences, for any number of assessors and missing labels; of all topics and of each.

Documents with two labels or more form a coincidence table o_ck = Σ_u n_uc (n_uk − [c=k]) / (n_u − 1); then

    α = 1 − (n − 1) Σ o_ck δ_ck / Σ n_c n_k δ_ck,    n_c = Σ_k o_ck,  n = Σ n_c

with δ = [c ≠ k] (nominal), (c − k)² (interval), (Σ_{g=c}^{k} n_g − (n_c + n_k)/2)² (ordinal).
Krippendorff 2011, Computing Krippendorff's alpha-reliability.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

import numpy as np
from numpy.typing import NDArray

from dissensus.data.tables.judgments import Judgments
from dissensus.judges.agreement.coefficient_interval import Coefficient, Resampling, from_totals
from dissensus.judges.agreement.coefficients import Units
from dissensus.judges.label_table import Labels

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]
Level = Literal["nominal", "ordinal", "interval"]


def coincidences(units: Units) -> tuple[Floats, int]:
    """(clusters × K² coincidences, number of documents with two labels or more)."""
    if "coincidences" in units.made:
        return cast("tuple[Floats, int]", units.made["coincidences"])
    k = units.count.shape[1]
    pairable = units.pairable()
    count = np.ascontiguousarray(pairable.count.T)
    scaled = count / (pairable.size - 1)
    out = np.empty((units.n_clusters, k * k))
    for c in range(k):
        for d in range(k):
            together = scaled[c] * (count[d] - 1.0 if c == d else count[d])
            out[:, c * k + d] = np.bincount(pairable.cluster, together, minlength=units.n_clusters)
    units.made["coincidences"] = out, len(pairable.count)
    return out, len(pairable.count)


def alpha_of(tables: Floats, level: Level) -> Floats:
    """α of each row of flattened coincidence tables; NaN where only one grade is used."""
    k = round(np.sqrt(tables.shape[1]))
    table = tables.reshape(-1, k, k)
    margin = table.sum(axis=2)
    n = margin.sum(axis=1)
    distance = _distance(margin, level)
    observed = (table * distance).sum(axis=(1, 2))
    expected = (margin[:, :, None] * margin[:, None, :] * distance).sum(axis=(1, 2))
    # leaving a cluster out subtracts, which can leave dust where there should be nothing
    usable = expected > 1e-9 * np.maximum(n**2 * distance.max(axis=(1, 2), initial=1e-300), 1e-300)
    ratio = np.divide((n - 1) * observed, expected, out=np.full(len(n), np.nan), where=usable)
    out: Floats = 1 - ratio
    return out


def _distance(margin: Floats, level: Level) -> Floats:
    k = margin.shape[1]
    grade = np.arange(k, dtype=np.float64)
    if level == "nominal":
        return np.broadcast_to(1.0 - np.eye(k), (len(margin), k, k))
    if level == "interval":
        return np.broadcast_to((grade[:, None] - grade[None, :]) ** 2, (len(margin), k, k))
    middle = np.cumsum(margin, axis=1) - margin / 2  # how many labels lie below the middle of each grade
    squared: Floats = (middle[:, :, None] - middle[:, None, :]) ** 2
    return squared


def alpha(units: Units, level: Level, ordered: bool, resampling: Resampling) -> Coefficient:
    """Krippendorff's α with its interval over topics."""
    if level != "nominal" and not ordered:
        return Coefficient(np.nan, undefined="no order")
    parts, n = coincidences(units)
    return from_totals(parts, lambda z: alpha_of(z, level), resampling, n)


def by_topic(judgments: Judgments, counts: Units, table: Labels) -> pl.DataFrame:
    """One row per topic: documents with two labels or more, percent agreement, α (nominal and, if ordered, ordinal)."""
    import polars as pl

    labelled = table.per_item() > 0
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
