"""Charts are refused before the work where they cannot be saved."""

from __future__ import annotations

from pathlib import Path

import altair as alt
import polars as pl
import pytest
from wording import phrase

from dissensus.cli import main
from dissensus.cli.terminal.files import chart_file, draw


@pytest.mark.parametrize(
    "command",
    [
        ("order", "0 1", "1 0"),
        ("balance", "AP"),
        ("clicks", "absent.csv"),
        ("noise", "absent.csv"),
        ("experiment", "noise"),
        ("ceiling", "absent.csv"),
        ("weights", "absent.csv"),
        ("compare", "absent.run", "-j", "absent.csv"),
        ("correct", "absent.run", "-j", "absent.csv", "--audit", "absent.csv"),
    ],
)
@pytest.mark.parametrize(
    ("plot", "said"),
    [
        ("a.doc", phrase("output.none-svg")),
        ("nowhere/a.svg", phrase("output.nowhere-does-not-exist")),
        (".", "is a directory"),
    ],
)
def test_a_chart_that_cannot_be_saved_is_refused_before_any_work(command, plot, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*command, "--plot", plot]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: --plot")
    assert said in err


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
