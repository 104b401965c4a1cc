"""How many assessors gave each document each level: the table behind every coefficient of agreement.

One row per document that has a label, never a documents × assessors matrix: a million labels by ten thousand
assessors are a table of 200,000 × 5 numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.data.tables.judgments import Judgments
from dissensus.judges.label_table import Labels

Floats = NDArray[np.float64]
ROOM, GROUPS = 50_000_000, 1000


@dataclass(frozen=True, eq=False)
class Units:
    """`count[i, q]` assessors gave document i the level q; `cluster[i]` is its topic (or itself, with one topic)."""

    count: Floats
    cluster: NDArray[np.int64]
    n_clusters: int
    kind: str  # "topics", "documents" or "groups of documents": what is resampled
    made: dict[str, Any] = field(default_factory=dict, repr=False)  # what several coefficients are made of, kept

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
    flat = np.bincount(table.item.astype(np.int64) * k + table.level, minlength=table.n_items * k)
    count = flat.reshape(table.n_items, k).astype(np.float64)
    keep = np.flatnonzero(count.sum(axis=1))
    topic = judgments.item_topic[keep].astype(np.int64)
    present = np.unique(topic)
    if len(present) > 1:
        return Units(count[keep], np.searchsorted(present, topic), len(present), "topics")
    if len(keep) * k * k <= ROOM:
        return Units(count[keep], np.arange(len(keep)), len(keep), "documents")
    # many documents with many grades: a thousand groups of documents say the same in a fraction of the room
    return Units(count[keep], np.arange(len(keep)) % GROUPS, GROUPS, "groups of documents")
