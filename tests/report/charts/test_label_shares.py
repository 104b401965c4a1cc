"""Shares of grades, stacked from the lowest."""

from __future__ import annotations

import polars as pl
from drawn_charts import encoding, rows

from dissensus.report.charts.label_shares import _spread, label_share_chart
from dissensus.report.charts.theme import LIGHT_TO_DARK


def test_grades_are_stacked_in_their_order_and_darken():
    grades = ["bad", "fair", "best"]
    frame = pl.DataFrame(
        {"assessor": ["ann"] * 3, "grade": ["best", "bad", "fair"], "labels": [1, 2, 1], "share": [0.25, 0.5, 0.25]}
    )
    chart = label_share_chart(frame, grades)
    assert {r["grade"]: r["step"] for r in rows(chart)} == {"bad": 0, "fair": 1, "best": 2}
    assert encoding(chart)["order"]["field"] == "step"
    assert encoding(chart)["color"]["scale"] == {"domain": grades, "range": _spread(3)}


def test_colours_run_from_light_to_dark_without_the_lightest():
    for n in (1, 2, 5):
        places = [LIGHT_TO_DARK.index(c) for c in _spread(n)]
        assert places == sorted(places)
        assert places[0] == 1
    assert _spread(2)[-1] == LIGHT_TO_DARK[-1]
