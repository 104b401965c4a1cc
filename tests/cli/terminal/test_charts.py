"""Charts on their way to a file."""

from __future__ import annotations

from pathlib import Path

import altair as alt
import polars as pl

from dissensus.cli.terminal.charts import chart_file, draw


def test_several_measures_have_a_chart_each():
    assert chart_file(Path("a.svg"), "P@5", several=False) == Path("a.svg")
    assert chart_file(None, "P@5", several=True) is None
    first, second = (chart_file(Path("a.svg"), m, several=True) for m in ("P@5", "nDCG@10"))
    assert first != second
    assert first.suffix == ".svg"


def test_a_chart_is_saved_where_one_was_asked_for(tmp_path, capsys):
    chart = alt.Chart(pl.DataFrame({"x": [1]})).mark_point().encode(x="x:Q")
    draw(chart, None)
    assert capsys.readouterr().err == ""
    draw(chart, tmp_path / "a.json")
    assert (tmp_path / "a.json").is_file()
    assert str(tmp_path / "a.json") in capsys.readouterr().err
