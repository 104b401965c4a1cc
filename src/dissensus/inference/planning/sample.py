"""The documents to audit, drawn one by one, and with which probability together with an audit made before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dissensus.data.tables.design import Coverage
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
    if not design.given or design.covers.scores or design.chances is not None:
        return out
    names = design.joined.systems
    had = weights.pull > 0 if design.covers.every_pair else np.zeros(len(out), bool)
    for a, b in design.covers.pairs or ():
        if a in names and b in names:
            had |= weights.row(names.index(a)) != weights.row(names.index(b))
    return np.where(had | design.audited, out, 0.0)


def draw(
    design: Design, weights: Weights, pi: Floats, seed: int, covers: Coverage
) -> tuple[pl.DataFrame, pl.DataFrame]:
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
        }
    ).with_columns(**{name: pl.lit(value) for name, value in covers.columns().items()})
    return sample, everyone


def covers_of(design: Design, about: Coverage) -> Coverage:
    """What this plan's sample can tell, together with the audit made before: what either of them could."""
    return about.with_other(design.covers) if design.audited.any() else about
