"""Cohen's κ of two assessors, and of many (Conger's generalisation), plain or weighted.

    κ = (P_o − P_e) / (1 − P_e),   P_o = Σ_ab n_ab p_ab / Σ n_ab,   P_e = Σ_ab n_ab · p_aᵀ W p_b / Σ n_ab

over pairs of assessors a, b with n_ab shared documents, p_a the assessor's own share of each grade on documents that
somebody else judged too. With two assessors this is Cohen's κ; with many on the same documents it is Conger's (1980).
Sums over pairs become sums over documents (Σ_{b≠a} p_b = Σ_b p_b − p_a), so nothing of size assessors² is built.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.judging.agreement.coefficient_interval import Coefficient, Resampling
from dissensus.judging.agreement.coefficients import agreement_weights
from dissensus.judging.label_table import Labels

PairCounts = tuple[Ints, Ints, Ints]
FEW_ASSESSORS = 500  # up to here every pair of assessors is listed
SHARED = 10  # beyond, only pairs that share this many documents
BLOCK = 4_000_000  # pairs of labels looked at at a time


def kappa(
    table: Labels, cluster: Ints, kind: str, ordered: bool, resampling: Resampling, met: Met | None = None
) -> Coefficient:
    """κ over all pairs of assessors; `cluster` is the topic (or document) of each item, `met` is made from the table
    where it is not given."""
    if kind != "plain" and not ordered:
        return Coefficient(np.nan, undefined="no order")
    met = Met.of(table) if met is None else met
    if not met.n_documents:
        return Coefficient(np.nan, undefined="no pairs")
    observed, expected, slope = met.sums(agreement_weights(table.n_levels, kind))
    number = met.others
    total_o, total_e, total_n = observed.sum(), expected.sum(), number.sum()
    if total_n - total_e <= 1e-12 * total_n:
        return Coefficient(np.nan, n=met.n_documents, undefined="one grade")
    value = 1 - (total_n - total_o) / (total_n - total_e)
    # how κ moves when a cluster's rows get a little more weight
    where = cluster[met.item]
    present = np.bincount(where) > 0
    d_n, d_o, d_e = (np.bincount(where, x)[present] for x in (number, observed, expected + slope))
    influence = -(d_n - d_o) / (total_n - total_e) + (total_n - total_o) * (d_n - d_e) / (total_n - total_e) ** 2
    return resampling.estimate(float(value), value - influence, met.n_documents)


@dataclass(frozen=True, eq=False)
class Met:
    """Labels of documents that have another one, and what their assessors meet there: the same for all weights."""

    n_documents: int
    item: NDArray[np.intp]
    who: NDArray[np.intp]
    level: NDArray[np.intp]
    others: Floats  # labels of the document by others
    given: Floats  # document × grade: how often it was given
    number: NDArray[np.int64]  # labels of each assessor
    share: Floats  # assessor × grade: the assessor's own
    habit: tuple[Floats, ...]  # by grade: what the other assessors of a label's document give it by habit
    habit_sums: Floats  # assessor × grade: the same, summed over the assessor's labels

    @classmethod
    def of(cls, table: Labels) -> Met:
        size = table.per_item()
        rows = table.rows(size[table.item] >= 2)
        k = table.n_levels
        item, who, level = (codes.astype(np.intp) for codes in (rows.item, rows.assessor, rows.level))
        own = np.bincount(who * k + level, minlength=table.n_assessors * k).reshape(-1, k)
        number = own.sum(axis=1)
        share = own / np.maximum(number, 1)[:, None]
        habit = []
        for q in range(k):
            mine = share[:, q].copy().take(who)
            habit.append(np.bincount(item, mine, minlength=table.n_items).take(item) - mine)
        return cls(
            int((size >= 2).sum()),
            item,
            who,
            level,
            rows.per_item().take(item).astype(np.float64) - 1,
            rows.counts().astype(np.float64),
            number,
            share,
            tuple(habit),
            np.stack([np.bincount(who, h, minlength=table.n_assessors) for h in habit], axis=1),
        )

    def sums(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Per label: weighted agreement with the others, the same expected by chance, and how chance agreement moves
        with this label through its assessor's shares."""
        k = len(weights)
        expected, mean_influence = np.zeros(len(self.item)), np.zeros(len(self.share))
        agreeing, influence = (
            np.full(self.given.shape, -1.0),
            np.zeros(self.share.shape),
        )  # by document, by assessor × level
        for q in range(k):
            agreeing += weights[:, q] * self.given[:, q, None]
            chance = self.share @ weights[:, q]
            expected += chance.take(self.who) * self.habit[q]
            influence += weights[:, q] * self.habit_sums[:, q, None]
            mean_influence += chance * self.habit_sums[:, q]
        observed = agreeing.ravel().take(self.item * k + self.level)
        slope = 2 * (influence - mean_influence[:, None]) / np.maximum(self.number, 1)[:, None]
        return observed, expected, slope.ravel().take(self.who * k + self.level)


# ── pair by pair ─────────────────────────────────────────────────────────────────────────────────────────────────────
def label_pairs(table: Labels) -> Iterator[tuple[Ints, Ints]]:
    """Row numbers of every pair of labels of one document (lower assessor first), in blocks."""
    bounds = table.item_bounds()
    size = np.diff(bounds)
    for r in np.flatnonzero(np.bincount(size[size >= 2])):
        left, right = np.triu_indices(int(r), 1)
        start = bounds[:-1][size == r]
        step = max(1, BLOCK // len(left))
        for i in range(0, len(start), step):
            chunk = start[i : i + step, None]
            yield (chunk + left).ravel(), (chunk + right).ravel()


def pair_counts(table: Labels, least: int | None = None) -> PairCounts:
    """(assessor a, assessor b, table of grades a × b) of pairs that share at least `least` documents; without it all
    pairs that share one up to 500 assessors, beyond that those that share 10."""
    k, n = table.n_levels, table.n_assessors
    least = (1 if n <= FEW_ASSESSORS else SHARED) if least is None else least
    pairs, counts = _shared(table)
    kept = pairs[counts >= least]
    cells = np.zeros(len(kept) * k * k, np.int64)
    for left, right in label_pairs(table) if len(kept) else ():
        pair = table.assessor[left].astype(np.int64) * n + table.assessor[right]
        slot = np.minimum(np.searchsorted(kept, pair), len(kept) - 1)
        hit = kept[slot] == pair
        code = (slot * k + table.level[left]) * k + table.level[right]
        cells += np.bincount(code[hit], minlength=len(cells))
    return kept // n, kept % n, cells.reshape(-1, k, k)


def _shared(table: Labels) -> tuple[Ints, Ints]:
    """Pairs of assessors with a document in common, as a · assessors + b in order, and how many they have."""
    n = table.n_assessors
    who = table.assessor.astype(np.int64)
    every = np.zeros(n * n if n <= FEW_ASSESSORS else 0, np.int64)
    pairs, counts = np.empty(0, np.int64), np.empty(0, np.int64)
    waiting: list[Ints] = []
    for left, right in label_pairs(table):
        pair = who[left] * n + who[right]
        if len(every):  # few enough for a place each; sorting takes ten times as long
            every += np.bincount(pair, minlength=len(every))
            continue
        waiting.append(pair)
        if sum(map(len, waiting)) > BLOCK:
            pairs, counts = _merged(pairs, counts, waiting)
            waiting = []
    return (np.flatnonzero(every), every[every > 0]) if len(every) else _merged(pairs, counts, waiting)


def _merged(pairs: Ints, counts: Ints, waiting: list[Ints]) -> tuple[Ints, Ints]:
    """Pairs and how often each was met, with those that wait to be counted."""
    met = np.concatenate([np.empty(0, np.int64), *waiting])
    short = len(met) > 0 and int(met.max()) < 2**32  # half as wide, sorted in half the time
    new = np.sort(met.astype(np.uint32) if short else met).astype(np.int64)
    first = np.flatnonzero(np.r_[True, new[1:] != new[:-1]]) if len(new) else np.empty(0, np.int64)
    found, number = new[first], np.diff(np.r_[first, len(new)])
    if not len(pairs):
        return found, number
    together, where = np.unique(np.r_[pairs, found], return_inverse=True)
    return together, np.bincount(where, np.r_[counts, number], minlength=len(together)).astype(np.int64)


def kappas(cells: NDArray[np.int64], weights: Floats) -> Floats:
    """Cohen's κ of each table of counts; NaN where one grade is all there is."""
    n = cells.sum(axis=(1, 2)).astype(np.float64)
    expected = np.einsum("pi,ij,pj->p", cells.sum(axis=2), weights, cells.sum(axis=1)) / n**2
    observed = (cells * weights).sum(axis=(1, 2)) / n
    out: Floats = np.divide(observed - expected, 1 - expected, out=np.full(len(n), np.nan), where=expected < 1 - 1e-12)
    return out


def pairs_frame(table: Labels, names: tuple[str, ...], ordered: bool, pairs: PairCounts | None = None) -> pl.DataFrame:
    """Pair by pair: documents shared, percent agreement, κ (plain, linear, quadratic), overlap above the bottom."""
    a, b, cells = pair_counts(table) if pairs is None else pairs
    n = cells.sum(axis=(1, 2))
    k = table.n_levels
    either = n - cells[:, 0, 0]
    columns: dict[str, object] = {
        "assessor_a": pl.Series([names[i] for i in a], dtype=pl.String),
        "assessor_b": pl.Series([names[i] for i in b], dtype=pl.String),
        "n": n,
        "percent": np.trace(cells, axis1=1, axis2=2) / np.maximum(n, 1),
    }
    for kind in ("plain", "linear", "quadratic") if ordered else ("plain",):
        columns["kappa" if kind == "plain" else f"kappa_{kind}"] = kappas(cells, agreement_weights(k, kind))
    if ordered:
        both = cells[:, 1:, 1:].sum(axis=(1, 2))
        columns["overlap"] = np.divide(both, either, out=np.full(len(n), np.nan), where=either > 0)
    return pl.DataFrame(columns)
