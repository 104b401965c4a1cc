"""The ceiling: how well a ranker that is perfect for one judge does by another, and how near the systems are."""

from __future__ import annotations

import numpy as np
import polars as pl

from dissensus.inference.ceiling.api import Ceiling, ceiling
from dissensus.measures.measure import Measure, Ratio
from dissensus.measures.scores import aggregated
from dissensus.reporting.blocks import Block, ChartBlock, Paragraph, Section, TableBlock
from dissensus.reporting.charts.system_scores import ceiling_chart
from dissensus.reporting.study import ReportedStudy

TITLE = "The ceiling"
SHARE = {"share": "score as a share of the ceiling"}


def build(study: ReportedStudy) -> Section:
    """Ceiling of the first measure that has an exact one, and every system's share of it."""
    if not study.several:
        return Section("ceiling", TITLE, missing="one assessor cannot disagree; give judgments by two or more.")
    measure = next((m for m in study.measures if isinstance(m, Ratio)), None)
    if measure is None:
        names = ", ".join(str(m) for m in study.measures)
        return Section("ceiling", TITLE, missing=f"{names}: none has a weight per rank; add nDCG@10 or P@10.")
    top = ceiling(study.judgments, measures=measure)
    shares = share_table(study, measure, top)
    best = shares.row(0, named=True)
    above = (
        " More than 100 %: a ranking need not follow one judge, and what several agree on scores higher by each."
        if best["share"] > 1
        else ""
    )
    blocks: list[Block] = [
        Paragraph(
            f"A ranking that is perfect for one assessor scores {top.mean:.3f} in {measure} by another, on average. "
            f"The best system here, {best['system']}, reaches {best['score']:.3f}, {best['share']:.0%} of that.{above}",
            "ceiling",
            "answer",
        ),
        ChartBlock(
            "shares", ceiling_chart(shares, top.mean, str(measure)), f"{measure} of every system beside the ceiling",
            f"Bars: mean {measure} of each system over assessors; the dashed line is the ceiling, {top.mean:.3f}.",
            "ceiling", TableBlock("shares", shares, "Share of the ceiling", "ceiling", meanings=SHARE),
        ),
        *(Paragraph(note, kind="quiet") for note in top.notes),
    ]  # fmt: skip
    line = (
        f"{best['system']} reaches {best['share']:.0%} of {top.mean:.3f}, what a ranking that is perfect for one "
        f"assessor scores by another in {measure}."
    )
    return Section("ceiling", TITLE, blocks, line=line, short="Ceiling")


def share_table(study: ReportedStudy, measure: Measure, top: Ceiling) -> pl.DataFrame:
    """Scores on judged documents only (condensed), averaged over assessors, as shares of the ceiling; best first."""
    scores = study.collection.score(measure, unjudged="condense")
    means = np.nanmean(aggregated(scores.values[str(measure)]), axis=0)
    frame = pl.DataFrame({"system": list(scores.systems), "score": means, "share": means / top.mean})
    return frame.sort("score", descending=True, nulls_last=True)
