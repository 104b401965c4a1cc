"""Yandex's session log, and what breaks it."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import FileError
from dissensus.io.click_log import parse_session_log

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
    assert any(phrase("click-log.click-documents-not-page", 1) in note for note in clicks.notes)
    assert repr(clicks) == "Clicks(4 clicks, 3 result pages, 2 queries)"
    assert clicks.to_frame()["query"].to_list() == ["cats", "cats", "cats", "dogs"]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("9\t0\tC\tu1\n", ("log.tsv:9",)),
        ("8\tx\tC\tu1\n", ("log.tsv:9", 18, "'8\\tx\\tC\\tu1'")),
        ("8\t3\tM\tu1\n", ("log.tsv:9", "Q", "C")),
        ("8\t3\tC\n", ("log.tsv:9",)),
        ("7\t60\tC\tu1\n", ("log.tsv:9", "'7\\t60\\tC\\tu1'")),
        ("8\t4\tC\tu1\n8\t3\tC\tu1\n", ("log.tsv:10",)),
    ],
)
def test_session_log_errors_name_the_line(tmp_path, line: str, values: tuple[object, ...]) -> None:
    file = tmp_path / "log.tsv"
    file.write_text(LOG + line)
    with refused(FileError, *values):
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
    with refused(FileError, "log.tsv:1", 9, 7):
        ds.read_clicks(file)


PAGE = b"s\t0\tQ\tq\t1\tu1\tu2\tu3\n"


@pytest.mark.parametrize("line", [b"s\t6\tC\t", b"s\t6\tC", b"s\t6\tC\t\t\r", b"s\t6\tQ\tq\t\t"])
def test_a_line_cut_off_is_refused_by_number(line):
    with refused(FileError, 2):
        parse_session_log(PAGE + line + b"\n", "log")


def test_a_click_on_another_page_is_counted_and_left_out():
    clicks = parse_session_log(PAGE + b"s\t4\tC\tu2\ns\t5\tC\tu9\n", "log")
    assert clicks.rank.tolist() == [2]
    assert any("1 click" in note for note in clicks.notes)
