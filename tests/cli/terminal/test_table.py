"""Plain tables for the terminal."""

from __future__ import annotations

import polars as pl

from dissensus.cli.terminal.table import Table, display_width, text_table


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
