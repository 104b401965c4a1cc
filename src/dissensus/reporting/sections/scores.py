"""Scores, naive and corrected, with intervals; and, where it is known, the truth beside them."""

from __future__ import annotations

import numpy as np
import polars as pl

from dissensus.measures.scores import aggregated
from dissensus.reporting.answer import Answer
from dissensus.reporting.blocks import Block, ChartBlock, Paragraph, Section, TableBlock
from dissensus.reporting.charts.system_scores import score_chart
from dissensus.reporting.study import ReportedStudy
from dissensus.results import Table
from dissensus.stats.intervals import mean_intervals

CORRECTED = (
    "Naive scores (the judge's labels, uncorrected), corrected and pooled ones with 95% intervals; gold lower and "
    "gold upper: what the expert labels would say alone"
)
COLUMNS = 12  # assessors side by side


def build(study: ReportedStudy, found: Answer) -> Section:
    """The first measure as a chart, all measures as a table, every assessor's means, and strata of agreement."""
    table = kinds_table(study)
    blocks: list[Block] = []
    if study.corrected is not None:
        why = study.corrected.results[study.measure].why
        blocks.append(Paragraph(f"Naive scores take the judge's word; corrected ones are {why}", "rectified"))
    blocks.append(
        ChartBlock(
            "scores",
            score_chart(table, study.measure, order=found.order),
            f"{study.measure} with 95% intervals",
            f"Points with intervals: {study.measure} of every system, by kind of score, in the verdict's order.",
            "interval",
            TableBlock("scores", table, f"{study.measure} by system and kind", "interval"),
        )
    )
    if study.corrected is not None:
        corrected = Table.of(study.corrected.table, level=study.corrected.level)
        blocks.append(TableBlock("corrected", informative(corrected), CORRECTED, "rectified"))
    by_assessor = Table.of(assessor_table(study), rest="mean score by {name}")
    blocks.append(TableBlock("assessors", by_assessor, "Mean scores by assessor, uncorrected", "score"))
    if study.several:
        blocks += strata(study)
    return Section("scores", "Scores", blocks, line=line(study, found))


def line(study: ReportedStudy, found: Answer) -> str:
    """From which score to which, corrected where that is known, and by the labels as they are."""
    order = found.standings
    naive = aggregated(study.judge_scores.values[study.measure][0]).tolist()
    as_they_are = _span(dict(zip(study.systems, naive, strict=True)))
    if study.corrected is None or order is None:
        return f"{study.measure} {as_they_are}, using the judge's labels, uncorrected."
    if found.shown == "behind":
        return f"{study.measure} {as_they_are}, judge's labels uncorrected; the audit gives differences only."
    kind = "corrected and pooled" if found.shown == "pooled" else "corrected"
    known = dict(zip(order["system"], order["score"], strict=True))
    return f"{study.measure} {_span(known)}, {kind}; {as_they_are}, using the judge's labels, uncorrected."


def _span(scores: dict[str, float]) -> str:
    known = {s: v for s, v in scores.items() if np.isfinite(v)}
    if not known:
        return "unknown"
    low, high = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
    if low == high:
        return f"{known[low]:.3f}"
    return f"from {known[low]:.3f} ({low}) to {known[high]:.3f} ({high})"


def strata(study: ReportedStudy) -> list[Block]:
    """The judge's scores by how far the assessors agree on the topic, and how the order moves with it."""
    found = study.agreement.by_stratum(study.judge_scores, seed=study.seed)
    counts = {r["stratum"]: f"{r['stratum']} ({r['topics']} topics)" for r in found.strata.iter_rows(named=True)}
    table = found.table.drop("assessor").rename(counts)
    caption = f"Mean scores by {study.judge_name}, by agreement of the assessors on the topic, uncorrected"
    described = Table.of(table, rest="mean score on the topics of this stratum: {name}")
    said: list[Block] = [Paragraph(f"{text}.", "strata") for text in found.sentences(study.measure)]
    return [*said, TableBlock("strata", described, caption, "strata")]


def informative(table: Table) -> Table:
    """The table without number columns that are 0 throughout."""
    frame = table.frame
    empty = [c for c, t in frame.schema.items() if t.is_numeric() and bool((frame[c].fill_nan(0) == 0).all())]
    return table.showing(frame.drop(empty))


def kinds_table(study: ReportedStudy) -> pl.DataFrame:
    """Table system, kind, score, low, high for the first measure: naive, corrected, truth."""
    rows: list[tuple[str, str, float, float, float]] = []
    values = study.judge_scores.values[study.measure][0]
    for system, mean, low, high in zip(study.systems, *map(np.ndarray.tolist, mean_intervals(values)), strict=True):
        rows.append((system, "naive", mean, low, high))
    if study.corrected is not None:
        chosen = study.corrected.table.filter(pl.col("measure") == study.measure)
        rows += [(r["system"], "corrected", r["corrected"], r["low"], r["high"]) for r in chosen.iter_rows(named=True)]
    if study.true_scores is not None:
        means = aggregated(study.true_scores.values[study.measure][0])
        rows += [
            (system, "truth", float(m), float(m), float(m))
            for system, m in zip(study.true_scores.systems, means, strict=True)
        ]
    return pl.DataFrame(rows, schema=["system", "kind", "score", "low", "high"], orient="row")


def assessor_table(study: ReportedStudy) -> pl.DataFrame:
    """Mean of every measure for every system, a column for every assessor; of many assessors, a row for each."""
    scores = study.scores
    means = {name: aggregated(values) for name, values in scores.values.items()}
    if len(scores.assessors) <= COLUMNS and not {"measure", "system"} & set(scores.assessors):
        return pl.concat(
            pl.DataFrame({"measure": name, "system": list(scores.systems)}).with_columns(
                pl.Series(a, mean[i]) for i, a in enumerate(scores.assessors)
            )
            for name, mean in means.items()
        )
    return pl.DataFrame(
        {
            "assessor": [a for a in scores.assessors for _ in scores.systems],
            "system": list(scores.systems) * len(scores.assessors),
            **{name: mean.reshape(-1) for name, mean in means.items()},
        }
    )
