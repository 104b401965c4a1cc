"""Runs and judgments from standard input, web servers, stores and `file://` are read as the same files here are."""

from __future__ import annotations

import functools
import gzip
import io
import pickle
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import polars as pl
import pytest
from refusals import refused

import dissensus as ds
from dissensus.cli import main
from dissensus.errors import FileError, InputError
from dissensus.io import elsewhere
from dissensus.io.elsewhere import Fetched, ending_of, fetched

RUN = "q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\n"
LABELS = "topic,doc,grade\nq1,d1,0\nq1,d2,1\n"


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder, and breaks off where the name says so."""

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        if "cut" not in self.path:
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"topic")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "bm25.run.gz").write_bytes(gzip.compress(RUN.encode()))
    (folder / "labels.csv").write_text(LABELS)
    (folder / "export").write_text(LABELS)
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


class Pipe(io.TextIOWrapper):
    """What is piped into a process."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8")


def test_a_web_server_s_files_score_as_the_files_do(served: tuple[Path, str]) -> None:
    folder, address = served
    here = ds.evaluate(folder / "bm25.run.gz", folder / "labels.csv", "AP")
    there = ds.evaluate(f"{address}/bm25.run.gz", f"labels={address}/export?id=3", "AP")
    assert there.identical(here)
    assert there.coords["system"].values.tolist() == ["bm25"]


def test_messages_show_the_address_and_say_what_is_there_instead(served: tuple[Path, str]) -> None:
    folder, address = served
    (folder / "bad.csv").write_text("topic,doc,grade\nq1,d1,many\nq1,d2,1\n")
    with refused(FileError, f"{address}/no.run", 404):
        ds.read_runs(f"{address}/no.run")
    with refused(FileError, f"{address}/", "web page"):
        ds.read_runs(f"{address}/")
    with refused(FileError, f"{address}/cut.csv", 5, "1,000"):
        ds.read_judgments(f"{address}/cut.csv")
    with refused(FileError, "name each address"):
        ds.read_runs(f"{address}/*.run")
    with refused(FileError, "http://127.0.0.1:9/x.run"):
        ds.read_runs("http://127.0.0.1:9/x.run")
    with refused(InputError, f"{address}/bad.csv:2", "many"):
        ds.read_judgments(f"{address}/bad.csv", scale="0..2")


def test_an_address_is_fetched_once_for_a_while(served: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, address = served
    (first,) = fetched(f"{address}/labels.csv")
    (folder / "labels.csv").write_text(LABELS.replace("d1,0", "d1,1"))
    assert fetched(f"{address}/labels.csv") == [first]
    monkeypatch.setattr(elsewhere, "KEPT", 0.0)
    (again,) = fetched(f"{address}/labels.csv")
    assert (str(again), again.read_text()) == (str(first), (folder / "labels.csv").read_text())
    assert first.read_text() == LABELS


def test_an_audit_brings_the_frame_that_stands_next_to_it(served: tuple[Path, str]) -> None:
    folder, address = served
    (folder / "audit.csv").write_text("topic,doc,grade\nq1,d1,1\n")
    assert len(ds.read_audit(f"{address}/audit.csv").judgments) == 1
    (beside,) = fetched(f"{address}/audit.csv")
    assert elsewhere.neighbour(beside, "labels.csv").read_text() == LABELS
    assert not elsewhere.neighbour(beside, "no.csv").exists()


def test_file_addresses_are_paths(tmp_path: Path) -> None:
    (tmp_path / "my labels.csv").write_text(LABELS)
    assert len(ds.read_judgments((tmp_path / "my labels.csv").as_uri())) == 2
    with refused(FileError, "server"):
        ds.read_judgments("file://server/labels.csv")


def test_stores_are_read_through_fsspec() -> None:
    memory = pytest.importorskip("fsspec").filesystem("memory")
    memory.pipe({"/data/a.run": RUN.encode(), "/data/b.run": RUN.encode(), "/labels.csv": LABELS.encode()})
    runs = ds.read_runs("memory://data/*.run")
    assert (runs.systems, len(ds.read_judgments("memory://labels.csv"))) == (("a", "b"), 2)
    for wrong in ("memory://data/none.run", "memory://data/*.csv", "nowhere://data/a.run"):
        with refused(FileError, wrong):
            ds.read_runs(wrong)


def test_stores_without_their_file_system_are_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elsewhere.importlib, "import_module", no_module)
    monkeypatch.setattr(elsewhere.importlib.util, "find_spec", lambda name: None)
    with refused(FileError, "s3://bucket/bm25.run", "pip install fsspec s3fs"):
        ds.read_runs("s3://bucket/bm25.run")


def test_polars_brings_parquet_where_fsspec_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "labels.parquet"
    pl.DataFrame({"topic": ["q1"], "doc": ["d1"], "grade": [1]}).write_parquet(path)
    scan = pl.scan_parquet
    monkeypatch.setattr(elsewhere.importlib, "import_module", no_module)
    monkeypatch.setattr(elsewhere.pl, "scan_parquet", lambda address: scan(path))
    assert len(ds.read_judgments("gs://bucket/labels.parquet", scale="0..2")) == 1


def no_module(name: str) -> None:
    raise ImportError(name)


@pytest.mark.parametrize("data", [LABELS.encode(), gzip.compress(LABELS.encode(), mtime=0), b"q1 0 d1 0\nq1 0 d2 1\n"])
def test_judgments_come_from_standard_input(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bm25.run").write_text(RUN)
    monkeypatch.setattr("sys.stdin", Pipe(data))
    assert main(["evaluate", str(tmp_path / "bm25.run"), "-j", "-", "-m", "AP", "--json"]) == 0
    assert '"stdin"' in capsys.readouterr().out


def test_one_input_alone_takes_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Pipe(RUN.encode()))
    assert ds.read_runs("mine=-").systems == ("mine",)
    with refused(FileError, "runs", "judgments"):
        ds.read_judgments("-")


def test_nothing_piped_in_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Pipe(b"")
    monkeypatch.setattr(pipe, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", pipe)
    with refused(FileError, "nothing is piped"):
        ds.read_runs("-")


def test_what_has_no_name_is_known_by_how_it_begins() -> None:
    begins = (b"\xef\xbb\xbfqid;docno;label\n", b"# c\nq1\t0\td1\t1\n", b'{"a": 1}', b"ARROW1", b"PK\x03\x04", b"@ a b")
    assert [ending_of(b) for b in begins] == [".csv", ".tsv", "", ".arrow", ".xlsx", ""]


def test_a_copy_travels_with_its_address(tmp_path: Path) -> None:
    path = Fetched.of(str(tmp_path / "x.csv"), "https://a.org/x.csv")
    again = pickle.loads(pickle.dumps(path))
    assert (str(again), again.__fspath__(), again.name) == (str(path), str(tmp_path / "x.csv"), "x.csv")
    assert str(path.with_name("y.csv")) == str(tmp_path / "y.csv")
