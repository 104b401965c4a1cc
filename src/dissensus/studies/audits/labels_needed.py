"""Is a difference found as often as was asked for, with the number of labels that `plan` names?

Two systems of ten documents each, five shared (`corrected_coverage`); a judge that leaves the doubt that is assumed
before anything was audited (Se = Sp = 0.8: sd 0.4). Each repetition draws topics, gold and bronze labels, asks
`labels_needed` for the true difference, draws an audit of that size, and tests the corrected difference.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
import polars as pl

from dissensus.inference.correction.design import Design, lay_out
from dissensus.inference.correction.rectified import rectified_estimate
from dissensus.inference.correction.weights import weights_of
from dissensus.inference.planning.prospect import labels_needed, outlook
from dissensus.measures.families.precision import P
from dissensus.studies.audits.corrected_coverage import ALONE, SHARED, CoverageSetting, draw, judge
from dissensus.studies.audits.repetitions import repeated
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

#: topics, true difference, power asked for
QUESTIONS = ((30, 0.15, 0.8), (50, 0.12, 0.8), (50, 0.10, 0.8), (100, 0.08, 0.8), (50, 0.12, 0.9))
BLOCK = 50


@lru_cache(maxsize=4)
def collection(topics: int) -> Design:
    """The rankings of `corrected_coverage.layout`, with any labels."""
    names = [f"d{i:02d}" for i in range(2 * ALONE + SHARED)]
    shown = {"a": names[: ALONE + SHARED], "b": names[ALONE:]}
    queries = [f"q{t:04d}" for t in range(topics)]
    runs = {s: {q: {d: -float(i) for i, d in enumerate(docs)} for q in queries} for s, docs in shown.items()}
    labels = {q: {d: i % 2 for i, d in enumerate(names)} for q in queries}
    return lay_out(Runs.from_dict(runs), Judgments.from_dict({"judge": labels}), None)


def block(unit: tuple[int, float, float, int], rng: np.random.Generator) -> list[tuple[float, float]]:
    """(labels named, was the difference found) of some repetitions; NaN where no audit can settle it."""
    topics, gap, power, repetitions = unit
    base, measure = collection(topics), P(cutoff=ALONE + SHARED)
    setting = CoverageSetting(topics=topics, sensitivity=0.8, specificity=0.8)
    out = []
    for _ in range(repetitions):
        made = draw(setting, gap, rng)
        joined = base.joined.with_labels(made.bronze.astype(np.int8)[:, None], ["judge"])
        design = replace(base, joined=joined, bronze=made.bronze)
        labels = labels_needed(measure, design, (0, 1), gap, power=power).labels
        if not math.isfinite(labels):
            out.append((math.nan, math.nan))
            continue
        pi = outlook(measure, design, 0).chances("scores", None, 100.0).at(labels)
        gold = np.where(rng.random(len(pi)) < pi, made.gold, -1)
        audited = replace(design, gold=gold, inclusion=pi, chances=pi, given=True)
        weights = weights_of(measure, joined, design.gold_scale)
        given = audited.labels(*audited.values_of(measure))
        estimate = rectified_estimate(weights, given, audited.everyones_inclusion(weights))
        out.append((labels, float(judge(estimate, gap)[3])))
    return out


def power_table(
    repetitions: int,
    seed: int = 0,
    *,
    questions: tuple[tuple[int, float, float], ...] = QUESTIONS,
    executor: object = None,
) -> pl.DataFrame:
    """One row per question: topics, difference, the power asked for, the labels named, the power found."""
    done = repeated(block, questions, repetitions, BLOCK, seed=seed, executor=executor, progress="asking for labels")
    rows = []
    for topics, gap, power in questions:
        found = np.array([row for rows in done[topics, gap, power] for row in rows])
        known = found[np.isfinite(found[:, 0])]
        share = float(known[:, 1].mean()) if len(known) else math.nan
        rows.append(
            {
                "topics": topics,
                "difference": gap,
                "asked": power,
                "labels": float(known[:, 0].mean()) if len(known) else math.nan,
                "power": share,
                "mc_error": math.sqrt(share * (1 - share) / max(len(known), 1)),
                "no audit can settle it": 1 - len(known) / len(found),
                "repetitions": len(found),
            }
        )
    return pl.DataFrame(rows)
