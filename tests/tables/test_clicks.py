"""Click logs: every format, what is dropped, what is refused."""

from __future__ import annotations

from refusals import refused

from dissensus.errors import FileError
from dissensus.tables.clicks import Clicks


def test_from_frame_refuses_nothing_silently() -> None:
    frame = {"session": [1, 1], "query": ["a", "a"], "rank": [2, 1], "time": [3, 1]}
    assert Clicks.from_frame(frame).rank.tolist() == [1, 2]
    with refused(FileError, 1, "-1"):
        Clicks.from_frame({**frame, "rank": [-1, 1]})
