"""Folders at addresses: converted and plain ones give the numbers of the same folder here, whole and in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from refusals import refused

import dissensus as ds
from dissensus.cli import main
from dissensus.errors import FileError
from dissensus.io import elsewhere, partition

fsspec = pytest.importorskip("fsspec")
RUN = "".join(f"q{t} Q0 d{(r + t) % 5} {r} {9 - r} x\n" for t in range(6) for r in range(4))
LABELS = "".join(f"q{t} 0 d{d} {(t + d) % 3}\n" for t in range(6) for d in range(5))


@pytest.fixture
def converted(tmp_path: Path) -> Path:
    for name, text in {"a.run": RUN, "b.run": RUN.replace(" 9 ", " 1 "), "ann.qrels": LABELS}.items():
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("a.run", "b.run", "ann.qrels")]
    assert main(["convert", *files, "-o", str(tmp_path / "data"), "--parts", "3"]) == 0
    return tmp_path / "data"


@pytest.fixture
def memory(converted: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    store = fsspec.filesystem("memory")
    store.put(f"{converted}/", "/bucket/data/", recursive=True)
    store.put(f"{converted.parent}/a.run", "/bucket/plain/a.run")
    monkeypatch.setattr(elsewhere, "_listed", {})
    yield "memory://bucket"
    store.rm("/bucket", recursive=True)


def test_a_converted_folder_of_a_store_gives_the_same_numbers(
    converted: Path, memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = ds.evaluate(converted, converted, ["AP", "nDCG@3"])
    assert ds.evaluate(f"{memory}/data", f"{memory}/data/", ["AP", "nDCG@3"]).equals(here)
    assert ds.evaluate(converted.as_uri(), f"{memory}/data/judgments", ["AP", "nDCG@3"]).equals(here)
    monkeypatch.setattr(partition, "LARGE", 0)
    copied: list[str] = []
    monkeypatch.setattr(elsewhere.Fetched, "__fspath__", lambda self: shown(self, copied))
    assert ds.evaluate(f"{memory}/data", f"{memory}/data", ["AP", "nDCG@3"]).equals(here)
    assert not copied  # pieces are read where they lie


def shown(path: elsewhere.Fetched, copied: list[str]) -> str:
    copied += [path.address] * bool(path.address)
    return str(path)


def test_a_plain_folder_of_a_store_is_every_file_in_it(memory: str) -> None:
    assert ds.read_runs(f"{memory}/plain").systems == ("a",)


def test_parts_that_are_gone_or_damaged_are_refused(memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition, "LARGE", 0)
    store = fsspec.filesystem("memory")
    path = sorted(store.find("/bucket/data/runs"))[0]
    whole = store.cat_file(path)
    store.pipe_file(path, whole[:-9] + b"x" + whole[-8:])
    with refused(FileError, f"memory:/{path}", "checksum"):
        ds.evaluate(f"{memory}/data", f"{memory}/data", "AP")
    store.rm_file(path)
    monkeypatch.setattr(elsewhere, "_listed", {})
    with refused(FileError, f"memory:/{path}", "missing"):
        ds.read_runs(f"{memory}/data")


def test_nothing_is_converted_into_a_store(
    converted: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(converted.parent)
    assert main(["convert", "a.run", "ann.qrels", "-o", "s3://bucket/data"]) == 2
    assert "address" in capsys.readouterr().err
    assert not Path("s3:").exists()


def test_s3_is_such_a_store(converted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moto = pytest.importorskip("moto.server")
    s3fs = pytest.importorskip("s3fs")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {"ACCESS_KEY_ID": "a", "SECRET_ACCESS_KEY": "b", "DEFAULT_REGION": "us-east-1",
                        "ENDPOINT_URL": f"http://{host}:{port}"}.items():  # fmt: skip
        monkeypatch.setenv(f"AWS_{name}", value)
    s3fs.S3FileSystem.clear_instance_cache()
    try:
        store = s3fs.S3FileSystem()
        store.mkdir("bucket")
        store.put(f"{converted}/", "bucket/data/", recursive=True)
        monkeypatch.setattr(elsewhere, "_listed", {})
        monkeypatch.setattr(partition, "LARGE", 0)
        assert ds.evaluate("s3://bucket/data", "s3://bucket/data", "AP").equals(ds.evaluate(converted, converted, "AP"))
    finally:
        s3fs.S3FileSystem.clear_instance_cache()
        server.stop()
