"""The data: what went in, under which policies, and what is odd about it."""

from __future__ import annotations

import numpy as np
import polars as pl

from dissensus.io.check.api import check_with
from dissensus.io.options import ReadOptions
from dissensus.reporting.blocks import Block, ChartBlock, Paragraph, Section, TableBlock
from dissensus.reporting.charts.judges import label_share_chart
from dissensus.reporting.study import ReportedStudy
from dissensus.wording import counted

COUNTS = {"what": "what is counted", "count": "how many there are"}


def build(study: ReportedStudy) -> Section:
    """Counts, labels by assessor and grade, policies, remarks of the readers and of `check`."""
    shares = label_shares(study)
    blocks: list[Block] = [
        TableBlock("counts", counts(study), "What went in", meanings=COUNTS),
        ChartBlock(
            "labels",
            label_share_chart(shares, list(study.judgments.scale.names)),
            "How often each assessor gives each grade",
            "Stacked bars: the share of each grade among the labels of each assessor.",
            table=TableBlock("labels", shares, "Labels by assessor and grade"),
        ),
        Paragraph("Policies: " + study.judge_scores.attrs["footer"], "policies"),
    ]
    remarks = [*study.runs.notes, *study.judgments.notes, *(study.audit.notes if study.audit else ())]
    blocks += [Paragraph(remark, kind="quiet") for remark in dict.fromkeys(remarks)]
    odd = check_with(study.runs, study.judgments, ReadOptions(), study.joined).to_frame()
    if odd.height:
        blocks.append(TableBlock("oddities", odd, "What is odd about the data"))
    labels, who = counted(len(study.judgments), "label"), counted(len(study.judgments.assessors), "assessor")
    doubtful = odd.filter(odd["severity"] != "note").height
    oddities = (
        f"{doubtful} things look odd" if doubtful > 1 else "one thing looks odd" if doubtful else "nothing looks odd"
    )
    line = f"{labels} of {counted(study.judgments.n_items, 'document')} by {who}; {oddities}."
    return Section("data", "The data", blocks, line=line, short="Data")


def counts(study: ReportedStudy) -> pl.DataFrame:
    """One row per thing counted."""
    judgments = study.judgments
    rows: list[tuple[str, str]] = [
        ("systems", f"{len(study.runs.systems):,}"),
        ("topics with rankings", f"{len(study.runs.topics):,}"),
        ("retrieved documents (rows)", f"{len(study.runs):,}"),
        ("assessors", f"{len(judgments.assessors):,}"),
        ("topics with judgments", f"{len(judgments.topics):,}"),
        ("judged documents", f"{judgments.n_items:,}"),
        ("labels", f"{len(judgments):,}"),
        ("labels below zero (in the pool, unjudged)", f"{int((judgments.grade < 0).sum()):,}"),
        ("repeated labels", f"{judgments.n_repeats():,}"),
        ("scale", str(judgments.scale)),
        ("audited documents", f"{len(study.audit):,}" if study.audit else "no audit"),
        ("seed", str(study.seed)),
    ]
    return pl.DataFrame(rows, schema=["what", "count"], orient="row")


def label_shares(study: ReportedStudy) -> pl.DataFrame:
    """Table assessor, grade, labels, share; assessors beyond thirty are pooled."""
    judgments = study.judgments.judged()
    scale, who = judgments.scale, judgments.assessor
    table = np.zeros((len(judgments.assessors), len(scale)), np.int64)
    np.add.at(table, (who, judgments.grade.astype(np.int64) - scale.low), 1)
    names = list(judgments.assessors)
    if len(names) > 30:
        heavy = np.argsort(-table.sum(axis=1), kind="stable")
        rest = table[heavy[29:]].sum(axis=0, keepdims=True)
        names = [names[i] for i in heavy[:29]] + [f"{len(heavy) - 29} others"]
        table = np.vstack([table[heavy[:29]], rest])
    share = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    return pl.DataFrame(
        {
            "assessor": np.repeat(names, len(scale)),
            "grade": list(scale.names) * len(names),
            "labels": table.reshape(-1),
            "share": share.reshape(-1),
        }
    )
