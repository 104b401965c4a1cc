"""Ids as bytes in one buffer: the same hashes and the same rules as one id at a time."""

from __future__ import annotations

import polars as pl
import pytest

from dissensus.data.tables.id_text import changes, id_text
from dissensus.data.tables.ids import IdColumn


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(["FT-1", "é x", "x" * 70]),
        pl.Series([7, -12, 7]),
        pl.Series(["a", "b", "a"], dtype=pl.Categorical),
        pl.Series(["b", "b", "a"], dtype=pl.Enum(["a", "b", "c", "d"])),
        pl.Series(["c", "c", "a", "c", "a", "a"], dtype=pl.Enum(["a", "b ", "c"])),
        pl.Series(["x" * n for n in range(1, 40)]),
        pl.concat([pl.Series(["a", "y" * 30]), pl.Series(["z" * 13])], rechunk=False),
        pl.Series(["lost", "x" * 20, "kept " + "y" * 15])[1:],
    ],
)
def test_bytes_and_hashes_are_those_of_the_strings(column: pl.Series) -> None:
    names = [str(v) for v in column]
    found = id_text(column)
    assert found is not None
    spans = zip(found.start.tolist(), found.length.tolist(), strict=True)
    assert [bytes(found.text[a : a + n]).decode() for a, n in spans] == names
    assert found.key.tolist() == IdColumn.from_strings(names).keys.tolist()


@pytest.mark.parametrize(
    "values", [["a", ""], ["a", None], ["a "], [" a"], ["a\tb"], ["a\x00"], ["x" * 65_536], [1.0, 2.0], []]
)
def test_ids_that_break_a_rule_are_left_to_the_careful_way(values: list) -> None:
    assert id_text(pl.Series(values)) is None


def test_where_a_column_changes() -> None:
    values, rows = changes(pl.Series(["b", "b", "a", "b"]))
    assert (values, rows.tolist()) == (["b", "a", "b"], [0, 2, 3])


def test_a_text_that_goes_on_in_the_next_chunk_is_no_change() -> None:
    long = "a text that is longer than a view"
    column = pl.concat([pl.Series([long]), pl.Series([long, "b"]), pl.Series(["c", long])], rechunk=False)
    values, rows = changes(column)
    assert (values, rows.tolist()) == ([long, "b", "c", long], [0, 2, 3, 4])
