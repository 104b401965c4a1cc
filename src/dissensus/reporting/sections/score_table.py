"""The sections of a report on a table of scores: scores, leaderboards of several judges, measures, data."""

from __future__ import annotations

import numpy as np
import polars as pl

from dissensus.judging.leaderboards import leaderboards as compared
from dissensus.measures.scores import aggregated
from dissensus.reporting.answer import Answer
from dissensus.reporting.blocks import Block, ChartBlock, Paragraph, Section, TableBlock
from dissensus.reporting.charts.system_scores import score_chart, score_kinds
from dissensus.reporting.score_study import ScoreStudy
from dissensus.reporting.sections.data import COUNTS
from dissensus.reporting.sections.measures import OTHER, agreement_of_orders
from dissensus.results import Table
from dissensus.stats.intervals import mean_intervals


def scores(study: ScoreStudy, found: Answer) -> Section:
    """Every system's mean with its interval, and the means by judge and measure."""
    table = _corrected(study) if study.corrected is not None else _as_they_are(study)
    means = {
        m: aggregated(np.asarray(study.scores[m].transpose("assessor", "system", "topic").values))
        for m in study.measures
    }
    everyone = pl.DataFrame(
        {
            "judge": [a for a in study.assessors for _ in study.systems],
            "system": list(study.systems) * len(study.assessors),
            **{m: v.reshape(-1) for m, v in means.items()},
        }
    )
    described = Table.of(everyone, rest="mean score by {name}")
    listed = table if study.gold else table.drop("kind")
    blocks: list[Block] = [
        ChartBlock(
            "scores", score_chart(table, study.measure, order=found.order), f"{study.measure} with 95% intervals",
            f"Points with intervals over topics: {study.measure} of every system, in the order of the verdict.",
            "interval", TableBlock("scores", listed, f"{study.measure} by system", "interval"),
        ),
        TableBlock("means", described, "Mean scores by judge and measure", "score"),
    ]  # fmt: skip
    best, worst = found.order[0], found.order[-1]
    mean = dict(zip(table["system"], table["score"], strict=True))  # the corrected ones come last
    line = f"{study.measure} from {mean[worst]:.3f} ({worst}) to {mean[best]:.3f} ({best})."
    return Section("scores", "Scores", blocks, line=line)


def _as_they_are(study: ScoreStudy) -> pl.DataFrame:
    values = study.judge_scores.values[study.measure][0]
    mean, low, high = mean_intervals(values)
    kind = ["score"] * len(mean)
    return pl.DataFrame({"system": study.systems, "kind": kind, "score": mean, "low": low, "high": high})


def _corrected(study: ScoreStudy) -> pl.DataFrame:
    assert study.corrected is not None
    return score_kinds(study.corrected.table.filter(pl.col("measure") == study.measure), "naive", "corrected")


def leaderboards(study: ScoreStudy) -> Section:
    """How far the leaderboards of several judges agree."""
    title = "Do the leaderboards agree?"
    if len(study.assessors) < 2:
        return Section("leaderboards", title, missing="the table holds one leaderboard.", short="Leaderboards")
    found = compared(study.scores, study.measure, seed=study.seed)
    table = found.to_frame()
    least = table.sort("tau").row(0, named=True)
    line = f"The least alike are {least['a']} and {least['b']}: τ = {least['tau']:.2f}."
    blocks: list[Block] = [
        Paragraph(line, "tau", "answer"),
        TableBlock(
            "pairs",
            found.tables["agreement"],
            f"How far leaderboards in {study.measure} agree, for topics like these",
            "tau",
        ),
    ]
    return Section("leaderboards", title, blocks, line=line, short="Leaderboards")


def measures(study: ScoreStudy) -> Section:
    """How differently the measures order systems."""
    title = "The measures"
    if len(study.measures) < 2 or len(study.systems) < 3:
        return Section(
            "measures", title, missing="there is one measure, or too few systems to order.", short="Measures"
        )
    orders = agreement_of_orders(study)
    alike = [f"{r['other']} (τ = {r['tau']:.2f})" for r in orders.head(3).iter_rows(named=True)]
    line = (
        f"The order by {study.measure} beside that by {', '.join(alike)}."
        if alike
        else f"{len(study.measures)} measures."
    )
    block = TableBlock("tau", orders, "How differently the measures order systems", "tau", meanings=OTHER)
    return Section("measures", title, [block], line=line, short="Measures")


def data(study: ScoreStudy) -> Section:
    """What went in."""
    held = study.judge_scores
    missing = int(np.isnan(held.values[study.measure]).sum())
    rows = [
        ("systems", f"{len(held.systems):,}"), ("topics", f"{len(held.topics):,}"),
        ("judges", f"{len(study.assessors):,}"), ("measures", ", ".join(study.measures)),
        (f"missing scores of {study.measure}", f"{missing:,}"), ("seed", str(study.seed)),
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema=["what", "count"], orient="row")
    told = [*study.scores.attrs.get("notes", ()), *(study.corrected.notes if study.corrected is not None else ())]
    notes = [Paragraph(str(n), kind="quiet") for n in told]
    line = f"{len(held.systems):,} systems on {len(held.topics):,} topics; {missing:,} scores are missing."
    return Section(
        "data",
        "The data",
        [TableBlock("counts", frame, "What went in", meanings=COUNTS), *notes],
        line=line,
        short="Data",
    )
