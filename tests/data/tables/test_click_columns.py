"""Tables of clicks: order, times, ranks."""

from __future__ import annotations

import gzip

import numpy as np
import polars as pl
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.data.tables.click_columns import _times
from dissensus.errors import FileError


def test_table_is_put_in_time_order(tmp_path) -> None:
    file = tmp_path / "log.csv"
    file.write_text("session,query,rank,time\nb,q1,2,7\na,q1,3,10\na,q1,1,4\na,q2,1,11\n")
    clicks = ds.read_clicks(str(file))
    assert clicks.to_frame().rows() == [(0, "q1", 1, 6.0), (0, "q1", 3, 1.0), (1, "q2", 1, None), (2, "q1", 2, None)]
    assert clicks.notes == ()


def test_rows_without_a_rank_are_pages_without_a_click_and_counted(tmp_path) -> None:
    file = tmp_path / "log.csv"
    file.write_text("session,query,rank,time\na,q,1,0\nb,q,,0\n")
    clicks = ds.read_clicks(file)
    assert (len(clicks), clicks.n_pages) == (1, 2)
    assert clicks.notes == (phrase("click-columns.row-without-rank-page", 1),)


def test_table_without_query_and_time(tmp_path) -> None:
    file = tmp_path / "log.tsv.gz"
    file.write_bytes(gzip.compress(b"session\tposition\n1\t4\n1\t2\n2\t\n"))
    clicks = ds.read_clicks(file)
    assert clicks.rank.tolist() == [4, 2]
    assert clicks.n_pages == 2  # session 2 clicked nothing
    assert np.isnan(clicks.dwell).all()
    said = [
        phrase("click-columns.no-query-column"),
        phrase("click-columns.no-time-column"),
        phrase("click-columns.row-without-rank", 1),
    ]
    assert [note.split(":")[0] for note in clicks.notes] == said


def test_table_with_dates(tmp_path) -> None:
    file = tmp_path / "log.csv"
    file.write_text("session,rank,time\n1,1,2024-03-01T10:00:00\n1,2,2024-03-01T10:01:30\n")
    assert ds.read_clicks(file).dwell[0] == 90.0


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("session,rank\n1,0\n", ("log.csv:2", 0, 1)),
        ("session,rank\n1,1\n1,first\n", ("log.csv:3", "first")),
        ("session,rank,time\n1,1,0\n1,2,\n", ("log.csv:3",)),
        ("session,rank,time\n1,1,soon\n", ("log.csv:2", "soon")),
        ("session,rank\n", ("log.csv",)),
        ("visitor,rank\n1,1\n", ("session",)),
        ("1 2 3\n", ("log.csv", "'1 2 3'")),
        ("\n\n", ("log.csv",)),
    ],
)
def test_bad_tables_are_refused(tmp_path, text: str, values: tuple[object, ...]) -> None:
    file = tmp_path / "log.csv"
    file.write_text(text)
    with refused(FileError, *values):
        ds.read_clicks(file)


def test_times_of_both_kinds_in_one_column() -> None:
    times = pl.Series([" 12 ", "+1.5e2", "00:01:30", "1970-01-01T00:00:07", "-3."])
    assert _times(times, str).to_list() == [12.0, 150.0, 90.0, 7.0, -3.0]
    with pytest.raises(FileError):
        _times(pl.Series(["1", "1e999"]), str)
    with pytest.raises(FileError):
        _times(pl.Series(["1", "1_0"]), str)
