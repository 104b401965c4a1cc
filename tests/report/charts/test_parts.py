"""Pieces that charts share."""

from __future__ import annotations

from drawn_charts import rows

from dissensus.report.charts.parts import hover, line_at, tall, tooltips
from dissensus.report.charts.theme import spec


def test_tooltips_format_numbers_only():
    name, number = hover(["system"], ["score"], ".2f")
    assert name.to_dict() == {"field": "system", "type": "nominal"}
    assert number.to_dict() == {"field": "score", "type": "quantitative", "format": ".2f"}


def test_a_chart_without_rows_still_has_a_height():
    assert (tall(0, 20), tall(7, 20)) == (20, 140)


def test_a_line_is_dashed_unless_styled_otherwise():
    chart = line_at(1, color="red")
    assert rows(chart) == [{"x": 1.0}]
    assert spec(chart)["mark"] == {"type": "rule", "strokeDash": [3, 3], "color": "red"}
    assert spec(line_at(1, strokeDash=[5, 3]))["mark"]["strokeDash"] == [5, 3]


def test_tooltips_have_their_own_formats() -> None:
    assert [field.to_dict() for field in tooltips("set:N", "loss:Q|.4f")] == [
        {"field": "set", "type": "nominal"},
        {"field": "loss", "type": "quantitative", "format": ".4f"},
    ]
