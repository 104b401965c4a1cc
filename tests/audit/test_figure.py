"""The interval against the labels."""

from __future__ import annotations

import polars as pl
from drawn_charts import encoding, marks, rows

from dissensus.audit.figure import MOST_POINTS, shrinking


def table(n: int) -> pl.DataFrame:
    return pl.DataFrame({"labels": range(1, n + 1)}).with_columns(
        estimate=pl.lit(0.1), low=-1 / pl.col("labels"), high=1 / pl.col("labels"), decided=pl.lit(False)
    )


def test_a_band_a_line_and_zero():
    chart = shrinking(table(20), "a − b")
    assert marks(chart) == ["area", "line", "rule"]
    assert encoding(chart)["y"]["title"] == "a − b"
    assert encoding(chart)["y2"]["field"] == "high"
    assert marks(shrinking(table(20), "a", zero=False)) == ["area", "line"]


def test_many_looks_are_thinned():
    drawn = rows(shrinking(table(5000), "a − b"), "estimate")
    assert len({r["labels"] for r in drawn}) <= MOST_POINTS + 1
