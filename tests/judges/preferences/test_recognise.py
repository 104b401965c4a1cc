"""Preferences are told from grades by their first line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.judges.preferences.recognise import are_preferences

ROWS = [("q", "d1", "d2", "ann", "a", "ab")]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_tables(tmp_path: Path, ending: str) -> None:
    ds.Preferences.from_rows(ROWS).write(str(tmp_path / f"p.{ending}"))
    assert are_preferences([str(tmp_path / f"p.{ending}")])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("q d1 d2 d1", True),
        ("@ q d1 d2 !", True),
        ("# a comment\nq d1 d2 d2", True),
        ("q 0 d2 1", False),
        ("q 0 d2 0", False),  # grade 0, as the first line of most qrels
        ("q 0 d2 0\nq 0 d3 0", False),
        ("1 1 a 1\n1 1 b 1\n1 2 a 2", False),  # intents
        ("q d1 d2 d1\nq d3 d2 d3", True),
        ("q 7 9 7\nq 7 8 8", True),  # documents that are numbers
        ("q 1 1 1", False),
        ("q Q0 d1 1 2.5 tag", False),
        ("", False),
    ],
)
def test_lines(tmp_path: Path, line: str, expected: bool) -> None:
    (tmp_path / "p.txt").write_text(line + "\n")
    (tmp_path / "p.txt.gz").write_bytes(gzip.compress(line.encode() + b"\n"))
    assert are_preferences([tmp_path / "p.txt"]) is expected
    assert are_preferences([tmp_path / "p.txt.gz"]) is expected


def test_both_kinds_together_are_refused_and_broken_files_left_to_their_reader(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("q d1 d2 d1\n")
    (tmp_path / "q.txt").write_text("q 0 d2 1\n")
    (tmp_path / "b.txt.gz").write_bytes(b"\x1f\x8bnot gzip")
    with refused(InputError, "p.txt"):
        are_preferences([tmp_path / "p.txt", tmp_path / "q.txt"])
    assert not are_preferences([tmp_path / "b.txt.gz"])
