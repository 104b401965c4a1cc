"""`dissensus compare --anytime`: labels of a committed order, looked at after every one of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from dissensus.errors import InputError
from dissensus.inference.sequential.api import sequential
from dissensus.reporting.charts.correction import shrinking_chart
from dissensus.tables.audit import Audit

if TYPE_CHECKING:
    from dissensus.cli.inputs.options import ChartOutput
    from dissensus.inference.sequential.result import SequentialResult
    from dissensus.tables.judgments import Judgments
    from dissensus.tables.runs import Runs


def show(
    runs: Runs,
    bronze: Judgments,
    audit: Any,
    measures: list[str],
    *,
    margin: float | None,
    level: float,
    notes: list[str],
    shown: ChartOutput,
) -> None:
    """Print, write or draw what `ds.sequential` says."""
    if not isinstance(audit, Audit):
        raise InputError(
            "--anytime needs --audit, labels that were given in a committed order.",
            "Plan one: dissensus plan … --order --sample order.csv, and grade it from the top.",
        )
    if len(measures) != 1:
        raise InputError(f"--anytime follows one measure, not {len(measures)}.", "Name one with -m.")
    result = sequential(runs, bronze, audit, measures[0], level=level, margin=margin)
    if shown.plot is not None:
        _draw(result, shown.plot)
    shown.show(replace(result, notes=(*result.notes, *notes)))


def _draw(result: SequentialResult, plot: Path) -> None:
    from dissensus.cli.terminal.files import draw

    pairs = result.table.select("a", "b").unique(maintain_order=True)
    if pairs.height > 1:
        raise InputError("a chart of labels shows one pair of systems.", "Give the runs of two systems.")
    name = pl.format("{} − {}", "a", "b")
    draw(shrinking_chart(result.table.with_columns(path=pl.lit(0), panel=name)), plot)
