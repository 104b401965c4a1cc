"""Generated runs and judgments: systems of known quality, assessors of known skill, the truth beside them."""

from __future__ import annotations

import numpy as np

from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs


def judged_runs(
    skills: dict[str, float],
    *,
    systems: int = 12,
    topics: int = 6,
    docs: int = 60,
    relevant: float = 0.25,
    grades: int = 2,
    seed: int = 0,
) -> tuple[Runs, Judgments, Judgments]:
    """(runs, judgments, truth). A skill is the chance to read a document; otherwise a coin is tossed. Skill −1 is
    lazy: everything gets the bottom grade."""
    rng = np.random.default_rng(seed)
    quality = np.linspace(0.2, 2.5, systems)
    run: dict[str, dict[str, dict[str, float]]] = {f"s{s}": {} for s in range(systems)}
    said: dict[str, dict[str, dict[str, int]]] = {who: {} for who in skills}
    truth: dict[str, dict[str, dict[str, int]]] = {"gold": {}}
    for t in range(topics):
        grade = np.where(rng.random(docs) < relevant, rng.integers(1, grades, docs), 0)
        names = [f"d{i}" for i in range(docs)]
        for s in range(systems):
            score = rng.normal(size=docs) + quality[s] * (grade > 0)
            run[f"s{s}"][str(t)] = dict(zip(names, score.tolist(), strict=True))
        truth["gold"][str(t)] = dict(zip(names, grade.tolist(), strict=True))
        for who, skill in skills.items():
            coin = rng.integers(0, grades, docs) if skill >= 0 else np.zeros(docs, int)
            label = np.where(rng.random(docs) < skill, grade, coin)
            said[who][str(t)] = dict(zip(names, label.tolist(), strict=True))
    scale = f"0..{grades - 1}"
    return Runs.from_dict(run), Judgments.from_dict(said, scale=scale), Judgments.from_dict(truth, scale=scale)
