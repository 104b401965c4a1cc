"""One table from every format, with places and roles."""

from __future__ import annotations

import polars as pl
import pytest
from refusals import refused
from small_files import file

from dissensus.data.readers.table import read_table
from dissensus.errors import FileError


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
    table = read_table(path, {"topic": "a"})
    assert table["topic"].to_list() == ["1", "2"]
    assert table.rows(table["doc"].to_numpy() == "y").place(0) == f"{path}:4"
    with refused(FileError, "t.csv:2", "text"):
        table.column("text", "text")
    with refused(FileError, "qid"):
        read_table(path, {"topic": "qid"})
    with refused(FileError, "grade"):
        table.find("grade")
