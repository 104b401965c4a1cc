"""The chart of an audit in order: every panel ends in what was decided."""

from __future__ import annotations

import polars as pl

from dissensus.report.charts.sequential import shrinking_chart
from dissensus.report.charts.theme import spec


def test_each_path_is_a_panel_and_shows_where_it_was_decided() -> None:
    looks = pl.DataFrame(
        {
            "path": [0, 0, 0, 1, 1, 1],
            "labels": [10, 20, 30] * 2,
            "estimate": [0.1] * 6,
            "low": [-0.2, -0.1, 0.01, -0.3, 0.02, 0.03],
            "high": [0.4, 0.3, 0.2] * 2,
            "decided": [False, False, True, False, True, True],
        }
    )
    rows = [row for values in spec(shrinking_chart(looks, 0.12))["datasets"].values() for row in values]
    assert {row["panel"] for row in rows} == {"audit 1", "audit 2"}
    assert [row["text"] for row in rows if row["text"]] == ["decided at 30", "decided at 20"]
