"""Ids as bytes in one buffer: the same hashes and the same rules as one id at a time."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from dissensus.tables.id_text import holds_control, id_text, reordered
from dissensus.tables.ids import IdColumn


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


@pytest.mark.parametrize("dtype", [pl.String, pl.Int64, pl.Categorical])
def test_rows_come_in_the_order_of_stretches(dtype: pl.DataType) -> None:
    column = pl.concat([pl.Series(["7", "123456789012345", "7"]), pl.Series(["8", "9", "10"])], rechunk=False).cast(
        dtype
    )
    order = np.array([4, 0, 2]), np.array([2, 2, 2])
    found = id_text(column, order)
    assert found is not None
    wanted = [str(column[i]) for i in (4, 5, 0, 1, 2, 3)]
    spans = zip(found.start.tolist(), found.length.tolist(), strict=True)
    assert [bytes(found.text[a : a + n]).decode() for a, n in spans] == wanted
    assert found.key.tolist() == IdColumn.from_strings(wanted).keys.tolist()
    assert reordered(np.arange(6), order).tolist() == [4, 5, 0, 1, 2, 3]
    assert reordered(np.arange(6), None).tolist() == [0, 1, 2, 3, 4, 5]


def test_control_characters_may_be_anywhere() -> None:
    assert not holds_control(pl.Series(["a", "b" * 30, ""]))
    assert holds_control(pl.Series(["a", "b" * 30 + "\n"]))
    assert holds_control(pl.Series(["a", None]))
    assert holds_control(pl.Series([1, 2]))
