"""Runs by two orders of the documents."""

from __future__ import annotations

import polars as pl
import pytest
from drawn_charts import encoding, marks, rows

from dissensus.report.charts.preferences import two_orders


def test_both_axes_are_equal_and_runs_without_a_score_left_out():
    frame = pl.DataFrame({"system": ["a", "b", "c"], "by wins": [0.2, 0.6, None], "by grade": [0.4, 0.8, 0.5]})
    chart = two_orders(frame, "by wins", "by grade")
    assert marks(chart) == ["line", "circle"]
    assert [r["system"] for r in rows(chart, "system")] == ["a", "b"]
    points = encoding(chart, 1)
    assert points["x"]["scale"]["domain"] == points["y"]["scale"]["domain"] == pytest.approx([0.17, 0.83])
    assert (points["x"]["title"], points["y"]["title"]) == ("by wins", "by grade")


def test_one_run_has_room_around_it():
    chart = two_orders(pl.DataFrame({"system": ["a"], "x1": [0.5], "y1": [0.5]}), "x1", "y1")
    low, high = encoding(chart, 1)["x"]["scale"]["domain"]
    assert low < 0.5 < high
