"""Texts found in memory by their views, as Arrow's specification lays them out."""

from __future__ import annotations

import ctypes
import struct

import polars as pl
import pytest

from dissensus.engine.arrow_views import VIEW, Views, views_of


def texts(chunk: Views) -> list[str]:
    """The texts of a chunk, view by view."""
    out = []
    for i in range(chunk.rows):
        view = ctypes.string_at(chunk.at + VIEW * i, VIEW)
        length, _, buffer, offset = struct.unpack("<iiii", view)
        if length <= 12:
            out.append(view[4 : 4 + length].decode())
        else:
            assert offset + length <= chunk.sizes[buffer]
            out.append(ctypes.string_at(int(chunk.buffers[buffer]) + offset, length).decode())
    return out


def test_every_text_is_found_where_its_view_says() -> None:
    column = pl.concat([pl.Series(["a", "é" * 30, ""]), pl.Series(["x" * 12, "y" * 13])], rechunk=False)
    with views_of(column) as chunks:
        assert chunks is not None
        assert [texts(c) for c in chunks] == [["a", "é" * 30, ""], ["x" * 12, "y" * 13]]


def test_a_part_of_a_column() -> None:
    column = pl.Series([f"{'long ' * 5}{i}" for i in range(10)])[3:7]
    with views_of(column) as chunks:
        assert chunks is not None
        assert [t for c in chunks for t in texts(c)] == column.to_list()


@pytest.mark.parametrize("column", [pl.Series([1, 2]), pl.Series(["a", None]), pl.Series(["a"], dtype=pl.Categorical)])
def test_columns_of_another_kind_or_with_gaps_have_none(column: pl.Series) -> None:
    with views_of(column) as chunks:
        assert chunks is None


def test_the_column_can_be_used_afterwards() -> None:
    column = pl.Series(["a text that is longer than a view"] * 3)
    for _ in range(1000):
        with views_of(column) as chunks:
            assert chunks is not None
    assert column.to_list() == ["a text that is longer than a view"] * 3
