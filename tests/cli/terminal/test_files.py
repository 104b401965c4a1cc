"""Files are whole or absent, and refused before the work where they cannot be written."""

from __future__ import annotations

import json
import math
from pathlib import Path

import altair as alt
import polars as pl
import pytest
from refusals import refused
from wording import phrase

from dissensus.cli import main
from dissensus.cli.terminal.files import chart_file, check_output, draw, write
from dissensus.cli.terminal.output import Printout, emit
from dissensus.errors import OutputError

FRAME = pl.DataFrame({"system": ["bm25", "a_b"], "AP": [0.25, math.nan], "topics": [50, 49]})


def test_csv_and_parquet_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    emit(FRAME, output=tmp_path / "scores.csv", footer="ties=trec")
    emit(FRAME, output=tmp_path / "scores.parquet")
    out, err = capsys.readouterr()
    assert out == ""
    assert "scores.csv" in err
    assert "ties=trec" in err
    assert pl.read_csv(tmp_path / "scores.csv").equals(FRAME, null_equal=True)
    assert pl.read_parquet(tmp_path / "scores.parquet").equals(FRAME, null_equal=True)


def test_several_tables_become_several_csv_files_but_one_json(tmp_path: Path) -> None:
    tables = {"scores": FRAME, "per topic": FRAME.head(1)}
    assert [p.name for p in write(Printout(tables), tmp_path / "x.csv")] == ["x.csv", "x-per-topic.csv"]
    assert [p.name for p in write(Printout(tables), tmp_path / "x.json")] == ["x.json"]
    assert set(json.loads((tmp_path / "x.json").read_text())["tables"]) == {"scores", "per topic"}


@pytest.mark.parametrize("name", ["scores.xlsx", "scores", "nowhere/scores.csv", "."])
def test_an_output_that_cannot_be_is_refused_before_the_work(tmp_path: Path, name: str) -> None:
    with refused(OutputError, "--output"):
        check_output(tmp_path / name)


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pl.DataFrame, "write_csv", fail)
    with pytest.raises(KeyboardInterrupt):
        write(Printout({"t": FRAME}), tmp_path / "scores.csv")
    assert list(tmp_path.iterdir()) == []


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
