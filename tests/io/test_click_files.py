"""Click logs: formats told by the first line, several files as one."""

from __future__ import annotations

import pytest
from wording import phrase

import dissensus as ds
from dissensus.io.click_files import click_format


def test_table_without_a_header(tmp_path) -> None:
    file = tmp_path / "log.tsv"
    file.write_text("s1\tq1\t2\t0\ns1\tq1\t1\t9\n")
    clicks = ds.read_clicks(file)
    assert clicks.rank.tolist() == [2, 1]
    assert clicks.dwell[0] == 9
    assert clicks.notes == (phrase("click-files.no-header-columns-taken"),)


def test_several_files_are_one_log(tmp_path) -> None:
    for name, text in (
        ("1.csv", "session,query,rank\n1,a,1\n1,a,2\n"),
        ("2.csv", "session,query,rank\n1,b,3\n1,a,1\n"),
    ):
        (tmp_path / name).write_text(text)
    clicks = ds.read_clicks(str(tmp_path / "*.csv"))
    assert clicks.rank.tolist() == [1, 2, 1, 3]
    assert clicks.n_pages == 3
    assert [clicks.queries[q] for q in clicks.page_query] == ["a", "a", "b"]
    assert ds.MarkovUser.fit(clicks).moves.sum() == 1


@pytest.mark.parametrize("odd", ["\v", "\f"])
def test_a_line_ends_where_editors_end_it(tmp_path, odd: str) -> None:
    """The fuzz run met a session with a vertical tab in it, where Python ends a line and no log does."""
    file = tmp_path / "log.tsv"
    file.write_bytes(f"s{odd}1\t0\tQ\tq\t1\tu1\tu2\ns{odd}1\t4\tC\tu2\n".encode())
    clicks = ds.read_clicks(file)
    assert (clicks.rank.tolist(), clicks.page_length.tolist()) == ([2], [2])


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("7\t0\tQ\t11\t1\t100", "session log"),
        ("session;position", "table"),
        ("s1\tq1\t2", "bare table"),
        ("q\ta,b : a", "page lists"),
        ('0\tq\t1\t1\t["u"]\t[]\t[0]', "json columns"),
        ('["1"]\t[]\t["u", 1, 0]\t1', None),
        ("[1, 2]\t[]\t[3, 1, 0]\t1", "document rows"),
        ("a b c", None),
    ],
)
def test_formats(line: str, form: str | None) -> None:
    assert click_format(line) == form
