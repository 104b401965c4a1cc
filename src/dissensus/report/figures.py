"""Every chart of a report, and precision–recall curves, as files for a paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dissensus.report.blocks import ChartBlock
from dissensus.report.build import sections
from dissensus.report.charts.curves import recall_curve
from dissensus.report.charts.theme import Width, save, sized
from dissensus.report.outcome import outcome
from dissensus.report.recall import interpolated_curve, raw_curve
from dissensus.report.study import Study

SYSTEMS_DRAWN = 8


def charts(study: Study) -> Iterator[tuple[str, Any]]:
    """(name, chart) of everything there is to draw; sections that cannot be computed have no charts."""
    for section in sections(study):
        for block in section.blocks:
            if isinstance(block, ChartBlock):
                yield f"{section.key}-{block.name}", block.chart
    study.progress("precision and recall")
    raw, interpolated = raw_curve(study), interpolated_curve(study)
    order = outcome(study).order[:SYSTEMS_DRAWN]
    for name, frame, title in (("raw", raw, "by documents read"), ("interpolated", interpolated, "interpolated")):
        shown = frame.filter(frame["system"].is_in(order))
        yield f"precision-recall-{name}", recall_curve(shown, f"Precision and recall, {title}")


def write_figures(
    study: Study, folder: str | Path, *, formats: Sequence[str] = ("svg", "pdf", "png"), width: Width = "column"
) -> list[Path]:
    """Write every chart in every format, sized for a paper; returns the files."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    written = []
    for name, chart in charts(study):
        study.progress(name)
        for ending in formats:
            written.append(save(sized(chart, width), place / f"{name}.{ending}"))
    study.progress("done")
    return written
