"""Files packed with gzip or zstd: whole, of several frames, cut off, damaged, too large."""

from __future__ import annotations

import gzip
import io
import threading
from pathlib import Path

import numpy as np
import pytest
import zstandard
from refusals import refused

import dissensus as ds
from dissensus.data.readers.files import contents, kind, stem
from dissensus.data.readers.packed import GzipFile, ZstdFile, read_ahead
from dissensus.errors import FileError

RUN = "".join(f"{t} Q0 d{i} {i} {100 - i} tag\n" for t in range(1, 40) for i in range(50)).encode()
QRELS = "".join(f"{t} 0 d{i} {i % 3}\n" for t in range(1, 40) for i in range(50)).encode()


def pack(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def test_frames_follow_each_other() -> None:
    packed = pack(b"one ") + pack(b"") + pack(b"two" * 100_000)
    assert io.BufferedReader(ZstdFile(io.BytesIO(packed))).read() == b"one " + b"two" * 100_000


def test_runs_and_qrels_are_read_as_if_they_were_not_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    for name, data in (("bm25.run", RUN), ("ann.qrels", QRELS)):
        (tmp_path / name).write_bytes(data)
        (tmp_path / "a" / f"{name}.zst").write_bytes(pack(data))
    for small in (1 << 30, 0):  # the plain reader, and the scanner
        monkeypatch.setattr("dissensus.data.readers.files.SMALL", small)
        runs = [ds.read_runs(tmp_path / "bm25.run"), ds.read_runs(tmp_path / "a" / "bm25.run.zst")]
        labels = [ds.read_judgments(tmp_path / "ann.qrels"), ds.read_judgments(tmp_path / "a" / "ann.qrels.zst")]
        assert runs[0].to_frame().equals(runs[1].to_frame())
        assert labels[0].to_frame().equals(labels[1].to_frame())
        one, two = (ds.evaluate(r, j, "AP")["AP"].values for r, j in zip(runs, labels, strict=True))
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("small", [1 << 30, 0])
def test_what_is_cut_off_or_damaged_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr("dissensus.data.readers.files.SMALL", small)
    packed = pack(RUN)
    path = tmp_path / "bm25.run.zst"
    path.write_bytes(packed[:-20])
    with refused(FileError, "bm25.run.zst", by="files"):
        ds.read_runs(path)
    path.write_bytes(packed[:8] + b"\xff" * 40 + packed[48:])
    with refused(FileError, "bm25.run.zst", by="files"):
        ds.read_runs(path)


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISSENSUS_MAX_UNPACKED", "1M")
    path = tmp_path / "a.run.zst"
    path.write_bytes(pack(b"0" * (20 << 20)))
    with refused(FileError, "DISSENSUS_MAX_UNPACKED=64M"):
        contents(path)


def test_names_and_writing(tmp_path: Path) -> None:
    assert (stem(Path("x.v2.run.zst")), kind(Path("a.CSV.ZST"))) == ("x.v2", "csv")
    runs = ds.Runs.from_dict({"bm25": {"1": {"a": 2.0, "b": 1.0}}})
    runs.write(tmp_path / "bm25.run.zst")
    assert ds.read_runs(tmp_path / "bm25.run.zst").to_frame().equals(runs.to_frame())


@pytest.mark.parametrize("more", [b"", b"\0" * 7])
def test_members_of_gzip_follow_each_other(more: bytes) -> None:
    packed = gzip.compress(b"one ") + more + gzip.compress(b"") + gzip.compress(b"two" * 2_000_000) + more
    assert io.BufferedReader(GzipFile(io.BytesIO(packed))).read() == b"one " + b"two" * 2_000_000


# mtime: the time of packing is in the bytes, and so would be in the test's name.
@pytest.mark.parametrize("more", [b"x", b"\0x", gzip.compress(b"text", mtime=0)[:-3], b"\x1f"])
def test_what_follows_a_member_of_gzip_is_one_or_an_error(tmp_path: Path, more: bytes) -> None:
    path = tmp_path / "a.run.gz"
    path.write_bytes(gzip.compress(b"one") + more)
    with refused(FileError, "a.run.gz", by="files"):
        contents(path)


def test_a_wrong_checksum_is_an_error(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(RUN))
    packed[-6] ^= 1
    (tmp_path / "a.run.gz").write_bytes(packed)
    with refused(FileError, "a.run.gz", by="files"):
        contents(tmp_path / "a.run.gz")


@pytest.mark.parametrize("size", [0, 1, 1000, 1 << 19, (1 << 21) + 17])
def test_reading_ahead_gives_the_same_bytes(size: int) -> None:
    data = np.random.default_rng(size).integers(0, 256, size).astype(np.uint8).tobytes()
    found = bytearray()
    with read_ahead(io.BytesIO(data).readinto) as read:
        target = memoryview(bytearray(100_000))
        while got := read(target):
            found += target[:got]
        assert read(target) == 0
    assert bytes(found) == data


def test_reading_ahead_hands_on_errors_and_can_be_left() -> None:
    def broken(target: object) -> int:
        raise EOFError("cut off")

    with pytest.raises(EOFError), read_ahead(broken) as read:
        read(memoryview(bytearray(10)))
    before = threading.active_count()
    with read_ahead(lambda target: len(target)) as read:
        assert read(memoryview(bytearray(10))) == 10
    assert threading.active_count() == before
