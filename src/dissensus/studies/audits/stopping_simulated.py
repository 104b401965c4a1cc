"""Audits in order of simulated judges: how often every kind of set fails, whatever the judge does.

800 documents, two systems, gold values known; the judge is honest, weak, hostile, or nearly always right with rare
errors that all favour one system. Every path has documents of its own, so that no lucky population speaks for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dissensus.errors import InputError
from dissensus.inference.sequential.order import doubt
from dissensus.studies.audits.stopping_paths import Contrast, PathFacts, as_row, follow, summary
from dissensus.work.executor import run_units
from dissensus.work.seeds import block_sizes, generator

if TYPE_CHECKING:
    import polars as pl

DOCUMENTS = 800
BLOCK = 50
# judge: (P(label 1 | relevant), P(label 1 | not relevant)), or the share of documents with an error for the first
JUDGES: dict[str, tuple[float, float] | float] = {
    "honest": (0.85, 0.2),
    "weak": (0.6, 0.4),
    "hostile": (0.2, 0.8),
    "one-sided errors, 0.3 %": 0.003,
    "one-sided errors, 1 %": 0.01,
    "one-sided errors, 3 %": 0.03,
}


def simulated_contrast(judge: str, seed: int, documents: int = DOCUMENTS) -> Contrast:
    """Documents that one or the other system shows, 40 % of them relevant; the first system's a little more often."""
    rng = generator(seed, 0)
    sign = np.where(rng.random(documents) < 0.5, 1.0, -1.0)
    c = sign * rng.choice([1.0, 0.5, 0.25], documents) / documents
    gold = (rng.random(documents) < 0.4 + 0.05 * sign).astype(np.float64)
    how = JUDGES[judge]
    if isinstance(how, tuple):
        label = (rng.random(documents) < np.where(gold > 0, how[0], how[1])).astype(np.int64)
    else:
        label = gold.astype(np.int64)
        able = np.flatnonzero(np.where(sign > 0, gold == 0, gold == 1))  # errors that favour the first system
        wrong = rng.choice(able, max(round(how * documents), 1), replace=False)
        label[wrong] = 1 - label[wrong]
    prior = np.array([0.1, 0.9])
    return Contrast(c, np.abs(c) * doubt(prior)[label], label, prior, gold)


def simulated_table(paths: int = 2000, *, seed: int = 0, executor: Any = None) -> pl.DataFrame:
    """Failures of every kind by simulated judge, over `paths` paths each."""
    import polars as pl

    if paths < 1:
        raise InputError(f"paths={paths}: there must be at least one path.")
    sizes = block_sizes(paths, BLOCK)
    units = [(judge, block, n) for judge in JUDGES for block, n in enumerate(sizes)]
    done = run_units(_simulated, units, seed=seed, shared={"seed": seed}, executor=executor, progress="following")
    facts: dict[str, list[PathFacts]] = {}
    for (judge, _, _), block in zip(units, done, strict=True):
        facts.setdefault(judge, []).extend(PathFacts(*row) for row in block)
    return pl.DataFrame([{"judge": judge, **summary(rows)} for judge, rows in facts.items()])


def _simulated(unit: tuple[str, int, int], *, seed: int, rng: np.random.Generator) -> list[list[Any]]:
    judge, block, n = unit
    out = []
    for i in range(n):
        one = simulated_contrast(judge, 1_000_003 * seed + 1000 * block + i)
        out.append(as_row(follow(one, rng, peek=False)))
    return out
