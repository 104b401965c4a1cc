"""One table from every format, with places and roles; of CSV the quick and the strict way, with lines in errors."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from small_files import file

import dissensus as ds
from dissensus.errors import FileError
from dissensus.io import table as tables
from dissensus.io.options import ReadOptions
from dissensus.io.table import _regular, open_table, read_delimited, read_table


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_the_same_table_from_every_format(tmp_path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    frame = pl.DataFrame({"qid": ["1", "2"], "docno": ["x", "y"]})
    {"csv": frame.write_csv, "tsv": lambda p: frame.write_csv(p, separator="\t"), "jsonl": frame.write_ndjson,
     "parquet": frame.write_parquet}[ending](path)  # fmt: skip
    table = read_table(path)
    assert (table["topic"].to_list(), table["doc"].to_list()) == (["1", "2"], ["x", "y"])
    assert table.place(1) == {"jsonl": f"{path}:2", "parquet": f"{path}, row 2"}.get(ending, f"{path}:3")
    assert table.has("assessor") is None


def test_columns_the_user_names(tmp_path) -> None:
    path = file(tmp_path, "t.csv", 'a,doc,text\n1,x,"two\nlines"\n2,y,one\n')
    table = read_table(path, ReadOptions.of(columns={"topic": "a"}).judgments)
    assert table["topic"].to_list() == ["1", "2"]
    assert table.rows(table["doc"].to_numpy() == "y").place(0) == f"{path}:4"
    with refused(FileError, "t.csv:2", "text"):
        table.column("text", "text")
    with refused(FileError, "qid"):
        read_table(path, ReadOptions.of(columns={"topic": "qid"}).judgments).find("topic")
    with refused(FileError, "grade"):
        table.find("grade")


def test_numbers_name_columns(tmp_path) -> None:
    path = file(tmp_path, "t.csv", "1;x;2\n1;y;0\n")
    table = open_table(path, ReadOptions.of(columns={"topic": "1", "doc": "2", "grade": "3"}).judgments)
    assert table["doc"].to_list() == ["x", "y"]
    assert table.place(1) == f"{path}:2"


def test_a_txt_whose_columns_are_named_tells_what_separates_them(tmp_path) -> None:
    for mark in ("\t", ","):
        lines = [mark.join(words) for words in (("topicID", "workerID", "docID", "label"), ("1", "w", "d", "2"))]
        path = file(tmp_path, "crowd.txt", "\n".join(lines) + "\n")
        columns = {"topic": "topicID", "assessor": "workerID", "doc": "docID", "grade": "label"}
        assert ds.read_judgments(path, columns=columns).to_frame().rows() == [("1", "d", "w", 2)]


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


def regular_twin(text: str, width: int) -> bool:
    lines = text.removesuffix("\n").split("\n")
    return width > 1 and all(line.count(",") == width - 1 and len(line.encode()) >= width for line in lines)


def joined(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Texts of tables with one to three columns and up to six lines."""
    lines = [st.lists(values, min_size=width, max_size=width).map(",".join) for width in (1, 2, 3)]
    return st.one_of([st.lists(line, min_size=1, max_size=6).map("\n".join).filter(len) for line in lines])


PLAIN = joined(st.sampled_from(["", "", "a", "é", "12"])) | st.text("a,é\n", min_size=1, max_size=12)
QUOTED = joined(
    st.sampled_from(["a", "b", '"c"', '"d e"', '""', '" f "', "'=1", '"g,h"', '"i""j"', '"k\nl"', 'm"', "é"])
)


@settings(max_examples=300, deadline=None)
@given(PLAIN, st.booleans(), st.integers(1, 4), st.integers(0, 9))
def test_regular_files_are_those_of_the_slow_twin_in_blocks_of_any_size(
    text: str, ended: bool, width: int, block: int
) -> None:
    text = text + "\n" if ended else text
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "BLOCK", block)
        assert _regular(text.encode(), ",", width) == regular_twin(text, width)


@settings(max_examples=500, deadline=None)
@given(
    QUOTED | st.text('ab,"\n\r ', min_size=1, max_size=14),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([None, ["x", "y"]]),
    st.integers(0, 9),
)
def test_quick_and_strict_reader_agree_on_quotes(text: str, end: str, names: list[str] | None, block: int) -> None:
    text = (text + "\n").replace("\n", end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "BLOCK", block)
        quick = read_or_error(text, names)
        patch.setattr(tables, "_regular", lambda *_: False)
        assert quick == read_or_error(text, names)


def read_or_error(text: str, names: list[str] | None) -> object:
    try:
        return read(text, names=names)
    except FileError as error:
        return str(error)


def test_quotes_around_whole_values_need_no_strict_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_strictly", None)
    assert read('"topic","doc"\r\n"1"," x "\r\n2,""') == ([("topic", "doc"), ("1", "x"), ("2", "")], [2, 3])
