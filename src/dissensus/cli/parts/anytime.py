"""`dissensus compare --anytime`: labels of a committed order, looked at after every one of them."""

from __future__ import annotations

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

LAST = 12  # looks shown on the terminal


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
    looks = result.table.tail(LAST) if shown.on_terminal else result.table
    words = str(result).splitlines()
    if result.closing is not None:
        words.append(f"{result.closing}; an ordinary interval of level {result.closing.level:.2%}.")
    if looks.height < result.table.height:
        words.append(f"the last {looks.height} of {result.table.height:,} rows; --output FILE writes all.")
    shown.emit(
        looks.with_columns(pl.col("decided").cast(pl.String).replace({"true": "yes", "false": "no"}))
        if shown.on_terminal
        else looks,
        title=f"{measures[0]} after every label",
        footer=[*words, *notes],
        facts={"decided_at": result.decided_at, "forecast": result.forecast, "verdict": str(result.verdict)},
    )


def _draw(result: SequentialResult, plot: Path) -> None:
    from dissensus.cli.terminal.files import draw

    pairs = result.table.select("a", "b").unique(maintain_order=True)
    if pairs.height > 1:
        raise InputError("a chart of labels shows one pair of systems.", "Give the runs of two systems.")
    name = pl.format("{} − {}", "a", "b")
    draw(shrinking_chart(result.table.with_columns(path=pl.lit(0), panel=name)), plot)
