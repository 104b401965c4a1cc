"""Tables of clicks: order, times, ranks."""

from __future__ import annotations

import gzip
import re
from datetime import datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import FileError, InputError
from dissensus.tables.click_columns import _plain_ranks, _ranks, _seconds, _times, _written_ranks, click_fields
from dissensus.tables.ids import natural_order


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


# ── twins: a row, a value at a time ──


def fields_twin(rows: list[tuple[str, str, int | None, float]]) -> dict[str, object]:
    """Pages by session and query, clicks by page, session and time, row after row."""
    queries = list({q: None for _, q, _, _ in rows})
    queries = [queries[i] for i in natural_order(queries)]
    pages = sorted({(s.encode(), queries.index(q)) for s, q, _, _ in rows})
    ordered = sorted(rows, key=lambda row: (row[0].encode(), row[3]))
    clicks = []
    for i, (s, q, rank, time) in enumerate(ordered):
        after = ordered[i + 1] if i + 1 < len(ordered) and ordered[i + 1][0] == s else None
        if rank is not None:
            dwell = float("nan") if after is None else after[3] - time
            clicks.append((pages.index((s.encode(), queries.index(q))), rank, dwell))
    clicks.sort(key=lambda click: click[0])
    return {
        "queries": tuple(queries),
        "page": [c[0] for c in clicks],
        "rank": [c[1] for c in clicks],
        "dwell": [c[2] for c in clicks],
        "page_query": [q for _, q in pages],
    }


SESSIONS = st.sampled_from(["7", "007", "70", "é", "z", "s 1"])
ROWS = st.tuples(SESSIONS, st.sampled_from(["q10", "q9", "a"]), st.none() | st.integers(1, 12), st.integers(-2, 4))


@settings(max_examples=200, deadline=None)
@given(st.lists(ROWS, min_size=1, max_size=14), st.sampled_from([(), (0,), (0, 3)]))
def test_clicks_are_in_the_order_of_the_slow_twin(rows: list[tuple], written_by: tuple[int, ...]) -> None:
    rows.sort(key=lambda row: [row[column] for column in written_by])
    columns = dict(zip(("session", "query", "rank", "time"), zip(*rows, strict=True), strict=True))
    texts = {name: ["" if v is None else str(v) for v in values] for name, values in columns.items()}
    typed = {name: list(values) for name, values in columns.items()}
    wanted = fields_twin(rows)
    for table in (pl.DataFrame(texts), pl.DataFrame(typed, schema_overrides={"rank": pl.UInt16})):
        fields = click_fields(table, "f")
        for name, values in wanted.items():
            np.testing.assert_array_equal(fields[name], values, err_msg=name)
        assert [fields[n].dtype for n in ("page", "rank", "dwell")] == [np.int64, np.int32, np.float64]


@settings(max_examples=200, deadline=None)
@given(st.lists(ROWS, min_size=2, max_size=10), st.data())
def test_the_first_bad_row_is_named(rows: list[tuple], data: st.DataObject) -> None:
    """Ids are looked at once per stretch of rows, and the row that is named is the first with the bad id."""
    rows.sort(key=lambda row: row[:2])
    session, query, _, _ = (list(column) for column in zip(*rows, strict=True))
    at = data.draw(st.integers(0, len(rows) - 1))
    column, role = data.draw(st.sampled_from([(session, "session"), (query, "query")]))
    bad, stop = data.draw(st.sampled_from(["", " x", "x ", "a\tb", None])), data.draw(st.integers(at + 1, len(rows)))
    column[at:stop] = [bad] * (stop - at)
    table = pl.DataFrame({"session": session, "query": query, "rank": [1] * len(rows)})
    with refused(InputError, f"f, row {at + 1}:", role):
        click_fields(table, "f")


NUMBERLIKE = st.text("0123456789+-.eE_:, \t\u00a0infaxd\n\u0663", max_size=6)
TYPED = st.sampled_from(["1", "12", "007", "+4", "", " 5 ", "0", "-0", "1e2", "1E1", "1_0", "2.0", "9" * 19, "\u0663"])
STRANGE = st.sampled_from(["0" * 19 + "7", "5\u00a0", "4\n", "0x1", "nan", "inf", ".5", "5.", "1e", "--1", "12:30"])


def rank_twin(text: str | None) -> int | None:
    """A rank, None for a blank, 0 for what is not a rank."""
    word = (text or "").strip(" \t")
    if not word:
        return None
    return int(word) if re.fullmatch(r"\+?[0-9]{1,18}", word) else 0


@settings(max_examples=400, deadline=None)
@given(st.lists(st.none() | NUMBERLIKE | TYPED | STRANGE | st.integers(1, 200).map(str), min_size=1, max_size=4))
def test_ranks_are_those_of_the_slow_twin_or_the_first_bad_one_is_named(texts: list[str | None]) -> None:
    values, wanted = pl.Series(texts, dtype=pl.String), [rank_twin(text) for text in texts]
    if 0 in wanted:
        assert _plain_ranks(values) is None
        with refused(FileError, f"row {wanted.index(0)}:", repr(texts[wanted.index(0)])):
            _ranks(values, lambda row: f"row {row}")
    else:
        assert _written_ranks(values, str).to_list() == wanted
        quick = _plain_ranks(values)
        assert quick is None or quick.to_list() == wanted


@pytest.mark.parametrize("big", [2**31, 2**32 + 1, 2**63, 2**64 + 1])
def test_ranks_do_not_wrap(big: int) -> None:
    for values in (pl.Series(["1", str(big)]), pl.Series([1, big], dtype=pl.Int128)):
        with refused(FileError, "row 1:", big):
            _ranks(values, lambda row: f"row {row}")


DATES = st.builds(
    lambda moment, mark, unit, zone: moment.isoformat(mark, unit) + zone,
    st.datetimes(datetime(1890, 1, 1), datetime(2110, 1, 1)),
    st.sampled_from("T "),
    st.sampled_from(["seconds", "milliseconds", "microseconds", "minutes"]),
    st.sampled_from(["", "Z", "+01:00"]),
)
DAYS = st.sampled_from(["2024-02-29", "2024-02-30", "2023-02-29", "2024-13-01", "1900-02-29"])
CLOCKS = st.sampled_from(["T10:00:00", "T24:00:00", " 10:00:60", " 23:59:59.1234567", "T10:00:00ZZ", "t10:00:00"])
BAD_DATES = st.builds(str.__add__, DAYS, CLOCKS)


@settings(max_examples=400, deadline=None)
@example(["1", "1e999"])
@example(["1", "2024-03-01"])
@given(st.lists(NUMBERLIKE | TYPED | STRANGE | st.floats().map(repr) | DATES | BAD_DATES, min_size=1, max_size=4))
def test_times_are_read_as_one_by_one(texts: list[str]) -> None:
    wanted = [_seconds(text) for text in texts]
    if None in wanted:
        with refused(FileError, f"row {wanted.index(None)}:"):
            _times(pl.Series(texts), lambda row: f"row {row}")
    else:
        assert _times(pl.Series(texts), str).to_list() == wanted
