"""The effective number of independent assessors: J_eff = K / (1 + (K − 1) ρ̄).

Ten judges that err together are worth hardly more than one. ρ̄ is the mean correlation between two assessors' labels of
one document *given the truth*: within documents of one gold grade, after each assessor's own mean is taken out, what
is left should be uncorrelated if errors are independent, as Dawid and Skene's EM assumes. A label is represented by
what it says at each threshold (1[label ≥ g] for every grade g above the bottom; 1[label = g] where labels have no
order), so that no distances between grades are assumed. K is the mean number of labels per document.

Without gold, documents are grouped by the majority of the *other* labels; that is an approximation and is marked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.judges.label_table import Labels

Floats = NDArray[np.float64]
FEWEST = 10  # labels an assessor needs to enter


@dataclass(frozen=True)
class Effective:
    """`.number` independent assessors are worth as much as the `.assessors` (labels per document) there are."""

    number: float
    assessors: float
    correlation: float
    given: str  # "gold" or "the consensus of the others"

    def __float__(self) -> float:
        return self.number

    def __str__(self) -> str:
        if np.isnan(self.number):
            return "effective number of assessors: undefined (too few documents with several labels)"
        below = ", counted as 0" if self.correlation < 0 else ""
        return (
            f"effective number of assessors: {self.number:.1f} of {self.assessors:.1f} per document "
            f"(mean correlation {self.correlation:.2f} given {self.given}{below})"
        )


def effective_number(table: Labels, gold: NDArray[np.integer] | None = None) -> Effective:
    """J_eff of a table of first judgments; `gold` holds a level per item, −1 where there is none."""
    size = np.bincount(table.item, minlength=table.n_items)
    if gold is None:
        usable = size[table.item] >= 3  # a label, and two others to agree on something
        rows = table.rows(usable)
        group = _majority_of_others(rows)
    else:
        usable = (gold[table.item] >= 0) & (size[table.item] >= 2)
        rows = table.rows(usable)
        group = np.asarray(gold, np.int64)[rows.item]
    per_assessor = np.bincount(rows.assessor, minlength=table.n_assessors)
    keep = per_assessor[rows.assessor] >= FEWEST
    rows, group = rows.rows(keep), group[keep]
    given = "gold" if gold is not None else "the consensus of the others"
    labels_per_item = np.bincount(rows.item, minlength=table.n_items)
    labels_per_item = labels_per_item[labels_per_item >= 2]
    if not len(labels_per_item):
        return Effective(np.nan, np.nan, np.nan, given)
    rho = _mean_correlation(rows, group)
    k = float(labels_per_item.mean())
    # a negative mean correlation cannot make more judges out of those there are
    return Effective(k / (1 + (k - 1) * max(rho, 0.0)), k, rho, given)


def _mean_correlation(rows: Labels, group: NDArray[np.int64]) -> float:
    """Σ over pairs of labels of one document of the product of standardised residuals, per pair."""
    k = rows.n_levels
    cell = rows.assessor.astype(np.int64) * (int(group.max()) + 1) + group
    cells = np.unique(cell, return_inverse=True)[1]
    in_cell = np.bincount(cells)
    ordered = rows.scale.ordered
    residuals = []
    for q in range(1, k) if ordered else range(k):
        says = (rows.level >= q if ordered else rows.level == q).astype(np.float64)
        residuals.append(says - (np.bincount(cells, says) / in_cell)[cells])
    variance = sum(np.bincount(rows.assessor, r**2, minlength=rows.n_assessors) for r in residuals)
    number = np.bincount(rows.assessor, minlength=rows.n_assessors)
    sd = np.sqrt(np.asarray(variance) / np.maximum(number, 1))
    varies = sd[rows.assessor] > 1e-12
    item, scale = rows.item[varies], sd[rows.assessor[varies]]
    per_item = np.bincount(item, minlength=rows.n_items).astype(np.float64)
    together = np.zeros(rows.n_items)
    for r in residuals:
        z = r[varies] / scale
        together += np.bincount(item, z, minlength=rows.n_items) ** 2
        together -= np.bincount(item, z**2, minlength=rows.n_items)
    pairs = (per_item * (per_item - 1)).sum()
    return float(together.sum() / pairs) if pairs else np.nan


def _majority_of_others(rows: Labels) -> NDArray[np.int64]:
    """For each label, the grade most of the document's other labels have (the lower one in a tie)."""
    k = rows.n_levels
    best = np.full(len(rows), -1.0)
    group = np.zeros(len(rows), np.int64)
    for q in range(k):
        given = np.bincount(rows.item[rows.level == q], minlength=rows.n_items)[rows.item] - (rows.level == q)
        group[given > best] = q
        best = np.maximum(best, given)
    return group
