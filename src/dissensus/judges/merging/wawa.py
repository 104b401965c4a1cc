"""Wawa, worker agreement with aggregate: a majority vote in which each assessor weighs as much as it agrees.

    weight_k = share of k's labels that equal the majority's;    score_d(g) ∝ Σ_k weight_k · 1[k gave d the grade g]

(Appen's formula.) It down-weights random assessors and never turns a vote around. The shares of weight are no
probabilities.
"""

from __future__ import annotations

import numpy as np

from dissensus.judges.label_table import Labels
from dissensus.judges.merging.fit import Fit
from dissensus.judges.merging.voting import Floats, vote_shares


def fit(table: Labels, level: np.ndarray) -> Fit:
    """Weighted vote; `level` is the majority's level of each item (−1 where there is none)."""
    agrees = (level[table.item] == table.level).astype(np.float64)
    number = np.bincount(table.assessor, minlength=table.n_assessors)
    weight = np.bincount(table.assessor, agrees, table.n_assessors) / np.maximum(number, 1)
    return Fit(weighted_shares(table, weight), skill=np.where(number > 0, weight, np.nan))


def weighted_shares(table: Labels, weight: Floats) -> Floats:
    """Vote shares where assessor k has `weight[k]` votes; equal votes where all of a document's assessors weigh 0."""
    k = table.n_levels
    code = table.item.astype(np.int64) * k + table.level
    flat = np.bincount(code, weight[table.assessor], table.n_items * k).reshape(table.n_items, k)
    total = flat.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(flat, total, out=np.zeros_like(flat), where=total > 0)
    silent = (total[:, 0] <= 0) & (np.bincount(table.item, minlength=table.n_items) > 0)
    if silent.any():
        shares[silent] = vote_shares(table)[silent]
    return shares
