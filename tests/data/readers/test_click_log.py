"""The session log: a line that was cut off is refused, not counted as a click on nothing."""

from __future__ import annotations

import pytest

from dissensus.data.readers.click_log import parse_session_log
from dissensus.errors import FileError

PAGE = b"s\t0\tQ\tq\t1\tu1\tu2\tu3\n"


@pytest.mark.parametrize("line", [b"s\t6\tC\t", b"s\t6\tC", b"s\t6\tC\t\t\r", b"s\t6\tQ\tq\t\t"])
def test_a_line_cut_off_is_refused_by_number(line):
    with pytest.raises(FileError, match="log:2 has too few fields"):
        parse_session_log(PAGE + line + b"\n", "log")


def test_a_click_on_another_page_is_counted_and_left_out():
    clicks = parse_session_log(PAGE + b"s\t4\tC\tu2\ns\t5\tC\tu9\n", "log")
    assert clicks.rank.tolist() == [2]
    assert any("1 click" in note for note in clicks.notes)
