"""Charts of a judge's card."""

from __future__ import annotations

import polars as pl
from drawn_charts import encoding, marks, rows

from dissensus.report.charts.judge_card import bias_chart, order_chart


def test_biases_stand_largest_first_and_only_those_found_are_coloured_so():
    frame = pl.DataFrame(
        {
            "feature": ["length", "rank", "unknown"],
            "coefficient": [-0.1, 0.2, 0.0],
            "low": [-0.2, 0.1, float("nan")],
            "high": [0.0, 0.3, float("nan")],
            "adjusted": [0.05, 0.049, float("nan")],
        }
    )
    chart = bias_chart(frame)
    assert marks(chart) == ["rule", "rule", "point"]
    assert encoding(chart, 1)["y"]["sort"] == ["rank", "length"]
    assert {r["feature"]: r["bias"] for r in rows(chart, "bias")} == {"rank": "found", "length": "not found"}


def test_systems_are_placed_by_gold_and_by_the_judge():
    frame = pl.DataFrame({"system": ["a", "b"], "gold": [0.2, 0.4], "v 2.0": [0.5, 0.3]})
    chart = order_chart(frame, "gold", "v 2.0", "P@10")
    assert rows(chart)[0] == {"system": "a", "by_gold": 0.2, "by_judge": 0.5}
    assert encoding(chart)["y"]["title"] == "P@10 by v 2.0"
