"""Tables leave in one shape: aligned text, valid JSON, whole files."""

from __future__ import annotations

import json
import math
from pathlib import Path

import polars as pl
import pytest
from wording import phrase

from dissensus.cli import main
from dissensus.cli.terminal.output import LINES, Printout, Table, cut, display_width, emit, text_table
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


def test_names_from_data_cannot_drive_the_terminal() -> None:
    assert shown("a\x1b[31mred\n") == "a\\x1b[31mred\\n"
    assert "\x1b" not in Printout({"t": pl.DataFrame({"\x1b[2J": ["\x1b]0;title\x07"]})}).text()


def test_an_empty_table_says_so() -> None:
    assert phrase("output.no-rows") in Printout({"t": FRAME.head(0)}).text()
    assert json.loads(Printout({"t": FRAME.head(0)}).json())["tables"]["t"] == []


def frame(rows: int) -> pl.DataFrame:
    return pl.DataFrame({"n": range(rows)}, schema={"n": pl.Int64})


@pytest.mark.parametrize("heights", [[1000], [3, 1000], [500, 500, 500], [0, 1000]])
@pytest.mark.parametrize("remarks", [0, 1])
def test_a_screen_has_at_most_forty_lines(heights: list[int], remarks: int) -> None:
    text = Printout({f"t{i}": frame(h) for i, h in enumerate(heights)}, "T", ["r"] * remarks).text()
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


def test_a_wide_table_continues_below_with_its_key_repeated() -> None:
    frame = pl.DataFrame({"system": ["bm25"], **{f"nDCG@{k}": [k / 100] for k in range(10, 20)}})
    text = text_table(Table.of(frame), width=40)
    assert max(len(line) for line in text.splitlines()) <= 40
    assert text.count("system") == text.count("bm25") > 1
    assert all(f"nDCG@{k}" in text for k in range(10, 20))
    assert text_table(Table.of(frame), width=None).count("system") == 1


def test_wide_letters_are_counted_as_two_cells() -> None:
    assert display_width("検索") == 4
    lines = text_table(Table.of(pl.DataFrame({"s": ["検索", "ab"], "n": [1, 2]}))).splitlines()
    assert lines[2] == "検索  1"
    assert lines[3] == "ab    2"
