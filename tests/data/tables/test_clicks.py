"""Click logs: every format, what is dropped, what is refused."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from paths import shared_data

import dissensus as ds
from dissensus.data.tables.clicks import Clicks
from dissensus.errors import FileError

LOG = (
    "7\t0\tQ\tcats\t1\tu1\tu2\tu3\n"
    "7\t5\tC\tu2\n"
    "7\t25\tC\tu1\n"
    "7\t31\tQ\tdogs\t1\tu4\tu5\n"
    "7\t40\tC\tu5\n"
    "7\t44\tC\tu3\n"  # back on the first page
    "7\t49\tC\tu9\n"  # shown nowhere
    "8\t0\tQ\tcats\t1\tu1\tu2\tu3\n"
)


def test_session_log(tmp_path) -> None:
    file = tmp_path / "log.tsv"
    file.write_text(LOG)
    clicks = ds.read_clicks(file)
    assert clicks.queries == ("cats", "dogs")
    assert clicks.page.tolist() == [0, 0, 0, 1]
    assert clicks.rank.tolist() == [2, 1, 3, 2]
    assert clicks.dwell.tolist() == [20, 6, 5, 4]  # until the session's next action
    assert clicks.page_length.tolist() == [3, 2, 3]
    assert clicks.n_pages == 3
    assert any("1 click on documents that were not on a page" in note for note in clicks.notes)
    assert repr(clicks) == "Clicks(4 clicks, 3 result pages, 2 queries)"
    assert clicks.to_frame()["query"].to_list() == ["cats", "cats", "cats", "dogs"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("9\t0\tC\tu1\n", ":9 is a click before any query"),
        ("8\tx\tC\tu1\n", r":9 has a time that is not a whole number \(18 digits at most\): '8\\tx\\tC\\tu1'"),
        ("8\t3\tM\tu1\n", ":9 has an action that is neither Q nor C"),
        ("8\t3\tC\n", ":9 has too few fields"),
        ("7\t60\tC\tu1\n", "session 7 stands in two places|click before any query"),
        ("8\t4\tC\tu1\n8\t3\tC\tu1\n", ":10 is earlier than the line before"),
    ],
)
def test_session_log_errors_name_the_line(tmp_path, line: str, message: str) -> None:
    file = tmp_path / "log.tsv"
    file.write_text(LOG + line)
    with pytest.raises(FileError, match=message):
        ds.read_clicks(file)


def test_session_log_with_windows_lines_and_stray_tabs(tmp_path) -> None:
    file = tmp_path / "log.tsv"
    file.write_bytes(LOG.replace("\n", "\t\r\n").encode())
    clicks = ds.read_clicks(file)
    assert clicks.rank.tolist() == [2, 1, 3, 2]
    assert clicks.page_length.tolist() == [3, 2, 3]


def test_damaged_session_logs_are_refused_or_read_but_never_crash(tmp_path) -> None:
    rng, refused = np.random.default_rng(0), 0
    file = tmp_path / "log.tsv"
    for _ in range(150):
        data = bytearray(LOG.encode())
        for _ in range(rng.integers(1, 6)):
            data[rng.integers(20, len(data))] = rng.choice([9, 10, 13, 32, 48, 67, 81, 200])
        file.write_bytes(bytes(data))
        try:
            clicks = ds.read_clicks(file)
        except FileError:
            refused += 1
            continue
        assert (clicks.rank >= 1).all()
        assert (clicks.page < clicks.n_pages).all()
    assert 0 < refused < 150


def test_session_in_two_places(tmp_path) -> None:
    file = tmp_path / "log.tsv"
    file.write_text(LOG + "7\t60\tQ\tcats\t1\tu1\n")
    with pytest.raises(FileError, match=r":1 and :9: session 7 stands in two places"):
        ds.read_clicks(file)


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
    assert clicks.notes == ("1 row without a rank: a page was shown, nothing was clicked",)


def test_table_without_query_and_time(tmp_path) -> None:
    file = tmp_path / "log.tsv.gz"
    file.write_bytes(gzip.compress(b"session\tposition\n1\t4\n1\t2\n2\t\n"))
    clicks = ds.read_clicks(file)
    assert clicks.rank.tolist() == [4, 2]
    assert clicks.n_pages == 2  # session 2 clicked nothing
    assert np.isnan(clicks.dwell).all()
    said = ["no query column", "no time column", "1 row without a rank"]
    assert [note.split(":")[0] for note in clicks.notes] == said


def test_table_without_a_header(tmp_path) -> None:
    file = tmp_path / "log.tsv"
    file.write_text("s1\tq1\t2\t0\ns1\tq1\t1\t9\n")
    clicks = ds.read_clicks(file)
    assert clicks.rank.tolist() == [2, 1]
    assert clicks.dwell[0] == 9
    assert clicks.notes == ("no header: columns taken as session, query, rank, time",)


def test_table_with_dates(tmp_path) -> None:
    file = tmp_path / "log.csv"
    file.write_text("session,rank,time\n1,1,2024-03-01T10:00:00\n1,2,2024-03-01T10:01:30\n")
    assert ds.read_clicks(file).dwell[0] == 90.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("session,rank\n1,0\n", r"log.csv:2: the rank '0' is not a whole number of at least 1"),
        ("session,rank\n1,1\n1,first\n", r"log.csv:3: the rank 'first' is not a whole number"),
        ("session,rank,time\n1,1,0\n1,2,\n", r"log.csv:3: the time is missing"),
        ("session,rank,time\n1,1,soon\n", r"log.csv:2: the time 'soon'"),
        ("session,rank\n", "no rows"),
        ("visitor,rank\n1,1\n", "no column 'session'"),
        ("1 2 3\n", "not of a click-log format"),
        ("\n\n", "empty lines"),
    ],
)
def test_bad_tables_are_refused(tmp_path, text: str, message: str) -> None:
    file = tmp_path / "log.csv"
    file.write_text(text)
    with pytest.raises(FileError, match=message):
        ds.read_clicks(file)


def test_page_lists_keep_the_order_of_clicks(tmp_path) -> None:
    file = tmp_path / "sample"
    file.write_text("q_1\ta,b,c : c , a , a; q_1\ta,b,c :;q_2\td,e : z , e\n")
    clicks = ds.read_clicks(file)
    assert clicks.page.tolist() == [0, 0, 0, 2]
    assert clicks.rank.tolist() == [3, 1, 1, 2]
    assert clicks.n_pages == 3
    assert "1 click on documents that were not on the page left out" in clicks.notes


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


def test_yandex_sample_counts() -> None:
    clicks = ds.read_clicks(shared_data("clicks-yandex-relpred-sample") / "trainSample.gz")
    assert clicks.n_pages == 35_064
    assert len(clicks.queries) == 20
    assert len(clicks) + 417 == 50_321
    assert np.bincount(clicks.rank)[1:].tolist() == [9742, 10251, 7417, 6989, 4298, 2980, 2643, 1819, 2039, 1726]


def test_clickmodels_samples_agree() -> None:
    folder = shared_data("clicks-clickmodels-sample")
    plain = ds.read_clicks(folder / "click_log_sample.tsv")
    extended = ds.read_clicks(folder / "click_log_sample_extended_format.tsv")
    for clicks in (plain, extended):
        assert clicks.to_frame()["rank"].to_list() == [3, 4, 2, 3]
        assert clicks.page_length.tolist() == [10, 10, 10]
        assert any("order of clicks" in note for note in clicks.notes)


def test_tiangong_sample_counts() -> None:
    clicks = ds.read_clicks(shared_data("clicks-tiangong-st-sample") / "train_per_session.txt")
    assert clicks.page_length.max() == 10
    assert clicks.page_length.sum() == 910  # rows of the file that hold a document
    assert len(clicks) == 85


def test_from_frame_refuses_nothing_silently() -> None:
    frame = {"session": [1, 1], "query": ["a", "a"], "rank": [2, 1], "time": [3, 1]}
    assert Clicks.from_frame(frame).rank.tolist() == [1, 2]
    with pytest.raises(FileError, match="the frame, row 1: the rank -1"):
        Clicks.from_frame({**frame, "rank": [-1, 1]})
