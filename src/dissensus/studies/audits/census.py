"""The census check: how much does a measure of labels drawn from the model of gold grades differ from the truth?

The chances (`inference.ndcg.chances`) are fitted to *all* gold labels, grades of all documents are drawn from them, and
the measure is taken of every draw. Nothing was left unaudited, so what differs from the truth is the model's fault: how
loosely it ties grades to the order within a topic.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from dissensus.inference.correction.design import lay_out
from dissensus.inference.correction.estimate import naive
from dissensus.inference.ndcg.chances import DrawnGrades, climb
from dissensus.inference.ndcg.scores import pool_of
from dissensus.tables.audit import Audit
from dissensus.work.seeds import generator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dissensus.measures.measure import Measure
    from dissensus.studies.audits.repetitions import GoldStandard

DRAWS = 20


def census_table(
    given: GoldStandard, measures: Iterable[Measure], judges: tuple[str, ...] = (), seed: int = 0
) -> pl.DataFrame:
    """judge, measure, truth and model: means over systems; off: the mean of their difference."""
    rows = []
    gold = given.alone(given.gold)
    for judge in given.others(judges):
        design = lay_out(given.runs, given.alone(judge), Audit(gold, np.ones(len(gold))))
        topics = list(design.joined.topics)
        right = lay_out(given.runs, gold.select(topics=topics), None)
        joined = replace(design.joined, scale=design.gold_scale)
        for m in measures:
            pool = pool_of(m, design)
            drawn = DrawnGrades.of(climb(pool), generator(seed, 0), DRAWS)
            at_least = drawn.at_least(slice(None), pool.topic)
            luck = generator(seed, 1).random(at_least.shape[1:])
            labels = ((luck < at_least).sum(axis=0) + design.gold_scale.low).astype(np.int8)
            model = np.nanmean(m.scores(joined.with_labels(labels)), axis=(0, 2))
            truth = np.nanmean(naive(m, right), axis=1)
            rows.append((judge, str(m), float(truth.mean()), float(model.mean()), float((model - truth).mean())))
    return pl.DataFrame(rows, schema=["judge", "measure", "truth", "model", "off"], orient="row")
