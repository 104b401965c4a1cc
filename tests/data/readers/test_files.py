"""Which files, what they are called, and the bytes in them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from refusals import refused

from dissensus.data.readers.files import contents, find_files, is_small, kind, stem
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
