"""Tables leave in one shape: aligned text, valid JSON, whole files."""

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
from dissensus.cli.terminal.output import (
    LINES,
    as_json,
    as_paper,
    as_text,
    chart_file,
    check_output,
    cut,
    draw,
    emit,
    write,
)
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


def frame(rows: int) -> pl.DataFrame:
    return pl.DataFrame({"n": range(rows)}, schema={"n": pl.Int64})


@pytest.mark.parametrize("heights", [[1000], [3, 1000], [500, 500, 500], [0, 1000]])
@pytest.mark.parametrize("remarks", [0, 1])
def test_a_screen_has_at_most_forty_lines(heights: list[int], remarks: int) -> None:
    text = as_text({f"t{i}": frame(h) for i, h in enumerate(heights)}, title="T", footer=["r"] * remarks)
    assert len(text.splitlines()) <= LINES


def test_what_is_left_out_is_counted() -> None:
    shown, hidden, _ = cut({"t": frame(100)}, [])
    assert shown["t"].height + hidden["t"] == 100


def test_remarks_are_never_cut() -> None:
    remarks = [str(i) for i in range(60)]
    assert cut({"t": frame(100)}, remarks)[2] == remarks


def test_small_tables_are_shown_whole() -> None:
    shown, hidden, _ = cut({"large": frame(400), "small": frame(4)}, [])
    assert shown["small"].height == 4
    assert set(hidden) == {"large"}


@pytest.fixture(name="files")
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for s in range(60):
        Path(f"s{s}.run").write_text("".join(f"q{q} Q0 d{q} 1 {s}.0 t\n" for q in range(3)))
    Path("a.qrels").write_text("".join(f"q{q} 0 d{q} {q % 2}\n" for q in range(3)))
    return tmp_path


def test_all_shows_all_and_json_always_has_all(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = sorted(map(str, files.glob("*.run")))
    assert main(["evaluate", *runs, "-j", "a.qrels", "-m", "P@1,AP"]) == 0
    short = capsys.readouterr().out
    assert len(short.splitlines()) <= LINES
    assert phrase("lines.rows-all-shows") in short
    assert main(["evaluate", *runs, "-j", "a.qrels", "-m", "P@1,AP", "--all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 60
    assert main(["evaluate", *runs, "-j", "a.qrels", "-m", "P@1,AP", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["table"]
    assert len(rows) == 60
    assert {"P@1", "AP"} <= set(rows[0])


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
