"""Tables leave in one shape: aligned text, valid JSON, whole files."""

from __future__ import annotations

import json
import math
from pathlib import Path

import polars as pl
import pytest
from refusals import refused
from wording import phrase

from dissensus.cli import main
from dissensus.cli.terminal.output import as_json, as_paper, as_text, check_output, emit, write
from dissensus.errors import OutputError
from dissensus.results import shown

FRAME = pl.DataFrame({"system": ["bm25", "a_b"], "AP": [0.25, math.nan], "topics": [50, 49]})


def test_text_aligns_numbers_and_shows_the_footer(capsys: pytest.CaptureFixture[str]) -> None:
    emit(FRAME, title="Scores", footer=["ties=trec"])
    assert capsys.readouterr().out == (
        "Scores\n"
        "system      AP  topics\n"
        "──────  ──────  ──────\n"
        "bm25    0.2500      50\n"
        "a_b          –      49\n"
        "\n"
        "ties=trec\n"
    )


def test_json_is_valid_and_nan_is_null(capsys: pytest.CaptureFixture[str]) -> None:
    emit(FRAME, json=True, title="Scores", footer="ties=trec", facts={"alpha": float("inf"), "n": 3})
    document = json.loads(capsys.readouterr().out)
    assert document["tables"]["table"][1] == {"system": "a_b", "AP": None, "topics": 49}
    assert document["footer"] == ["ties=trec"]
    assert document["alpha"] is None
    assert document["n"] == 3


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
    assert [p.name for p in write(tables, tmp_path / "x.csv")] == ["x.csv", "x-per-topic.csv"]
    assert [p.name for p in write(tables, tmp_path / "x.json")] == ["x.json"]
    assert set(json.loads((tmp_path / "x.json").read_text())["tables"]) == {"scores", "per topic"}


def test_latex_is_booktabs_and_escaped() -> None:
    text = as_paper({"t": FRAME}, "tex", title="50 % & more")
    assert r"\begin{tabular}{lrr}" in text
    assert r"\toprule" in text
    assert r"a\_b & -- & 49 \\" in text
    assert r"\caption{50 \% \& more}" in text


@pytest.mark.parametrize("name", ["scores.xlsx", "scores", "nowhere/scores.csv", "."])
def test_an_output_that_cannot_be_is_refused_before_the_work(tmp_path: Path, name: str) -> None:
    with refused(OutputError, "--output"):
        check_output(tmp_path / name)


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pl.DataFrame, "write_csv", fail)
    with pytest.raises(KeyboardInterrupt):
        write({"t": FRAME}, tmp_path / "scores.csv")
    assert list(tmp_path.iterdir()) == []


def test_names_from_data_cannot_drive_the_terminal() -> None:
    assert shown("a\x1b[31mred\n") == "a\\x1b[31mred\\n"
    assert "\x1b" not in as_text({"t": pl.DataFrame({"\x1b[2J": ["\x1b]0;title\x07"]})})


def test_an_empty_table_says_so() -> None:
    assert phrase("output.no-rows") in as_text({"t": FRAME.head(0)})
    assert json.loads(as_json({"t": FRAME.head(0)}))["tables"]["t"] == []


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
