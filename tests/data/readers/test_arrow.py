"""Arrow files: the same rankings and labels as from other files, and damage that is named."""

from __future__ import annotations

import gzip
import io

import numpy as np
import polars as pl
import pytest
from refusals import refused
from small_files import file

import dissensus as ds
from dissensus.data.readers.arrow import read_arrow
from dissensus.errors import FileError

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
    with refused(FileError, "e.arrow", by="files"):
        read_arrow(file(tmp_path, "e.arrow", ""))
    with refused(FileError, "gone.arrow", by="files"):
        read_arrow(tmp_path / "gone.arrow")
    RUN.head(0).write_ipc(tmp_path / "n.arrow")
    with refused(FileError, "no rows"):
        read_arrow(tmp_path / "n.arrow")


def test_files_that_are_cut_off_or_packed(tmp_path) -> None:
    out = io.BytesIO()
    RUN.write_ipc(out)
    for size in (8, 20, len(out.getvalue()) - 1):
        (tmp_path / "cut.arrow").write_bytes(out.getvalue()[:size])
        with refused(FileError, "cut.arrow", by="arrow"):
            read_arrow(tmp_path / "cut.arrow")
    (tmp_path / "p.arrow.gz").write_bytes(gzip.compress(out.getvalue()))
    assert read_arrow(tmp_path / "p.arrow.gz")[0].equals(RUN)
