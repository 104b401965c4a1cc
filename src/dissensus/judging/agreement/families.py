"""Judge families: pairs that agree more than their agreement with the others explains.

If assessors err independently given the truth, the correlation of two of them is a product, r_ab = λ_a λ_b: each sees
the truth through its own λ and through nothing else (exact for two grades, close for more). The λ are fitted to all
pairs by least absolute deviations, which a minority of dependent pairs hardly moves. What a pair has on top,

    excess_ab = r_ab − λ_a λ_b,    z_ab = excess_ab · √n_ab / (1 − (λ_a λ_b)²)

is a sign of shared errors: one parent model, one prompt, copied labels. A pair is named where the excess is at least
.1 and z passes Bonferroni's 5 % limit over all pairs; families are the pairs' connected groups. r is the correlation
of threshold indicators (1[label ≥ g]; 1[label = g] where labels have no order) over shared documents.

Dependence that all assessors share equally looks like truth and cannot be seen this way; only gold shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.judging.agreement.cohen import PairCounts, pair_counts
from dissensus.judging.label_table import Labels

EXCESS = 0.1  # correlation on top of what independence explains
SHARED = 30  # documents a pair must share to be looked at
FEWEST = 5  # assessors below which λ cannot be told from dependence
ROUNDS, EDGE = 200, 0.999


@dataclass(frozen=True, eq=False)
class PairExcess:
    """Pairs of assessors with their correlation `r`, what independence explains, `z`, and whether they are `named`."""

    a: Ints
    b: Ints
    n: Ints
    r: Floats
    explained: Floats
    z: Floats
    named: NDArray[np.bool_]

    def families(self) -> list[list[int]]:
        """Assessors joined by named pairs, the largest family first."""
        group: dict[int, int] = {}
        for a, b in zip(self.a[self.named].tolist(), self.b[self.named].tolist(), strict=True):
            one, other = group.setdefault(a, a), group.setdefault(b, b)
            if one != other:
                group = {who: one if g == other else g for who, g in group.items()}
        members = [sorted(w for w, g in group.items() if g == which) for which in set(group.values())]
        return sorted(members, key=lambda m: (-len(m), m))

    def to_frame(self, names: tuple[str, ...]) -> pl.DataFrame:
        """assessor_a, assessor_b, n, correlation, explained, excess, z: the named pairs, the largest excess first."""
        keep = np.flatnonzero(self.named)
        keep = keep[np.argsort(-(self.r - self.explained)[keep], kind="stable")]
        return pl.DataFrame(
            {
                "assessor_a": pl.Series([names[i] for i in self.a[keep]], dtype=pl.String),
                "assessor_b": pl.Series([names[i] for i in self.b[keep]], dtype=pl.String),
                "n": self.n[keep],
                "correlation": self.r[keep],
                "explained": self.explained[keep],
                "excess": (self.r - self.explained)[keep],
                "z": self.z[keep],
            }
        )


def pair_excess(table: Labels, pairs: PairCounts | None = None) -> PairExcess:
    """Every pair of assessors that shares 30 documents or more; none is named where fewer than 5 can be compared."""
    a, b, cells = pair_counts(table, SHARED) if pairs is None else pairs
    n = cells.sum(axis=(1, 2))
    r = correlations(cells, ordered=table.scale.ordered)
    usable = (n >= SHARED) & np.isfinite(r)
    a, b, n, r = a[usable], b[usable], n[usable], r[usable]
    if len(np.unique(np.r_[a, b])) < FEWEST:
        nothing = np.full(len(a), np.nan)
        return PairExcess(a, b, n, r, nothing, nothing, np.zeros(len(a), bool))
    explained = one_factor(a, b, r, n)
    z = (r - explained) * np.sqrt(n) / (1 - explained**2)
    limit = NormalDist().inv_cdf(1 - 0.05 / max(len(a), 1))
    return PairExcess(a, b, n, r, explained, z, (r - explained >= EXCESS) & (z > limit))


def correlations(cells: NDArray[np.int64], *, ordered: bool) -> Floats:
    """Correlation of two assessors' threshold indicators from their tables of counts; NaN where one is constant.

    >>> correlations(np.array([[[40, 10], [10, 40]]]), ordered=True)
    array([0.6])
    """
    k = cells.shape[1]
    n = cells.sum(axis=(1, 2)).astype(np.float64)
    covariance, left, right = np.zeros(len(n)), np.zeros(len(n)), np.zeros(len(n))
    for q in range(1, k) if ordered else range(k):
        of = slice(q, None) if ordered else slice(q, q + 1)
        both, one, other = (
            cells[:, of, of].sum(axis=(1, 2)) / n,
            cells[:, of, :].sum(axis=(1, 2)) / n,
            cells[:, :, of].sum(axis=(1, 2)) / n,
        )
        covariance += both - one * other
        left += one * (1 - one)
        right += other * (1 - other)
    room = np.sqrt(left * right)
    out: Floats = np.divide(covariance, room, out=np.full(len(n), np.nan), where=room > 1e-12)
    return out


def one_factor(a: Ints, b: Ints, r: Floats, n: Ints) -> Floats:
    """λ_a λ_b of every pair: r ≈ λ λ' by least absolute deviations, pairs weighted by √n (reweighted least squares)."""
    who, place = np.unique(np.r_[a, b], return_inverse=True)
    i, j = place[: len(a)], place[len(a) :]
    weight = np.sqrt(n.astype(np.float64))
    total = np.bincount(i, weight * r, len(who)) + np.bincount(j, weight * r, len(who))
    start = total / (np.bincount(i, weight, len(who)) + np.bincount(j, weight, len(who)))
    loading = np.sqrt(np.clip(start, 0.05, EDGE))
    robust = weight
    for _ in range(ROUNDS):
        other_i, other_j = loading[j], loading[i]
        top = np.bincount(i, robust * r * other_i, len(who)) + np.bincount(j, robust * r * other_j, len(who))
        size = np.bincount(i, robust * other_i**2, len(who)) + np.bincount(j, robust * other_j**2, len(who))
        new = np.clip(0.5 * loading + 0.5 * top / np.maximum(size, 1e-12), -EDGE, EDGE)
        moved = float(np.abs(new - loading).max())
        loading = new
        robust = weight / np.maximum(np.abs(r - loading[i] * loading[j]), 0.01)
        if moved < 1e-6:
            break
    explained: Floats = loading[i] * loading[j]
    return explained
