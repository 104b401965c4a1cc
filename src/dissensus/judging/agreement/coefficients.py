"""Agreement from counts: percent, overlap, Fleiss' κ with unequal numbers of assessors, Gwet's AC1 and AC2, and
Krippendorff's α for any number of assessors and missing labels; of all topics, of each topic, of each grade.

`Units` is the table behind every coefficient: how many assessors gave each document each level. One row per document
that has a label, never a documents × assessors matrix: a million labels by ten thousand assessors are a table of
200,000 × 5 numbers. With r_iq assessors giving document i the level q, r_i = Σ_q r_iq, and weights w (the identity
unless said):

    P_o = mean over documents with r_i ≥ 2 of Σ_q r_iq (Σ_l w_ql r_il − 1) / (r_i (r_i − 1))
    π_q = mean over documents of r_iq / r_i

    Fleiss  (P_o − Σ π²) / (1 − Σ π²)
    AC1     (P_o − p_e) / (1 − p_e),  p_e = Σ π_q (1 − π_q) / (K − 1)
    AC2     the same with weights,    p_e = Σ_ql w_ql · Σ π_q (1 − π_q) / (K (K − 1))

K counts the grades of the scale, not those seen. Fleiss 1971; Gwet 2014, Handbook of Inter-Rater Reliability, ch. 5.

For α, documents with two labels or more form a coincidence table o_ck = Σ_i r_ic (r_ik − [c=k]) / (r_i − 1); then

    α = 1 − (n − 1) Σ o_ck δ_ck / Σ n_c n_k δ_ck,    n_c = Σ_k o_ck,  n = Σ n_c

with δ = [c ≠ k] (nominal), (c − k)² (interval), (Σ_{g=c}^{k} n_g − (n_c + n_k)/2)² (ordinal).
Krippendorff 2011, Computing Krippendorff's alpha-reliability.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats, Values
from dissensus.judging.agreement.coefficient_interval import Coefficient, Resampling, from_totals, ratio, share
from dissensus.judging.label_table import Labels
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale

Level = Literal["nominal", "ordinal", "interval"]
ROOM, GROUPS = 50_000_000, 1000


@dataclass(frozen=True, eq=False)
class Units:
    """`count[i, q]` assessors gave document i the level q; `cluster[i]` is its topic (or itself, with one topic)."""

    count: Floats
    cluster: NDArray[np.int64]
    n_clusters: int
    kind: str  # "topics", "documents" or "groups of documents": what is resampled
    made: Values = field(default_factory=dict, repr=False)  # what several coefficients are made of, kept

    @cached_property
    def size(self) -> Floats:
        """Labels per document."""
        size = self.count[:, 0].copy() if self.count.shape[1] else np.zeros(len(self.count))
        for q in range(1, self.count.shape[1]):  # column by column: numpy is slow along a short last axis
            size += self.count[:, q]
        return size

    def pairable(self) -> Units:
        """Only documents with two labels or more."""
        keep = self.size >= 2
        return Units(self.count[keep], self.cluster[keep], self.n_clusters, self.kind)

    def totals(self, values: Floats) -> Floats:
        """Sum values (documents × parts) within each cluster: clusters × parts."""
        values = values[:, None] if values.ndim == 1 else values
        columns = [np.bincount(self.cluster, values[:, c], minlength=self.n_clusters) for c in range(values.shape[1])]
        return np.stack(columns, axis=1) if columns else np.zeros((self.n_clusters, 0))


def units(judgments: Judgments, table: Labels) -> Units:
    """The counts of a table of first judgments; with one topic, documents take the place of topics."""
    k = table.n_levels
    count = table.counts().astype(np.float64)
    keep = np.flatnonzero(count.sum(axis=1))
    topic = judgments.item_topic[keep].astype(np.int64)
    present = np.unique(topic)
    if len(present) > 1:
        return Units(count[keep], np.searchsorted(present, topic), len(present), "topics")
    if len(keep) * k * k <= ROOM:
        return Units(count[keep], np.arange(len(keep)), len(keep), "documents")
    # many documents with many grades: a thousand groups of documents say the same in a fraction of the room
    return Units(count[keep], np.arange(len(keep)) % GROUPS, GROUPS, "groups of documents")


def agreement_weights(k: int, kind: str) -> Floats:
    """How much two levels agree: "plain" 1 or 0, "linear" 1 − |i−j|/(K−1), "quadratic" 1 − (i−j)²/(K−1)²."""
    gap = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / max(k - 1, 1)
    if kind == "plain":
        return np.eye(k)
    return np.asarray(1 - gap if kind == "linear" else 1 - gap**2, np.float64)


def _observed(units: Units, kind: str) -> Floats:
    """Per document: share of its pairs of labels that agree (0 for documents with one label)."""
    size = units.size
    weights = agreement_weights(units.count.shape[1], kind)
    agreeing = units.count * ((units.count if kind == "plain" else units.count @ weights) - 1)
    together = agreeing[:, 0].copy()
    for q in range(1, len(weights)):
        together += agreeing[:, q]
    out: Floats = np.divide(together, size * (size - 1), out=np.zeros_like(size), where=size >= 2)
    return out


def _parts(units: Units, kind: str) -> tuple[Floats, int]:
    """Additive parts per cluster: Σ P_o, number of pairable documents, Σ r_iq/r_i by level, number of documents."""
    if kind not in units.made:
        size = units.size
        pairable = size >= 2
        observed = _observed(units, kind)
        if "shares" not in units.made:
            shares: list[Floats] = [units.count[:, q] / size for q in range(units.count.shape[1])]
            columns: list[Floats] = [pairable.astype(np.float64), *shares, np.ones(len(size))]
            units.made["shares"] = np.stack([units.totals(c)[:, 0] for c in columns], axis=1)
        units.made[kind] = np.column_stack([units.totals(observed), units.made["shares"]]), int(pairable.sum())
    parts: tuple[Floats, int] = units.made[kind]
    return parts


def percent(units: Units, resampling: Resampling) -> Coefficient:
    """Share of agreeing pairs of assessors, averaged over documents with two labels or more."""
    parts, n = _parts(units, "plain")
    return share(parts[:, :2], resampling, n, "no pairs")


def overlap(units: Units, threshold: int, resampling: Resampling) -> Coefficient:
    """|A ∩ B| / |A ∪ B| of the documents at `threshold` or above, pooled over pairs of assessors."""
    size = units.size
    above = units.count[:, threshold:].sum(axis=1)
    both = above * (above - 1) / 2
    either = size * (size - 1) / 2 - (size - above) * (size - above - 1) / 2
    parts = units.totals(np.column_stack([both, either]))
    return share(parts, resampling, int((size >= 2).sum()), "grade not given")


def fleiss(units: Units, resampling: Resampling) -> Coefficient:
    """Fleiss' κ, documents with unequal numbers of assessors included."""
    return _chance_corrected(units, "plain", lambda share: (share**2).sum(axis=1), resampling)


def gwet(units: Units, kind: str, ordered: bool, resampling: Resampling) -> Coefficient:
    """Gwet's AC1 (`kind="plain"`) or AC2 (`kind="linear"` or `"quadratic"`)."""
    k = units.count.shape[1]
    if kind != "plain" and not ordered:
        return Coefficient(np.nan, undefined="no order")
    if k < 2:
        return Coefficient(np.nan, undefined="one-grade scale")
    total = agreement_weights(k, kind).sum()
    return _chance_corrected(
        units, kind, lambda share: total * (share * (1 - share)).sum(axis=1) / (k * (k - 1)), resampling
    )


def _chance_corrected(
    units: Units, kind: str, by_chance: Callable[[Floats], Floats], resampling: Resampling
) -> Coefficient:
    """(P_o − p_e) / (1 − p_e), `by_chance` making p_e of the shares π of the levels."""
    parts, n = _parts(units, kind)

    def coefficient(z: Floats) -> Floats:
        expected = by_chance(z[:, 2:-1] / np.where(z[:, -1:] > 0, z[:, -1:], np.nan))
        return ratio(ratio(z[:, 0], z[:, 1]) - expected, 1 - expected)

    return from_totals(parts, coefficient, resampling, n)


def by_grade(counts: Units, scale: Scale, resampling: Resampling) -> pl.DataFrame:
    """One row per grade: labels, and P(another assessor says g | one said g), each pair of labels counting once."""
    size = counts.size
    rows = []
    for q, name in enumerate(scale.names):
        here = counts.count[:, q]
        parts = counts.totals(np.column_stack([here * (here - 1), here * (size - 1)]))
        e = share(parts, resampling, int(parts[:, 1].sum()), "grade not given")
        rows.append((name, int(here.sum()), float(e), e.low, e.high))
    return pl.DataFrame(rows, schema=["grade", "labels", "agreement", "low", "high"], orient="row")


# ── Krippendorff's α ──
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
    out: Floats = 1 - np.divide((n - 1) * observed, expected, out=np.full(len(n), np.nan), where=usable)
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
    labelled = table.per_item() > 0
    topic = judgments.item_topic[labelled].astype(np.int64)
    per_topic = Units(counts.count, topic, len(judgments.topics), "topics")
    parts, _ = _parts(per_topic, "plain")
    tables, _ = coincidences(per_topic)
    columns: dict[str, object] = {
        "topic": pl.Series(judgments.topics, dtype=pl.String),
        "documents": parts[:, 1].astype(np.int64),
        "percent": ratio(parts[:, 0], parts[:, 1]),
        "alpha_nominal": alpha_of(tables, "nominal"),
    }
    if table.scale.ordered:
        columns["alpha_ordinal"] = alpha_of(tables, "ordinal")
    return pl.DataFrame(columns)
