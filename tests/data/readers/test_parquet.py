"""Parquet: rows with numbers, and damage that is named."""

from __future__ import annotations

import polars as pl
import pytest
from refusals import refused
from small_files import file

from dissensus.data.readers.parquet import damage_named, read_parquet, refuse_damaged_file
from dissensus.errors import FileError


def test_rows_count_from_one(tmp_path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"topic": ["1", "2"]}).write_parquet(path)
    frame, row = read_parquet(path)
    assert (frame["topic"].to_list(), row.tolist()) == (["1", "2"], [1, 2])
    refuse_damaged_file(path)
    pl.DataFrame({"topic": []}).write_parquet(path)
    with refused(FileError, "a.parquet", by="parquet"):
        read_parquet(path)


def test_what_is_not_parquet(tmp_path) -> None:
    with refused(FileError, "PAR1"):
        read_parquet(file(tmp_path, "a.parquet", "topic,doc\n1,x\n"))
    with refused(FileError, "b.parquet", by="parquet"):
        refuse_damaged_file(file(tmp_path, "b.parquet", "PAR1"))
    with refused(FileError, "gone.parquet", by="parquet"):
        refuse_damaged_file(tmp_path / "gone.parquet")


def test_errors_of_polars_name_the_file_and_the_row() -> None:
    with refused(FileError, "x.parquet", 7), damage_named("x.parquet", 7):
        raise pl.exceptions.ComputeError("bad page")
    with pytest.raises(FileError, match="mine"), damage_named("x.parquet"):
        raise FileError("mine")
    with refused(FileError, "x.parquet", by="parquet"), damage_named("x.parquet"):
        raise MemoryError
