"""Preferences from files and back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from preference_rows import ROWS
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.io.judgment_rows import are_preferences


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_written_and_read_back(tmp_path: Path, ending: str) -> None:
    prefs = ds.Preferences.from_rows(ROWS)
    prefs.write(str(tmp_path / f"p.{ending}"))
    assert ds.read_preferences(tmp_path / f"p.{ending}").to_frame().equals(prefs.to_frame())


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_ids_like_formulas_are_read_back_as_they_were(tmp_path: Path, ending: str) -> None:
    prefs = ds.Preferences.from_rows([("=q", "'=1+1", "-d", "@ann", "a", "ab"), ("=q", "-d", "+e", "@ann", "b", "")])
    prefs.write(str(tmp_path / f"p.{ending}"))
    assert ds.read_preferences(tmp_path / f"p.{ending}").to_frame().equals(prefs.to_frame())
    if ending in ("csv", "tsv"):  # a spreadsheet runs none of them
        assert not re.search(r"(^|[,\t])[=+@-]", (tmp_path / f"p.{ending}").read_text(), re.MULTILINE)


def test_text_forms(tmp_path: Path) -> None:
    (tmp_path / "h.txt").write_text("1 d1 d2 d2\n")
    (tmp_path / "g.txt").write_text("@ 1 d1 d2 !\n@ 1 d1 d3 =\n@ 1 d2 d3 ?\n")
    prefs = ds.read_preferences(tmp_path / "*.txt")
    assert [r[3:] for r in prefs.to_frame().rows()] == [("g", "a", ""), ("g", "same", ""), ("h", "b", "ab")]
    assert prefs.notes == (phrase("preferences-reading.pair-without-answer-left", "g.txt", 1),)
    (tmp_path / "bad.txt").write_text("1 d1 d2\n")
    with refused(InputError, "bad.txt:1", 3):
        ds.read_preferences(tmp_path / "bad.txt")


def test_a_line_ends_where_a_line_of_qrels_ends(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("q d1 d2 d1\r\nq d2 d3 d3\r\nq d\u20281 d2 d\u20281\n", newline="")
    assert are_preferences([tmp_path / "p.txt"])
    with refused(ds.DissensusError, "p.txt:3"):
        ds.read_preferences(tmp_path / "p.txt")


def test_bytes_that_are_not_text_are_refused_by_line(tmp_path: Path) -> None:
    path = tmp_path / "ann.txt"
    path.write_bytes(b"q1 d1 d2 d1\nq1 \xff d2 d2\n")
    with refused(ds.DissensusError, "ann.txt:2"):
        ds.read_preferences(path)
