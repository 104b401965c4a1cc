"""CSV and TSV: quick and strict ways agree, and errors have lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from refusals import refused

from dissensus.data.readers.delimited import read_delimited
from dissensus.errors import FileError

HERE = Path("t.csv")


def read(text: str, separator: str = ",", **options: object) -> tuple[list[tuple], list[int]]:
    frame, line = read_delimited(HERE, separator, data=text.encode(), **options)
    return [tuple(frame.columns), *frame.rows()], line.tolist()


def test_both_ways_give_the_same() -> None:
    plain = "topic,doc\n1, x \n2,y\n"
    assert read(plain) == ([("topic", "doc"), ("1", "x"), ("2", "y")], [2, 3])
    assert read(plain.replace("2,y", '"2","y"')) == read(plain)
    assert read(plain.replace("\n", "\r\n")) == read(plain)
    assert read("topic,doc\n\n1,x\n2,y\n") == ([("topic", "doc"), ("1", "x"), ("2", "y")], [3, 4])
    assert read("1,x\n2,y\n", names=["a", "b"]) == ([("a", "b"), ("1", "x"), ("2", "y")], [1, 2])


def test_lines_after_a_quoted_line_break_count_on() -> None:
    assert read('topic,doc\n1,"two\nlines"\n2,y\n')[1] == [2, 4]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a,b\n1,2\n3\n", ("t.csv:3", 1)),
        ("a,A\n1,2\n", ("t.csv:1", "a")),
        ('a,b\n1,"x"y\n', ("t.csv:2",)),
        ("a\tb\tc\n1\t2\t3\n", ("t.csv:1",)),
        ("a,b\n", ("t.csv",)),
    ],
)
def test_what_is_refused(text: str, values: tuple[object, ...]) -> None:
    with refused(FileError, *values):
        read(text)


def test_a_column_without_a_name_is_numbered() -> None:
    assert read(",topic\n0,1\n")[0][0] == ("column 1", "topic")
