"""EM of Dawid and Skene (1979): true grades and every assessor's confusion matrix, estimated together.

    E step   P(g | labels of d) ∝ p_g · Π_k c_k(g, label of k)
    M step   c_k(g, h) ∝ s + Σ_d P(g | d)·1[k gave d the level h],   p_g ∝ s + Σ_d P(g | d)

with soft posteriors and a pseudo-count s in every cell (a cell that reaches zero never recovers); products are kept
from vanishing as in logarithms. It stops when no posterior moves by more than `tol`. The model assumes that assessors
err independently given the truth; judges that share errors make its posteriors far too sure.

With `anchor` it also stops before a grade becomes another one: where, summed over the judges that `anchor` names, the
labels of documents that are believed to be of grade g would most often be another grade than g. From there the model
goes on to explain what the judges share (33 LLM judges: how lenient each is) rather than the grades.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.judging.label_table import Labels
from dissensus.judging.merging.fit import Fit
from dissensus.work.settings import cores

FLOOR = 1e-10  # where there is no smoothing, a count of zero is held here
PARTS = (4, 2, 1)  # ranges of documents, chosen by the data: sums do not depend on the number of threads
ROOM = 5_000_000  # cells of confusion counts beyond which there is one range: each range has counts of its own
SMALL = 50_000  # labels below which threads cost more than they bring


@dataclass(frozen=True, eq=False)
class Sparse:
    """Labels by document as the kernel wants them; a judge is an assessor, or an assessor in one topic."""

    bounds: NDArray[np.int64]
    code: NDArray[np.uint32]
    group: NDArray[np.int32]  # of each item: items of a group share a prior
    n_judges: int
    n_groups: int
    k: int

    @classmethod
    def of(cls, table: Labels, judge: NDArray[np.integer], n_judges: int, group: NDArray[np.integer]) -> Sparse:
        """`judge` per label, `group` per item."""
        return cls(
            bounds=table.item_bounds(),
            code=(judge.astype(np.int64) * table.n_levels + table.level).astype(np.uint32),
            group=np.ascontiguousarray(group, np.int32),
            n_judges=n_judges,
            n_groups=int(group.max(initial=0)) + 1,
            k=table.n_levels,
        )


def fit(
    data: Sparse,
    start: Floats | None,
    *,
    smoothing: float = 0.01,
    tol: float = 1e-3,
    max_rounds: int = 1000,
    threads: int | None = None,
    anchor: NDArray[np.bool_] | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Fit:
    """Iterate from posteriors `start` (M step first), or from honest judges without it: .9 right, flat prior.

    `anchor` says which judges must be right more often than wrong, in sum, about every grade (see the module).
    """
    from dissensus.engine.dawid_skene import believe_for, confuse, count

    believe = believe_for(data.k)
    parts = even_parts(data.bounds, _ranges(data))
    judges = [(data.n_judges * i // len(parts), data.n_judges * (i + 1) // len(parts)) for i in range(len(parts))]
    posterior = np.zeros((len(data.bounds) - 1, data.k)) if start is None else start.astype(np.float64)
    tables = np.zeros((len(parts), data.n_judges * data.k, data.k))
    masses = np.zeros((len(parts), data.n_groups, data.k))
    confusion = honest(data)
    likelihoods: list[float] = []
    change, anchored = np.inf, False
    workers = threads or (cores() if len(data.code) > SMALL else 1)
    with ThreadPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
        each: Callable[..., Iterable[Any]] = map if pool is None else pool.map  # one thread need not be another one

        def e_step(prior: Floats) -> tuple[float, float]:
            def work(p: int) -> tuple[float, float]:
                tables[p] = masses[p] = 0
                found: tuple[float, float] = believe(
                    *parts[p], data.bounds, data.code, confusion, prior, data.group, posterior, tables[p], masses[p]
                )
                return found

            results = list(each(work, range(len(parts))))
            return sum(r[0] for r in results), max(r[1] for r in results)

        def m_step() -> Floats:
            list(each(lambda range_: confuse(*range_, tables, smoothing, FLOOR, confusion), judges))
            return shares(masses.sum(axis=0) + smoothing)

        if start is None:
            e_step(np.full((data.n_groups, data.k), 1 / data.k))
        else:
            for p, part in enumerate(parts):
                count(*part, data.bounds, data.code, data.group, posterior, tables[p], masses[p])
        while len(likelihoods) < max_rounds and change > tol:
            before = None if anchor is None else (posterior.copy(), tables.copy(), masses.copy())
            likelihood, moved = e_step(m_step())
            if before is not None and not keeps_grades(tables, anchor):
                (posterior, tables[:], masses[:]), anchored = before, True
                break
            likelihoods.append(likelihood)
            change = moved
            if progress is not None:
                progress(len(likelihoods), change)
        prior = m_step()
    counts = np.ascontiguousarray(tables.sum(axis=0).reshape(data.n_judges, data.k, data.k).transpose(0, 2, 1))
    return Fit(
        posterior, counts, prior, log_likelihood=tuple(likelihoods), change=float(change),
        converged=bool(change <= tol), rounds=len(likelihoods), anchored=anchored,
    )  # fmt: skip


def keeps_grades(tables: Floats, anchor: NDArray[np.bool_] | None) -> bool:
    """Is every grade the one that its documents were most often given, by the judges that `anchor` names?

    `tables` are expected counts: parts × (judge · k + given level) × true level.
    """
    k = tables.shape[2]
    judges = tables.sum(axis=0).reshape(-1, k, k)
    given = (judges if anchor is None else judges[anchor]).sum(axis=0)
    known = given.sum(axis=0) > 0
    return bool((given.argmax(axis=0) == np.arange(k))[known].all())


def shares(mass: Floats) -> Floats:
    """Rows divided by their sums, never below the floor; rows without mass are flat."""
    total = mass.sum(axis=1, keepdims=True)
    share: Floats = np.divide(mass, total, out=np.full_like(mass, 1 / mass.shape[1]), where=total > 0)
    return np.maximum(share, FLOOR)


def honest(data: Sparse) -> Floats:
    """Confusion of judges right nine times in ten, errors spread evenly."""
    k = data.k
    matrix = np.full((k, k), 0.1 / max(k - 1, 1))
    np.fill_diagonal(matrix, 0.9 if k > 1 else 1.0)
    return np.tile(matrix, (data.n_judges, 1))


def _ranges(data: Sparse) -> int:
    """Into how many ranges documents are cut: counts of more cells than there are labels cost more than they bring."""
    cells = data.n_judges * data.k**2
    if cells > ROOM:
        return PARTS[2]
    return PARTS[0] if PARTS[0] * cells <= len(data.code) else PARTS[1]


def even_parts(bounds: NDArray[np.int64], parts: int = PARTS[0]) -> list[tuple[int, int]]:
    """Ranges of documents with about as many labels each."""
    cuts = np.searchsorted(bounds, np.linspace(0, bounds[-1], parts + 1)[1:-1])
    edges = np.unique(np.r_[0, cuts, len(bounds) - 1])
    return [(int(a), int(b)) for a, b in pairwise(edges)]
