"""Every chart is saved whole, in the house style, and with names that stay text."""

from __future__ import annotations

import json
from pathlib import Path

import altair as alt
import polars as pl
import pytest
from drawn_charts import rows
from refusals import refused

from dissensus.errors import OutputError
from dissensus.reporting.charts.theme import (
    INHERITED,
    MAX_ROWS,
    SERIES,
    hover,
    line_at,
    save,
    sized,
    spec,
    tall,
    tooltips,
)

HOSTILE = "</script><script>alert(1)</script>"


def chart(name: str = "bm25", rows: int = 3) -> alt.Chart:
    frame = pl.DataFrame({"system": [name] * rows, "AP": [i / rows for i in range(rows)]})
    return alt.Chart(frame).mark_point().encode(x="AP:Q", y="system:N", color="system:N")


@pytest.mark.parametrize(
    ("ending", "start"),
    [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("html", b"<!doctype"), ("json", b"{")],
)
def test_the_ending_says_the_format(tmp_path: Path, ending: str, start: bytes) -> None:
    path = save(sized(chart(), "column"), tmp_path / f"figure.{ending}")
    assert path.read_bytes().startswith(start)
    assert [p.name for p in tmp_path.iterdir()] == [f"figure.{ending}"]


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    with refused(OutputError, "figure.gif"):
        save(chart(), tmp_path / "figure.gif")


def test_column_width_is_a_paper_column(tmp_path: Path) -> None:
    save(sized(chart(), "column"), tmp_path / "c.json")
    made = json.loads((tmp_path / "c.json").read_text())
    assert made["width"] < 240
    assert made["config"]["axis"]["labelFontSize"] == 8
    assert made["config"]["range"]["category"] == list(SERIES)


def test_a_hostile_name_stays_text(tmp_path: Path) -> None:
    page = save(chart(HOSTILE), tmp_path / "c.html").read_text()
    assert HOSTILE not in page
    assert "alert(1)" in page
    svg = save(chart(HOSTILE), tmp_path / "c.svg").read_text()
    assert "<script" not in svg


def test_names_that_every_object_of_a_browser_has_are_drawn_like_others(tmp_path: Path) -> None:
    """FINDINGS D8: systems called constructor or toString broke charts."""

    def marks(names: list[str]) -> list[int]:
        frame = pl.DataFrame({"system": names, "AP": [i / 20 for i in range(len(names))]})
        drawn = alt.Chart(frame).mark_bar().encode(x="AP:Q", y=alt.Y("system:N", sort=names[::-1]), color="system:N")
        stacked = alt.Chart(frame).mark_bar().encode(x="AP:Q", color="system:N")
        text = save(alt.vconcat(drawn, stacked), tmp_path / "c.svg").read_text()
        return [text.count(part) for part in ("<path", "<text", *names)]

    names = sorted(INHERITED)
    drawn = marks(names)
    assert drawn == marks([f"{name[:-1]}X" for name in names])
    assert min(drawn) >= 3


def test_dark_style_has_light_ink() -> None:
    assert spec(chart(), dark=True)["config"]["axis"]["labelColor"] == "#E6E6E6"


def test_a_chart_with_too_many_rows_is_refused_with_a_way_out() -> None:
    assert len(spec(chart(rows=6_000))["datasets"]) == 1  # Altair alone stops at 5,000
    with refused(OutputError):
        spec(chart(rows=MAX_ROWS + 1))


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
