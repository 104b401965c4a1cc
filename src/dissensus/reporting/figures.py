"""Every chart of a report, and precision–recall curves, as files for a paper, each with a caption.

A caption says what was computed: whose labels, on how many topics and systems, what the intervals are. It is written
into the SVG, and all of them into `captions.md` beside the figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from dissensus.measures.scores import aggregated
from dissensus.reporting.blocks import ChartBlock
from dissensus.reporting.build import Built, build
from dissensus.reporting.charts.system_scores import recall_curve
from dissensus.reporting.charts.theme import Width, save, sized
from dissensus.reporting.score_study import ScoreStudy
from dissensus.reporting.study import ReportedStudy
from dissensus.wording import counted
from dissensus.work.atomic import atomic

DEPTHS = (*range(1, 21), 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000)
LEVELS = tuple(round(r / 10, 1) for r in range(11))
SCHEMA = ["system", "step", "recall", "precision"]


SYSTEMS_DRAWN = 8


@dataclass(frozen=True)
class PaperFigure:
    """A chart, the name of its files, and its caption."""

    name: str
    chart: Any
    caption: str


def figures(built: Built) -> Iterator[PaperFigure]:
    """Everything there is to draw; sections that cannot be computed have no charts."""
    study = built.study
    about = facts(built)
    for section in built.sections:
        for block in section.blocks:
            if isinstance(block, ChartBlock):
                name = f"{section.key}-{block.name}"
                yield PaperFigure(name, block.chart, _joined(block.caption, block.description, about))
    if isinstance(study, ScoreStudy):
        return
    study.progress("precision and recall")
    raw, interpolated = raw_curve(study), interpolated_curve(study)
    order = built.answer.order[:SYSTEMS_DRAWN]
    how = {
        "raw": (raw, "by documents read", "Mean precision against mean recall after 1, 2, … documents."),
        "interpolated": (
            interpolated,
            "interpolated",
            "Mean over topics of the best precision at each recall or above.",
        ),
    }
    which = "" if len(study.systems) <= len(order) else f"The first {len(order)} of {len(study.systems):,} systems."
    for name, (frame, title, text) in how.items():
        chart = recall_curve(frame.filter(frame["system"].is_in(order)), f"Precision and recall, {title}")
        yield PaperFigure(
            f"precision-recall-{name}", chart, _joined(f"Precision and recall, {title}", text, which, about)
        )


def facts(built: Built) -> str:
    """What every caption ends with: whose labels, corrected by what, on how many topics and systems."""
    study = built.study
    systems, topics = len(study.systems), len(study.judge_scores.topics)
    counts = f"{counted(systems, 'system')}, {counted(topics, 'topic')}, seed {study.seed}"
    if isinstance(study, ScoreStudy):
        return f"{study.basis}; {counts}"
    audit = "" if study.audit is None else f", corrected by an audit of {len(study.audit):,} documents where so named"
    return f"Labels of {study.judge_name}{audit}; {counts}"


def _joined(*sentences: str) -> str:
    return " ".join(s if s.endswith((".", "?")) else f"{s}." for s in sentences if s)


def write_figures(
    study: ReportedStudy | ScoreStudy,
    folder: str | Path,
    *,
    formats: Sequence[str] = ("svg", "pdf", "png"),
    width: Width = "column",
) -> list[Path]:
    """Write every chart in every format, sized for a paper, and the captions; returns the files of the charts."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    written, drawn = [], []
    for figure in figures(build(study)):
        study.progress(figure.name)
        chart = sized(figure.chart, width).properties(description=figure.caption)
        written += [save(chart, place / f"{figure.name}.{ending}") for ending in formats]
        drawn.append(figure)
    write_captions(drawn, place)
    study.progress("done")
    return written


def write_captions(figures: Sequence[PaperFigure], place: Path) -> Path:
    """All captions in one file, beside the figures."""
    with atomic(place / "captions.md") as file:
        file.write("\n".join(f"**{f.name}** {f.caption}\n" for f in figures))
    return place / "captions.md"


def raw_curve(study: ReportedStudy) -> pl.DataFrame:
    """Mean precision and mean recall over topics after 1, 2, … k documents, as deep as the longest ranking.

    Table system, step (documents read), recall, precision.
    """
    longest = int(np.diff(study.runs.bounds).max(initial=1))
    depths = [k for k in DEPTHS if k <= longest]
    names = [f"P@{k}" for k in depths] + [f"R@{k}" for k in depths]
    scores = study.score(study.under(study.judge), names)
    rows = []
    for k in depths:
        precision = aggregated(scores.values[f"P@{k}"][0])
        recall = aggregated(scores.values[f"R@{k}"][0])
        rows += [(s, float(k), float(r), float(p)) for s, r, p in zip(scores.systems, recall, precision, strict=True)]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def interpolated_curve(study: ReportedStudy) -> pl.DataFrame:
    """Mean over topics of the best precision at recall r or above (`IPrec@r`); step is r."""
    scores = study.score(study.under(study.judge), [f"IPrec@{r}" for r in LEVELS])
    rows = []
    for r, values in zip(LEVELS, scores.values.values(), strict=True):
        means = aggregated(values[0])
        rows += [(s, r, r, float(p)) for s, p in zip(scores.systems, means, strict=True)]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")
