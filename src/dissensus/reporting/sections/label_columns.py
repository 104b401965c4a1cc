"""What each column of labels says alone, where labels were put together from several (snippet, page)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from dissensus.inference.comparison.claims import names
from dissensus.measures.evaluate import Collection
from dissensus.measures.measure import Measure
from dissensus.reporting.answer import Answer
from dissensus.reporting.blocks import Block, Paragraph, Section, TableBlock
from dissensus.reporting.study import ReportedStudy

TITLE = "What each column of labels says"


def build(study: ReportedStudy, found: Answer) -> Section:
    """How much the judges agree on each column, and the scores that each ordered column would give alone."""
    columns = [name for name, _ in study.judgments.scale.facets]
    plain = without_gains(study.measures[0])
    text = (
        f"A label is what a judge wrote into {names(columns)} together, and gains say what it is worth. "
        "The tables below take one column at a time."
    )
    blocks: list[Block] = [Paragraph(text, "agreement")]
    if study.several:
        agreed = study.agreement.per_column
        blocks.append(TableBlock("columns", agreed, "How much the judges agree on each column", "agreement"))
    table = scores_by_column(study, plain).sort(pl.col("system").replace_strict(
        list(found.order), range(len(found.order)), default=len(found.order), return_dtype=pl.Int64
    ))  # fmt: skip
    ordered = [name for name in columns if name in table.columns]
    if ordered:
        title = f"Scores by each column alone, using the labels of {study.judge_name} ({plain})"
        blocks.append(TableBlock("column-scores", table, title, "score"))
    if left := [name for name in columns if name not in ordered]:
        blocks.append(Paragraph(f"Labels of {names(left)} have no order, so they give no scores.", kind="quiet"))
    best = {name: table.sort(name, descending=True, nulls_last=True)["system"][0] for name in ordered}
    line = "; ".join(f"{name} alone ranks {system} first" for name, system in best.items())
    return Section("columns", TITLE, blocks, line=line[:1].upper() + line[1:], short="Columns")


def without_gains(measure: Measure) -> Measure:
    """The measure with the gains that it has by itself."""
    changed: Any = measure
    return replace(changed, gains=None) if getattr(measure, "gains", None) is not None else measure


def scores_by_column(study: ReportedStudy, measure: Measure) -> pl.DataFrame:
    """system, the score by the whole label, and one by each column whose labels have an order."""
    means = study.judge_scores.means()[study.measure]
    table = {"system": list(study.systems), "together": means[0].tolist()}
    for name, _ in study.judgments.scale.facets:
        own = study.judge.facet(name)
        if own.scale.ordered:
            scores = study.score(Collection(study.runs, own), [measure])
            one = dict(zip(scores.systems, scores.means()[str(measure)][0].tolist(), strict=True))
            table[name] = [one.get(system) for system in study.systems]
    return pl.DataFrame(table)
