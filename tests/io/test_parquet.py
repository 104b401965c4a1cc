"""Parquet: rows with numbers, and damage that is named."""

from __future__ import annotations

import contextlib
import io
import random

import polars as pl
import pytest
from refusals import refused
from small_files import file

import dissensus as ds
from bench import damage
from dissensus.errors import DissensusError, FileError
from dissensus.io.columnar import damage_named, read_parquet, refuse_damaged_file
from dissensus.io.damage.parquet import DamagedBytes, Thrift, check_pages


def test_rows_count_from_one(tmp_path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"topic": ["1", "2"]}).write_parquet(path)
    frame, row = read_parquet(path)
    assert (frame["topic"].to_list(), row.tolist()) == (["1", "2"], [1, 2])
    refuse_damaged_file(path)
    pl.DataFrame({"topic": []}).write_parquet(path)
    with refused(FileError, "a.parquet"):
        read_parquet(path)


def test_what_is_not_parquet(tmp_path) -> None:
    with refused(FileError, "PAR1"):
        read_parquet(file(tmp_path, "a.parquet", "topic,doc\n1,x\n"))
    with refused(FileError, "b.parquet"):
        refuse_damaged_file(file(tmp_path, "b.parquet", "PAR1"))
    with refused(FileError, "gone.parquet"):
        refuse_damaged_file(tmp_path / "gone.parquet")


def test_errors_of_polars_name_the_file_and_the_row() -> None:
    with refused(FileError, "x.parquet", 7), damage_named("x.parquet", 7):
        raise pl.exceptions.ComputeError("bad page")
    with pytest.raises(FileError, match="mine"), damage_named("x.parquet"):
        raise FileError("mine")
    with refused(FileError, "x.parquet"), damage_named("x.parquet"):
        raise MemoryError


FRAME = pl.DataFrame({"topic": ["q1"] * 50 + ["q2"] * 50, "doc": [f"d{i}" for i in range(100)], "score": range(100)})


def written(compression="zstd", **more):
    out = io.BytesIO()
    FRAME.write_parquet(out, compression=compression, **more)
    return out.getvalue()


@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip", "uncompressed"])
def test_sound_files_pass(compression):
    check_pages(written(compression))
    check_pages(written(compression, row_group_size=10, data_page_size=64))


def test_files_of_other_writers_pass():
    parquet = pytest.importorskip("pyarrow.parquet")
    for version in ("1.0", "2.0"):
        out = io.BytesIO()
        parquet.write_table(FRAME.to_arrow(), out, data_page_version=version)
        check_pages(out.getvalue())


def page_headers(data):
    """Where the number of values of each data page is: the numbers whose damage aborted the process."""
    wanted = bytes([0x15, 0xC8, 0x01])  # field, then zigzag of 100
    return [i + 1 for i in range(len(data)) if data[i : i + 3] == wanted]


def test_numbers_of_values_that_aborted_the_process(tmp_path):
    data = written()
    places = page_headers(data)
    assert places
    for place in places:
        for byte in (0xFF, 0xCF, 0xC9):
            damaged = bytearray(data)
            damaged[place] = byte
            with pytest.raises(DamagedBytes):
                check_pages(bytes(damaged))


def test_cut_and_changed_files_are_refused_or_read(tmp_path):
    rng, data = random.Random(0), written()
    path = tmp_path / "a.parquet"
    refused = 0
    for _ in range(150):
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 2, 4])):
            damaged[rng.randrange(len(damaged))] = rng.choice([0, 127, 255, rng.randrange(256)])
        path.write_bytes(damaged if rng.random() < 0.9 else damaged[: rng.randrange(len(damaged))])
        for read in (lambda: ds.read_runs(path), lambda: refuse_damaged_file(path)):
            with contextlib.suppress(ds.DissensusError):
                read()
                continue
            refused += 1
    assert refused > 100


@pytest.mark.parametrize(
    "data", [b"", b"PAR1", b"PAR1" * 3, b"PAR1\xff\xff\xff\xffPAR1", b"PAR1" + b"\xff" * 20 + b"PAR1"]
)
def test_no_files_at_all(tmp_path, data):
    path = tmp_path / "a.parquet"
    path.write_bytes(data)
    with refused(FileError, "a.parquet"):
        ds.read_runs(path)
    with refused(FileError, "a.parquet"):
        refuse_damaged_file(path)


def test_thrift_numbers_and_limits():
    assert Thrift(bytes([0x15, 0x04, 0x00])).struct() == {1: 2}
    assert Thrift(bytes([0x15, 0x03, 0x00])).struct() == {1: -2}
    for nonsense in (
        b"\x15",
        b"\x15" + b"\xff" * 11,
        b"\x1c" * 100,
        b"\x18\x7f",
        b"\x19\xfc\xff\xff\x03",
        b"\x1b\x00",
        b"\x1e",
    ):
        with pytest.raises(DamagedBytes):
            Thrift(nonsense).struct()


@pytest.mark.parametrize("seed", [8237, 532, 555, 997, *range(60)])
def test_damaged_files_are_refused_or_read(tmp_path, seed):
    """8237 held a category that is no UTF-8, which ended in a foreign exception; three others abort plain Polars."""
    rng = random.Random(seed)
    data, ending = damage.valid(rng)
    path = tmp_path / f"damaged{ending}"
    path.write_bytes(damage.damaged(data, rng))
    with contextlib.suppress(DissensusError):
        assert ds.read_runs(path).to_frame().rows()
