"""Every chart of a report, and precision–recall curves, as files for a paper, each with a caption.

A caption says what was computed: whose labels, on how many topics and systems, what the intervals are. It is written
into the SVG, and all of them into `captions.md` and `figures.tex` beside the figures. A figure is as wide as was asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from dissensus.errors import visible
from dissensus.measures.scores import aggregated
from dissensus.reporting.blocks import ChartBlock, SystemsBlock
from dissensus.reporting.build import Built, build
from dissensus.reporting.charts.drawing import drawing, points, write_drawing
from dissensus.reporting.charts.system_scores import recall_curve
from dissensus.reporting.charts.theme import COLUMN, Width
from dissensus.reporting.score_study import ScoreStudy
from dissensus.reporting.study import ReportedStudy
from dissensus.reporting.systems_chart import SystemsChart
from dissensus.results import Result, Table
from dissensus.windows.latex import escaped
from dissensus.wording import counted
from dissensus.work.atomic import atomic

DEPTHS = (*range(1, 21), 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000)
LEVELS = tuple(round(r / 10, 1) for r in range(11))
SCHEMA = ["system", "step", "recall", "precision"]


SYSTEMS_DRAWN = 8
SMALL, MEDIUM = 7, 8  # points, the letters of the chart of systems in a column and on a page
FITTING = 15  # systems that a column of paper has room for


@dataclass(frozen=True)
class PaperFigure:
    """A chart, the name of its files, and its caption."""

    name: str
    chart: Any
    caption: str

    def svg(self, width: int) -> str:
        """The figure, so many points wide."""
        if isinstance(self.chart, SystemsChart):
            whole = not left_out(self.chart)
            return self.chart.svg(width, SMALL if width <= COLUMN else MEDIUM, standalone=True, whole=whole)
        return drawing(self.chart, width)


def left_out(chart: SystemsChart) -> str:
    """What a caption says where a column of paper is too short for all systems."""
    every = len(chart.rows) + len(chart.folded)
    return "" if every <= FITTING else f"{len(chart.rows)} of {every:,} systems are drawn."


def figures(built: Built) -> Iterator[PaperFigure]:
    """Everything there is to draw; sections that cannot be computed have no charts."""
    study = built.study
    for section in built.sections:
        for block in section.blocks:
            name = f"{section.key}-{block.name}" if isinstance(block, ChartBlock | SystemsBlock) else ""
            if isinstance(block, SystemsBlock):
                text = _joined(block.caption, left_out(block.chart), facts(built, name))
                yield PaperFigure(name, block.chart, text)
            elif isinstance(block, ChartBlock):
                yield PaperFigure(name, block.chart, _joined(block.caption, block.description, facts(built, name)))
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
    for way, (frame, title, text) in how.items():
        chart = recall_curve(frame.filter(frame["system"].is_in(order)), f"Precision and recall, {title}")
        name, title = f"precision-recall-{way}", f"Precision and recall, {title}"
        yield PaperFigure(name, chart, _joined(title, text, which, facts(built, name)))


def facts(built: Built, figure: str) -> str:
    """What a caption ends with: the labels that this figure rests on, and on how many systems and topics.

    Charts of the outcome rest on corrected scores where there is an audit, those of assessors on all of them, and
    precision and recall on the judge's labels, uncorrected.
    """
    study = built.study
    counts = f"{counted(len(study.systems), 'system')}, {counted(len(study.judge_scores.topics), 'topic')}"
    end = f"{counts}, seed {study.seed}"
    room = figure.partition("-")[0]
    if isinstance(study, ScoreStudy) or room in ("answer", "differences"):
        return f"{built.answer.basis}; {end}"
    everybody = f"Labels of {counted(len(study.judgments.assessors), 'assessor')}"
    everybody += ", uncorrected" if room == "ceiling" else ""
    if room in ("merging", "judges") and study.audit is not None:
        everybody += f", and {counted(len(study.audit), 'expert label')}"
    own = f"Labels of {study.judge_name}"
    if room == "scores" and study.audit is not None:
        return f"{own}, and what {counted(len(study.audit), 'expert label')} make of them; {end}"
    if figure == "judges-bias" and study.audit is not None:
        return f"{own} against {counted(len(study.audit), 'expert label')}; {end}"
    if room == "measures":
        return end
    if room in ("judges", "merging", "ceiling", "weights", "data"):
        return f"{everybody}; {end}"
    return f"{own}, uncorrected; {end}"


def _joined(*sentences: str) -> str:
    return " ".join(s if s.endswith("?") else f"{s.rstrip('.')}." for s in sentences if s)


@dataclass(frozen=True)
class WrittenFigures(Result):
    """The files of figures that were written."""

    files: Sequence[Path]

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        rows = [(path.stem, str(path), path.stat().st_size) for path in self.files]
        frame = pl.DataFrame(rows, schema=["figure", "file", "bytes"], orient="row")
        return {"figures": Table.of(frame, {"figure": "name of the figure", "bytes": "size of the file in bytes"})}


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
    wide = points(width)
    written, drawn = [], []
    for figure in figures(build(study)):
        study.progress(figure.name)
        svg = described(figure.svg(wide), figure.caption)
        written += [write_drawing(svg, place / f"{figure.name}.{ending}", wide) for ending in formats]
        drawn.append(figure)
    write_captions(drawn, place)
    if "pdf" in formats:
        write_latex(drawn, place, wide)
    study.progress("done")
    return written


def described(svg: str, caption: str) -> str:
    """A drawing with its caption inside, for screen readers and for whoever finds the file alone."""
    head = svg.index(">") + 1
    return f"{svg[:head]}<desc>{escape(visible(caption))}</desc>{svg[head:]}"


def write_captions(figures: Sequence[PaperFigure], place: Path) -> Path:
    """All captions in one file, beside the figures."""
    with atomic(place / "captions.md") as file:
        file.write("\n".join(f"**{f.name}** {f.caption}\n" for f in figures))
    return place / "captions.md"


def write_latex(figures: Sequence[PaperFigure], place: Path, width: float) -> Path:
    """`figures.tex`: every figure with its caption and a label, to copy from or to `\\input` whole."""
    kind = "figure" if width <= COLUMN else "figure*"
    parts = [
        f"% {f.name}: \\usepackage{{graphicx}}, and \\graphicspath{{{{FOLDER/}}}} where this is not the paper's own\n"
        f"\\begin{{{kind}}}[tb]\n\\centering\n\\includegraphics{{{f.name}.pdf}}\n"
        f"\\caption{{{escaped(f.caption)}}}\n\\label{{fig:{f.name}}}\n\\end{{{kind}}}\n"
        for f in figures
    ]
    with atomic(place / "figures.tex") as file:
        file.write("\n".join(parts))
    return place / "figures.tex"


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
