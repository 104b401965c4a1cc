"""Many generated systems over one pool: a stand-in large enough for correlations between measures to differ from 1.

Systems belong to families that share part of their errors (as runs of one group do) and differ in quality; some are
better at the top, others deeper down, which is what makes measures disagree about them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from dissensus.errors import InputError
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale
from dissensus.work.seeds import generator


@dataclass(frozen=True, eq=False)
class Systems:
    """Runs, and one assessor's judgments ("assessor") on grades 0…2."""

    runs: Runs
    judgments: Judgments


def generated_systems(
    systems: int = 48, *, topics: int = 50, documents: int = 300, depth: int = 100, families: int = 8, seed: int = 0
) -> Systems:
    """`systems` in `families`, each with the first `depth` of the `documents` of every topic.

    >>> made = generated_systems(6, topics=3, documents=30, depth=10, families=2)
    >>> made.runs
    Runs(6 systems, 3 topics, 180 rows)
    """
    if min(systems, topics, documents, depth, families) < 1:
        raise InputError(
            f"generated_systems(systems={systems}, topics={topics}, documents={documents}, depth={depth}, "
            f"families={families}): all must be whole numbers of at least 1."
        )

    rng = generator(seed)
    # few relevant documents, their number differing from topic to topic
    worth = rng.normal(size=(topics, documents)) + rng.normal(-1.3, 0.4, (topics, 1))
    grade = (worth > 0).astype(np.int64) + (worth > 0.9)
    quality = rng.uniform(0.4, 1.2, systems)
    at_top = rng.uniform(-1.2, 1.2, systems)  # above 0: good with highly relevant documents, worse with the others
    family = np.arange(systems) % families
    shared = rng.normal(size=(families, topics, documents))
    own = rng.normal(size=(systems, topics, documents))
    signal = quality[:, None, None] * worth[None] + at_top[:, None, None] * (grade[None] == 2)
    score = signal + 0.6 * shared[family] + 0.8 * own
    s, t, d = np.nonzero(np.argsort(np.argsort(-score, axis=2), axis=2) < depth)
    runs = pl.DataFrame({"s": s, "t": t + 1, "d": d, "score": score[s, t, d]}).select(
        system=pl.format("f{}s{}", pl.Series(family[s] + 1), pl.col("s") + 1),
        topic=pl.col("t").cast(pl.String),
        doc=pl.format("t{}d{}", "t", "d"),
        score="score",
    )
    t, d = (index.ravel() for index in np.indices(grade.shape))
    labels = pl.DataFrame({"t": t + 1, "d": d, "grade": grade.ravel()}).select(
        topic=pl.col("t").cast(pl.String), doc=pl.format("t{}d{}", "t", "d"), grade="grade"
    )
    return Systems(Runs.from_frame(runs), Judgments.from_frame(labels, assessor="assessor", scale=Scale.range(0, 2)))
