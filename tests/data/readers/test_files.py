"""Which files, what they are called, and the bytes and text in them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from refusals import refused
from small_files import file

from dissensus.data.readers.files import (
    contents,
    decode,
    find_files,
    is_small,
    kind,
    line_at,
    lines_of,
    looks_like_json,
    stem,
)
from dissensus.errors import FileError


def test_files_once_and_by_name(tmp_path: Path) -> None:
    for name in ("b.run", "a.run", "note.md"):
        (tmp_path / name).write_text("x")
    (tmp_path / "link.run").symlink_to(tmp_path / "a.run")
    found = find_files([tmp_path / "*.run", [str(tmp_path / "b.run")]], "read_runs")
    assert [p.name for p in found] == ["a.run", "b.run"]


@pytest.mark.parametrize(("name", "value"), [("a.rum", "a.run"), ("*.csv", "*.csv"), (".", "*"), ("no/x", "no/x")])
def test_what_is_not_there_says_what_is(tmp_path: Path, name: str, value: str) -> None:
    (tmp_path / "a.run").write_text("x")
    with refused(FileError, tmp_path, value):
        find_files([tmp_path / name], "read_runs")


def test_names_and_formats() -> None:
    assert [stem(Path(p)) for p in ("x.run.gz", "a.b.v2", ".run", "q.qrels")] == ["x", "a.b.v2", ".run", "q.qrels"]
    assert stem(Path("q.qrels"), qrels=True) == "q"
    assert [kind(Path(p)) for p in ("a.CSV.gz", "a.ndjson", "a.json", "a.parquet", "a.csv.txt")] == [
        "csv", "jsonl", "json", "parquet", "trec",
    ]  # fmt: skip


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


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_json_is_known_by_its_name_or_its_first_byte(tmp_path) -> None:
    assert looks_like_json(file(tmp_path, "a.jsonl", "x"))
    assert looks_like_json(file(tmp_path, "labels", '\ufeff  {"a": 1}'))
    assert not looks_like_json(file(tmp_path, "a.run", "1 Q0 d 1 2 t"))


def test_a_topic_that_begins_with_a_bracket_is_not_json(tmp_path) -> None:
    assert not looks_like_json(file(tmp_path, "a.run", "[302 Q0 d 0 -1e-3 tag\r\n"))
    assert not looks_like_json(file(tmp_path, "a.qrels", "{a} 0 d 2\n"))
    assert looks_like_json(file(tmp_path, "b.qrels", '{"q1": {"d": 2, "e": 1}}\n'))
    assert looks_like_json(file(tmp_path, "c.qrels", '[{"topic": 1}]\n'))
