"""A screen is read, a thousand lines are not: forty of them unless --all, everything in files and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from wording import phrase

from dissensus.cli import main
from dissensus.cli.terminal.lines import LINES, cut
from dissensus.cli.terminal.output import as_text


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
