"""The chart of `correct`: every system's naive and corrected score, one file per measure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def draw_corrected(table: pl.DataFrame, plot: Path) -> None:
    """Draw a table with measure, system, naive, corrected, low and high, the highest corrected score first."""
    import polars as pl

    from dissensus.cli.terminal.output import chart_file, draw
    from dissensus.report.charts.system_scores import score_chart

    measures = table["measure"].unique(maintain_order=True).to_list()
    for name in measures:
        part = table.filter(pl.col("measure") == name)
        order = part.sort("corrected", "naive", descending=True, nulls_last=True)["system"].to_list()
        corrected = part.select("system", pl.lit("corrected").alias("kind"), score="corrected", low="low", high="high")
        naive = part.select("system", pl.lit("naive").alias("kind"), score="naive", low="naive", high="naive")
        chart = score_chart(pl.concat([naive, corrected]), name, order=order)
        draw(chart, chart_file(plot, name, len(measures) > 1))
