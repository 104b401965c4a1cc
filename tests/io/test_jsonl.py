"""JSON lines: objects, lines and what is not one."""

from __future__ import annotations

from pathlib import Path

import pytest
from refusals import refused

from dissensus.errors import FileError
from dissensus.io.jsonl import WITH_NAN, read_jsonl

HERE = Path("t.jsonl")


def test_columns_are_keys_and_lines_are_kept() -> None:
    frame, line = read_jsonl(HERE, b'{"topic": 1, "doc": "x"}\n\n{"doc": "y", "grade": 2}\n')
    assert frame.columns == ["topic", "doc", "grade"]
    assert frame["doc"].to_list() == ["x", "y"]
    assert frame["grade"].to_list() == [None, 2]
    assert line.tolist() == [1, 3]


@pytest.mark.parametrize("line", ["{", "[1]", "3", '{"a": 1, "a": 2}', '{"a": NaN}', '{"a": "\\ud800"}', "[" * 100_000])
def test_what_is_not_an_object_is_refused_by_line(line: str) -> None:
    with refused(FileError, "t.jsonl:2"):
        read_jsonl(HERE, b'{"a": 1}\n' + line.encode())


def test_whole_documents_of_other_tools_may_hold_nan() -> None:
    assert WITH_NAN.decode('{"a": NaN}') == {"a": None}
    with refused(ValueError):
        WITH_NAN.decode('{"a": Infinity}')
