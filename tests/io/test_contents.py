"""The bytes and the text in files: packed ones whole, of several frames, cut off, damaged, too large; UTF-8 or not."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
import zstandard
from refusals import refused

import dissensus as ds
from dissensus.errors import FileError
from dissensus.io.contents import ZstdFile, contents, decode, line_at, lines_of
from dissensus.io.files import is_small, kind, stem

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
        monkeypatch.setattr("dissensus.io.files.SMALL", small)
        runs = [ds.read_runs(tmp_path / "bm25.run"), ds.read_runs(tmp_path / "a" / "bm25.run.zst")]
        labels = [ds.read_judgments(tmp_path / "ann.qrels"), ds.read_judgments(tmp_path / "a" / "ann.qrels.zst")]
        assert runs[0].to_frame().equals(runs[1].to_frame())
        assert labels[0].to_frame().equals(labels[1].to_frame())
        one, two = (ds.evaluate(r, j, "AP")["AP"].values for r, j in zip(runs, labels, strict=True))
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("small", [1 << 30, 0])
def test_what_is_cut_off_or_damaged_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    monkeypatch.setattr("dissensus.io.files.SMALL", small)
    packed = pack(RUN)
    path = tmp_path / "bm25.run.zst"
    path.write_bytes(packed[:-20])
    with refused(FileError, "bm25.run.zst"):
        ds.read_runs(path)
    path.write_bytes(packed[:8] + b"\xff" * 40 + packed[48:])
    with refused(FileError, "bm25.run.zst"):
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
def test_members_of_gzip_follow_each_other(tmp_path: Path, more: bytes) -> None:
    packed = gzip.compress(b"one ") + more + gzip.compress(b"") + gzip.compress(b"two" * 2_000_000) + more
    (tmp_path / "a.txt.gz").write_bytes(packed)
    assert contents(tmp_path / "a.txt.gz") == b"one " + b"two" * 2_000_000


# mtime: the time of packing is in the bytes, and so would be in the test's name.
@pytest.mark.parametrize("more", [b"x", b"\0x", gzip.compress(b"text", mtime=0)[:-3], b"\x1f"])
def test_what_follows_a_member_of_gzip_is_one_or_an_error(tmp_path: Path, more: bytes) -> None:
    path = tmp_path / "a.run.gz"
    path.write_bytes(gzip.compress(b"one") + more)
    with refused(FileError, "a.run.gz"):
        contents(path)


def test_a_wrong_checksum_is_an_error(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(RUN))
    packed[-6] ^= 1
    (tmp_path / "a.run.gz").write_bytes(packed)
    with refused(FileError, "a.run.gz"):
        contents(tmp_path / "a.run.gz")


def test_bytes_are_unpacked_by_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(gzip.compress(b"text"))
    assert contents(path) == b"text"
    for data, value in (
        (gzip.compress(b"text")[:-6], "a.txt"),
        (b"", "a.txt"),
        (b"PK\x03\x04", "a.txt"),
        (b"\x28\xb5\x2f\xfd", "a.txt"),
    ):
        path.write_bytes(data)
        with refused(FileError, value):
            contents(path)


def test_reserved_flags_of_gzip_are_refused(tmp_path: Path) -> None:
    """RFC 1952 asks for an error; Python's gzip reads on."""
    packed = bytearray(gzip.compress(RUN))
    packed[3] |= 0x20
    (tmp_path / "a.run.gz").write_bytes(packed)
    with refused(FileError, "a.run.gz", "damaged"):
        ds.read_runs(tmp_path / "a.run.gz")


def test_a_bomb_in_gzip_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISSENSUS_MAX_UNPACKED", "1M")
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"0" * (20 << 20)))
    with refused(FileError, "DISSENSUS_MAX_UNPACKED=64M"):
        contents(path)
    assert is_small([path])


def test_a_byte_order_mark_is_no_text() -> None:
    assert decode("\ufeffé\n".encode(), "f") == "é\n"


@pytest.mark.parametrize(
    ("data", "values"),
    [
        ("é".encode("utf-16"), ("UTF-16",)),
        ("x".encode("utf-32"), ("UTF-32",)),
        (b"a\nb\xff\n", ("f:2", "UTF-8", "0xff")),
        ("ab".encode("utf-16-le") * 9, ()),
        (b"aaaaaaaa\r\nbb\x01", ("f:2", "0x01")),
        (b"aaaaaaaaaaaa\0", ("f:1", "NUL")),
        (b" \n ", ()),
    ],
)
def test_what_is_refused(data: bytes, values: tuple[object, ...]) -> None:
    with refused(FileError, "f", *values):
        decode(data, "f")


def test_lines_end_in_three_ways() -> None:
    data = b"a\nb\r\nc\rd"
    assert [line_at(data, data.index(c)) for c in (b"a", b"b", b"c", b"d")] == [1, 2, 3, 4]
    assert list(lines_of(data.decode())) == ["a", "b", "c", "d"]
    assert list(lines_of("a\vb\fc\u2028d\x85e\n")) == ["a\vb\fc\u2028d\x85e", ""]


def test_every_control_character_is_found_and_no_other_byte() -> None:
    for byte in range(128):
        data = b"ab" + bytes([byte]) + b"cdefgh"
        if byte < 32 and byte not in b"\t\n\x0b\x0c\r":
            with pytest.raises(FileError):
                decode(data, "f")
        else:
            assert decode(data, "f") == data.decode()
