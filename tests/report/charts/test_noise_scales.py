"""Charts beside the noise study's curves."""

from __future__ import annotations

import polars as pl
from drawn_charts import encoding, rows

from dissensus.report.charts.noise_scales import loss_chart, scale_chart
from dissensus.report.charts.theme import spec


def test_a_panel_per_profile_and_a_line_per_set():
    frame = pl.DataFrame({"set": ["A", "B"], "profile": ["uniform", "class"], "dnoise": [0.1, 0.2], "loss": [0.5, 0.6]})
    chart = loss_chart(frame)
    assert spec(chart)["facet"]["column"]["field"] == "profile"
    assert encoding(chart)["color"]["field"] == "set"
    assert encoding(chart)["y"]["field"] == "loss"


def test_only_the_rows_of_the_figure_are_drawn_scales_in_their_order():
    frame = pl.DataFrame(
        {"figure": ["7", "7", "11"], "set": ["A"] * 3, "profile": ["uniform"] * 3,
         "scale": ["5 grades", "2 grades", "x"], "dnoise": [0.1] * 3, "pnoise": [0.2, 0.1, 0.3]}
    )  # fmt: skip
    chart = scale_chart(frame, "7")
    assert [r["scale"] for r in rows(chart)] == ["5 grades", "2 grades"]
    assert encoding(chart)["color"]["sort"] == ["5 grades", "2 grades"]
    assert spec(chart)["facet"]["row"]["field"] == "profile"
