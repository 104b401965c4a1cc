"""A crowd whose truth is known: systems of two kinds, assessors of every sort, one pool judged by all.

Assessors read a document with the chance that is their skill and otherwise toss a coin with a habit: fair, stingy
(nearly nothing is relevant) or generous (nearly everything is). Topics differ in difficulty, so skill varies by topic.
With `shared` above 0, part of the unread documents mislead all assessors: errors are then no longer independent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale

# (how many in a dozen, skill, chance to call an unread document relevant)
SORTS = {
    "good": (3, 0.9, 0.1),
    "fair": (4, 0.65, 0.2),
    "coin": (2, 0.05, 0.5),
    "stingy": (2, 0.25, 0.02),
    "generous": (1, 0.3, 0.9),
}


@dataclass(frozen=True, eq=False)
class Crowd:
    """Two sets of systems, the crowd's judgments, and the truth (assessor "gold")."""

    systems: dict[str, Runs]
    judgments: Judgments
    truth: Judgments


def generated_crowd(
    seed: int = 0,
    *,
    dozens: int = 1,
    topics: int = 10,
    documents: int = 250,
    systems: int = 30,
    relevant: float = 0.06,
    shared: float = 0.0,
) -> Crowd:
    """`dozens` × 12 assessors, binary grades; set "strong" tells relevant documents apart better than set "weak"."""
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    names = [f"{sort}{i + 1}" for sort, (n, _, _) in SORTS.items() for i in range(n * dozens)]
    sorts = [SORTS[name.rstrip("0123456789")] for name in names]
    truth = rng.random((topics, documents)) < relevant * rng.uniform(0.6, 1.4, (topics, 1))
    lure = rng.random((topics, documents)) < 2 * relevant  # what an unread document looks like at first sight
    hard = rng.normal(0, 0.07, (topics, len(names)))
    runs = {}
    for kind, (low, high) in {"strong": (0.8, 2.4), "weak": (0.2, 1.2)}.items():
        quality = np.linspace(low, high, systems)[:, None, None]
        scores = rng.normal(size=(systems, topics, documents)) + quality * truth[None]
        runs[kind] = _runs(scores, kind)
    said = np.empty((len(names), topics, documents), np.int64)
    for k, (_, skill, habit) in enumerate(sorts):
        reads = rng.random((topics, documents)) < np.clip(skill + hard[:, k : k + 1], 0, 1)
        guess = np.where(rng.random((topics, documents)) < shared, lure, rng.random((topics, documents)) < habit)
        said[k] = np.where(reads, truth, guess)
    return Crowd(runs, _judgments(said, names), _judgments(truth[None].astype(np.int64), ["gold"]))


def _runs(scores: np.ndarray[tuple[int, int, int], np.dtype[np.float64]], kind: str) -> Runs:
    s, t, d = (x.ravel() for x in np.indices(scores.shape))
    return Runs.from_frame(
        pl.DataFrame({"s": s, "t": t, "d": d, "score": scores.ravel()}).select(
            system=pl.format(f"{kind}" + "{}", "s"),
            topic=pl.format("t{}", pl.col("t") + 1),
            doc=pl.format("d{}", "d"),
            score="score",
        )
    )


def _judgments(grades: np.ndarray[tuple[int, int, int], np.dtype[np.int64]], names: list[str]) -> Judgments:
    a, t, d = (x.ravel() for x in np.indices(grades.shape))
    frame = pl.DataFrame({"a": a, "t": t, "d": d, "grade": grades.ravel()}).select(
        topic=pl.format("t{}", pl.col("t") + 1),
        doc=pl.format("d{}", "d"),
        assessor=pl.Series(names).gather(a),
        grade="grade",
    )
    return Judgments.from_frame(frame, scale=Scale.range(0, 1))
