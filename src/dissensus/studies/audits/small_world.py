"""A generated study for trials: systems of different noise, gold grades, and two judges.

>>> given = generated(0, topics=2, documents=5, systems=3)
>>> given.runs.systems, given.judgments.assessors, given.gold
(('s0', 's1', 's2'), ('fair', 'generous', 'gold'), 'gold')
"""

from __future__ import annotations

import numpy as np

from dissensus.arrays import Array
from dissensus.studies.audits.repetitions import ErringJudge, GoldStandard
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.work.seeds import generator


def generated(seed: int, topics: int = 25, documents: int = 40, systems: int = 10) -> GoldStandard:
    """Systems of different noise, gold grades from 0 to 3, and two judges: a fair one, and one that is too generous."""
    rng = generator(seed)
    gold = rng.choice(4, (topics, documents), p=(0.55, 0.2, 0.15, 0.1))
    noise = np.linspace(0.8, 2.2, systems)
    runs = Runs.from_dict(
        {
            f"s{s}": {
                f"t{t}": {f"t{t}d{d}": float(gold[t, d] + rng.normal(0, noise[s])) for d in range(documents)}
                for t in range(topics)
            }
            for s in range(systems)
        }
    )
    fair, kind = ErringJudge(0.85, 0.85), ErringJudge(0.95, 0.6)
    said = {"gold": gold, "fair": _graded(gold, fair, rng), "generous": _graded(gold, kind, rng)}
    judged = {
        who: {f"t{t}": {f"t{t}d{d}": int(g[t, d]) for d in range(documents)} for t in range(topics)}
        for who, g in said.items()
    }
    return GoldStandard(runs, Judgments.from_dict(judged, scale="0..3"), "gold")


def _graded(gold: Array, judge: ErringJudge, rng: np.random.Generator) -> Array:
    """Grades of a judge that calls documents relevant (2 or 3) or not (0 or 1), each with its errors."""
    relevant = judge.labels((gold >= 2).astype(np.int64).ravel(), rng).reshape(gold.shape)
    return np.asarray(2 * relevant + rng.integers(0, 2, gold.shape), np.int64)
