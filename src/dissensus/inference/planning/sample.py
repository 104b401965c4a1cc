"""The documents to audit, drawn one by one, and with which probability together with an audit made before."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from dissensus.inference.correction.design import Design
from dissensus.inference.correction.weights import Floats, Weights
from dissensus.work.seeds import generator

if TYPE_CHECKING:
    import polars as pl


def chance_before(design: Design, weights: Weights) -> Floats:
    """π of every document in the audit made before: 0 where there was none, or where its plan left documents out."""
    if not design.audited.any():
        return np.zeros(len(design.bronze))
    out: Floats = np.nan_to_num(design.everyones_inclusion(weights))
    plans = design.covers.split("; ")
    if not design.given or "scores" in plans:
        return out
    had = weights.pull > 0 if "differences" in plans else np.zeros(len(out), bool)
    names = design.joined.systems
    for i, j in permutations(range(len(names)), 2):
        if f"difference of {names[i]} and {names[j]}" in plans:
            had |= weights.row(i) != weights.row(j)
    return np.where(had | design.audited, out, 0.0)


def draw(design: Design, weights: Weights, pi: Floats, seed: int, covers: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(documents to audit, π of every document); audits made before are in it with joint probabilities."""
    import polars as pl

    drawn = generator(seed).random(len(pi)) < pi
    before = chance_before(design, weights)
    joint = np.minimum(1 - (1 - pi) * (1 - before), 1.0)
    judged = design.bronze < design.n_labels - 1
    ids = np.array(design.joined.judgments.doc_ids(), dtype=object)
    topics = np.array(design.joined.topics, dtype=object)
    scale = design.gold_scale
    everyone = pl.DataFrame(
        {
            "topic": pl.Series(topics[design.topic[judged]], dtype=pl.String),
            "doc": pl.Series(ids[judged], dtype=pl.String),
            "inclusion": joint[judged],
        }
    )
    take = np.flatnonzero(drawn | design.audited)
    grade = [scale.name(int(g) + scale.low) if g >= 0 else None for g in design.gold[take]]
    sample = pl.DataFrame(
        {
            "topic": pl.Series(topics[design.topic[take]], dtype=pl.String),
            "doc": pl.Series(ids[take], dtype=pl.String),
            "grade": pl.Series(grade, dtype=pl.String),
            "inclusion": joint[take],
            "covers": pl.Series([covers] * len(take), dtype=pl.String),
        }
    )
    return sample, everyone


def covers_of(design: Design, about: str) -> str:
    """What this plan's sample can tell, together with the audit made before: what either of them could."""
    before = design.covers.split("; ") if design.audited.any() else []
    return "scores" if not about or "scores" in before else "; ".join(dict.fromkeys((*before, about)))
