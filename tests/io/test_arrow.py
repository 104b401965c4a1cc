"""Arrow files: the same rankings and labels as from other files, and damage that is named."""

from __future__ import annotations

import contextlib
import datetime
import gzip
import io
import random
import struct

import numpy as np
import polars as pl
import pytest
from refusals import refused
from small_files import file

import dissensus as ds
from dissensus.errors import FileError
from dissensus.io.columnar import read_arrow
from dissensus.io.damage.arrow import check_blocks
from dissensus.io.damage.parquet import DamagedBytes

RUN = pl.DataFrame({"topic": ["1", "1", "2"], "doc": ["a", "b", "a"], "score": [2.0, 3.0, 1.0]})
LABELS = pl.DataFrame({"topic": ["1", "2"], "doc": ["a", "b"], "assessor": ["ann", "bob"], "grade": [2, 0]})


@pytest.mark.parametrize("ending", ["arrow", "feather", "ipc"])
@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_runs_and_judgments_are_those_of_other_files(tmp_path, ending, compression) -> None:
    for name, table in (("bm25", RUN), ("labels", LABELS)):
        table.write_ipc(tmp_path / f"{name}.{ending}", compression=compression)
        table.write_csv(tmp_path / f"{name}.csv")
    runs, other = (ds.read_runs(tmp_path / f"bm25.{e}") for e in (ending, "csv"))
    assert runs.systems == ("bm25",)
    assert runs.to_frame().equals(other.to_frame())
    one, two = (ds.read_judgments(tmp_path / f"labels.{e}").to_frame() for e in (ending, "csv"))
    assert one.equals(two)


def test_large_files_go_through_kernels_and_are_the_same(tmp_path) -> None:
    n = 60_000
    rng = np.random.default_rng(0)
    docs = [f"FT911-{i:06}" for i in rng.permutation(n)]
    frame = pl.DataFrame({"topic": np.repeat([f"t{i}" for i in range(60)], 1000), "doc": docs, "score": rng.random(n)})
    frame.write_ipc(tmp_path / "a.arrow")
    frame.with_columns(pl.col("doc", "topic").cast(pl.Categorical)).write_ipc(tmp_path / "b.arrow", compression="lz4")
    slow = ds.Runs.from_columns(["a"] * n, *(frame[c].to_list() for c in ("topic", "doc", "score"))).to_frame()
    for name in ("a", "b"):
        assert ds.read_runs(tmp_path / f"{name}.arrow").to_frame().drop("system").equals(slow.drop("system"))


def test_a_file_of_ours_is_read_back(tmp_path) -> None:
    runs = ds.Runs.from_frame(RUN, system="bm25")
    runs.write(tmp_path / "r.arrow")
    runs.write(tmp_path / "r.arrow.gz")
    for name in ("r.arrow", "r.arrow.gz"):
        assert ds.read_runs(tmp_path / name).to_frame().equals(runs.to_frame())


def test_errors_name_the_row(tmp_path) -> None:
    pl.DataFrame({**LABELS.to_dict(), "grade": [2, -300]}).write_ipc(tmp_path / "a.arrow")
    with refused(ds.DissensusError, "a.arrow, row 2"):
        ds.read_judgments(tmp_path / "a.arrow")


def test_what_is_not_an_arrow_file(tmp_path) -> None:
    with refused(FileError, "ARROW1"):
        read_arrow(file(tmp_path, "a.arrow", "topic,doc\n1,x\n"))
    stream = io.BytesIO()
    RUN.write_ipc_stream(stream)
    (tmp_path / "s.arrow").write_bytes(stream.getvalue())
    with refused(FileError, "stream"):
        read_arrow(tmp_path / "s.arrow")
    with refused(FileError, "first version"):
        read_arrow(file(tmp_path, "old.feather", "FEA1" + "x" * 40))
    with refused(FileError, "e.arrow"):
        read_arrow(file(tmp_path, "e.arrow", ""))
    with refused(FileError, "gone.arrow"):
        read_arrow(tmp_path / "gone.arrow")
    RUN.head(0).write_ipc(tmp_path / "n.arrow")
    with refused(FileError, "no rows"):
        read_arrow(tmp_path / "n.arrow")


def test_files_that_are_cut_off_or_packed(tmp_path) -> None:
    out = io.BytesIO()
    RUN.write_ipc(out)
    for size in (8, 20, len(out.getvalue()) - 1):
        (tmp_path / "cut.arrow").write_bytes(out.getvalue()[:size])
        with refused(FileError, "cut.arrow"):
            read_arrow(tmp_path / "cut.arrow")
    (tmp_path / "p.arrow.gz").write_bytes(gzip.compress(out.getvalue()))
    assert read_arrow(tmp_path / "p.arrow.gz")[0].equals(RUN)


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
        except DamagedBytes:
            damaged += 1
    assert damaged > 1000


def test_a_packed_buffer_that_states_a_gigantic_size() -> None:
    data = written(compression="zstd")
    stated = struct.pack("<q", 800)  # 100 scores of eight bytes
    assert stated in data
    with refused(DamagedBytes):
        check_blocks(data.replace(stated, struct.pack("<q", 2**61)))
    with refused(DamagedBytes):
        check_blocks(data.replace(stated, struct.pack("<q", 8)))


def test_what_passes_is_read_by_polars_without_harm() -> None:
    """A few hundred changed files that pass: Polars reads them or raises, and the process lives."""
    rng = random.Random(1)
    for compression in ("uncompressed", "lz4", "zstd"):
        data = written(compression=compression)
        for _ in range(100):
            at = rng.randrange(len(data))
            broken = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
            with contextlib.suppress(DamagedBytes):
                check_blocks(broken)
                with contextlib.suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
                    pl.read_ipc(io.BytesIO(broken))
