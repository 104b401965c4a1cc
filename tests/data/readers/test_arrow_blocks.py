"""Damaged Arrow files: no size that cannot be right reaches Polars, and sound files of every writer pass."""

from __future__ import annotations

import contextlib
import datetime
import io
import random
import struct

import polars as pl
import pytest
from refusals import refused

from dissensus.data.readers.arrow_blocks import check_blocks
from dissensus.data.readers.parquet_pages import Damaged

FRAME = pl.DataFrame(
    {
        "topic": ["q1"] * 50 + ["q2"] * 50,
        "doc": [f"a document with a long name {i}" for i in range(100)],
        "score": [i / 7 for i in range(100)],
    }
)


def written(frame: pl.DataFrame = FRAME, compression: str = "uncompressed") -> bytes:
    out = io.BytesIO()
    frame.write_ipc(out, compression=compression)
    return out.getvalue()


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_sound_files_pass(compression: str) -> None:
    assert check_blocks(written(compression=compression)) > 0
    coded = FRAME.with_columns(pl.col("topic").cast(pl.Categorical), pl.col("doc").cast(pl.Enum(FRAME["doc"].unique())))
    assert check_blocks(written(coded, compression)) > 0
    assert check_blocks(written(FRAME.head(0), compression)) == 0


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_columns_of_every_type_pass(compression: str | None) -> None:
    pa = pytest.importorskip("pyarrow")
    now = datetime.datetime(2020, 1, 1)
    columns = {
        "int8": pa.array([1, None, 3], pa.int8()), "float16": pa.array([1.5, 2, None], pa.float16()),
        "bool": pa.array([True, False, None]), "null": pa.array([None, None, None]),
        "text": pa.array(["x", None, "y" * 40]), "large": pa.array(["x", "y", None], pa.large_string()),
        "view": pa.array(["x", "y" * 40, None], pa.string_view()), "bytes": pa.array([b"ab"] * 3, pa.binary(2)),
        "coded": pa.array(["a", "b", "a"]).dictionary_encode(), "date": pa.array([now.date()] * 3),
        "time": pa.array([now.time()] * 3), "moment": pa.array([now] * 3), "span": pa.array([now - now] * 3),
        "decimal": pa.array([None] * 3, pa.decimal128(5, 2)), "list": pa.array([[1, 2], [], None]),
        "pairs": pa.array([[1, 2]] * 3, pa.list_(pa.int32(), 2)), "map": pa.array([[("k", 1)], [], None],
        pa.map_(pa.string(), pa.int64())), "struct": pa.array([{"x": 1, "y": "z"}, None, {"x": 2, "y": "q"}]),
    }  # fmt: skip
    table = pa.table(columns)
    out = io.BytesIO()
    with pa.ipc.new_file(out, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as file:
        file.write_table(table)
    assert check_blocks(out.getvalue()) > 0


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_no_change_of_a_byte_leads_astray(compression: str) -> None:
    """Every changed or cut file is found damaged, or passes; nothing else happens, and no size explodes."""
    data, rng = written(compression=compression), random.Random(0)
    damaged = 0
    for _ in range(3000):
        at = rng.randrange(len(data))
        broken = rng.choice(
            [data[:at], data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :], data[:at] + data[at + 3 :]]
        )
        try:
            assert check_blocks(broken) < 1 << 28
        except Damaged:
            damaged += 1
    assert damaged > 1000


def test_a_packed_buffer_that_states_a_gigantic_size() -> None:
    data = written(compression="zstd")
    stated = struct.pack("<q", 800)  # 100 scores of eight bytes
    assert stated in data
    with refused(Damaged, by="arrow_blocks"):
        check_blocks(data.replace(stated, struct.pack("<q", 2**61)))
    with refused(Damaged, by="arrow_blocks"):
        check_blocks(data.replace(stated, struct.pack("<q", 8)))


def test_what_passes_is_read_by_polars_without_harm() -> None:
    """A few hundred changed files that pass: Polars reads them or raises, and the process lives."""
    rng = random.Random(1)
    for compression in ("uncompressed", "lz4", "zstd"):
        data = written(compression=compression)
        for _ in range(100):
            at = rng.randrange(len(data))
            broken = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
            with contextlib.suppress(Damaged):
                check_blocks(broken)
                with contextlib.suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
                    pl.read_ipc(io.BytesIO(broken))
