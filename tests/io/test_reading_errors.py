"""Files that cannot be read: one error each, with the file, the line, the rule and the way out."""

from __future__ import annotations

import gzip
import os
import threading

import polars as pl
import pytest
from refusals import refused
from small_files import GOOD, GRADES, file, path_through  # noqa: F401 (a fixture for every test)

import dissensus as ds
from dissensus.errors import FileError, InputError, JudgmentError, RunError, ScaleError

RUNS = [
    (
        GOOD + "301 Q0 FT-1 3 0.5 tag\n",
        RunError,
        (":1", ":4", "FT-1", 301),
    ),
    ("301 Q0 FT-1 1 nan tag\n", RunError, (":1", "nan", "12.5", "1e-3")),
    ("# x\n301 Q0 FT-1 1 infinity tag\n", RunError, (":2", "infinity")),
    ("301 Q0 FT-1 1 1_000 tag\n", RunError, (":1", "1_000")),
    ("301 Q0 FT-1 1 0x1p3 tag\n", RunError, (":1", "0x1p3")),
    ("301 Q0 FT-1 1 1e999 tag\n", RunError, (":1", "1e999")),
    ("301 Q0 FT-1 1 ٣ tag\n", RunError, (":1", "٣")),
    (
        "301 Q0 FT-1 1 9.5\n",
        RunError,
        (":1", 5, 6),
    ),
    ("301 Q0 FT 1 1 9.5 tag\n", RunError, (":1", 7, 6)),
    (GRADES, RunError, (":1", 4, 6, "read_judgments")),
    ("topic Q0 doc rank score\n", RunError, ()),
    ("topic,doc,score\n1,d,2\n", RunError, ("CSV", ".csv")),
    (b"301 Q0 FT\x00-1 1 9.5 tag\n", FileError, (":1", "NUL")),
    (b"301 Q0 FT\x01-1 1 9.5 tag\n", FileError, (":1", "0x01")),
    (GOOD.encode() + b"301 Q0 caf\xe9 1 0.5 tag\n", FileError, (":4", "UTF-8", "0xe9", "LATIN1")),
    (GOOD.encode("utf-16"), FileError, ("UTF-16",)),
    (GOOD.encode("utf-16-le"), FileError, ("UTF-16",)),
    (GOOD.encode("utf-32"), FileError, ("UTF-32",)),
    ("", FileError, ()),
    (" \n\t\n", FileError, ()),
    ("# only\n# words\n", FileError, ()),
    (gzip.compress(GOOD.encode() * 50, mtime=0)[:-9], FileError, ("gzip",)),
    (gzip.compress(b"", mtime=0), FileError, ()),
    (b"PK\x03\x04rest", FileError, ("zip",)),
    (b"\xfd7zXZ\x00rest", FileError, ("xz",)),
    (f"301 Q0 {'d' * 70_000} 1 9.5 tag\n", InputError, (":1", 65535)),
]


@pytest.mark.parametrize(("content", "error", "values"), RUNS)
def test_bad_runs(tmp_path, content, error, values):
    path = file(tmp_path, "a.run", content)
    with refused(error, path, *values):
        ds.read_runs(path)


JUDGMENTS = [
    ("a.qrels", GOOD, JudgmentError, (":1", 6, 4, "read_runs")),
    ("a.qrels", "1 0 d\n", JudgmentError, (":1", 3, 4)),
    ("a.qrels", "1 0 d 0.5\n", JudgmentError, (":1", "0.5")),
    ("a.qrels", "1 0 d 1_0\n1 0 e 2\n", ScaleError, (":1", "1_0")),
    ("a.qrels", "1 0 d nan\n", JudgmentError, (":1", "nan")),
    ("a.csv", "topic,doc\n1,d\n", FileError, ("grade", "topic", "doc")),
    ("a.csv", "system,topic,doc,score\ns,1,d,1\n", FileError, ("grade",)),
    ("a.csv", "topic,doc,rank,score\n1,d,1,1\n", FileError, ("grade",)),
    ("a.csv", "topic,doc,grade\n1,d,1\n1,e\n", FileError, (":3", 2, 3, "'1,e'")),
    ("a.csv", "topic,doc,grade\n1,d,1,9\n", FileError, (":2", 4, 3)),
    ("a.csv", 'topic,doc,grade\n1,"d\ne",1\n', FileError, (":2", "doc")),
    ("a.csv", 'topic,doc,grade\n1,"d" x,1\n', FileError, (":2",)),
    ("a.csv", 'topic,doc,grade\n1,"d,1\n', FileError, (":2",)),
    ("a.csv", "topic,doc,grade,Grade\n1,d,1,2\n", FileError, (":1", "grade")),
    ("a.csv", "topic,doc,rel,label\n1,d,1,2\n", FileError, ("rel", "label")),
    ("a.csv", "topic,doc,grade\n", FileError, ()),
    ("a.csv", "topic;doc;grade\n1;d;1\n", FileError, (":1",)),
    ("a.tsv", "topic,doc,grade\n1,d,1\n", FileError, (":1",)),
    ("a.csv", "topic,doc,grade\n1,,1\n", InputError, (":2",)),
    ("a.csv", "topic,doc,grade\n1,d,\n", JudgmentError, (":2",)),
    ("a.csv", b"topic,doc,grade\n1,caf\xe9,1\n", FileError, (":2", "UTF-8")),
    (
        "a.jsonl",
        '{"topic": 1, "doc": "d", "grade": 1}\n{"topic": 1',
        FileError,
        (":2",),
    ),
    ("a.jsonl", "[1, 2]\n", FileError, (":1", "'[1, 2]'")),
    ("a.jsonl", '{"topic": 1, "topic": 2}\n', FileError, (":1", "topic")),
    ("a.jsonl", '{"topic": 1, "doc": true, "grade": 1}\n', InputError, (":1", "True")),
    (
        "a.jsonl",
        '{"topic": 1, "doc": "d"}\n{"topic": 1, "doc": "e", "grade": 1}\n',
        JudgmentError,
        (":1",),
    ),
    ("a.jsonl", '{"topic": 1, "doc": "d", "grade": NaN}\n', FileError, (":1", "NaN")),
    ("a.parquet", b"nothing of the kind", FileError, ()),
    ("a.parquet", b"PAR1 and then nothing", FileError, ()),
]


@pytest.mark.parametrize(("name", "content", "error", "values"), JUDGMENTS)
def test_bad_judgments(tmp_path, name, content, error, values):
    path = file(tmp_path, name, content)
    with refused(error, path, *values):
        ds.read_judgments(path)


def test_a_table_of_judgments_is_no_run(tmp_path):
    path = file(tmp_path, "a.csv", "topic,doc,label\n1,d,1\n")
    with refused(FileError, "score", "topic", "doc", "label"):
        ds.read_runs(path)


def test_duplicates_in_interleaved_topics(tmp_path):
    lines = ["# comment"] + [f"{t} Q0 d{d} 1 {d} tag" for d in range(4) for t in (2, 1)] + ["1 Q0 d2 9 9 tag"]
    path = file(tmp_path, "a.run", "\n".join(lines))
    with refused(RunError, "a.run:7", "a.run:10", "d2", 1):
        ds.read_runs(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes(tmp_path):
    for name, text, read in (("a.run", GOOD, ds.read_runs), ("a.qrels", GRADES, ds.read_judgments)):
        os.mkfifo(tmp_path / name)
        writer = threading.Thread(target=(tmp_path / name).write_text, args=(text,), daemon=True)
        writer.start()
        assert len(read(tmp_path / name)) == 3
        writer.join()


def test_paths_that_are_no_files(tmp_path, monkeypatch):
    file(tmp_path, "bm25.run", GOOD)
    with refused(FileError, "bm52.run", "bm25.run"):
        ds.read_runs(tmp_path / "bm52.run")
    assert ds.read_runs(tmp_path).systems == ("bm25",)  # a folder is the files in it
    with refused(FileError, "*.gz"):
        ds.read_judgments(tmp_path / "*.gz")
    with refused(FileError, "a.run"):
        ds.read_runs(tmp_path / "nowhere" / "a.run")
    with refused(FileError, "read_runs()"):
        ds.read_runs()
    (tmp_path / "sub").mkdir()
    with refused(FileError, "sub", "su?"):
        ds.read_runs(tmp_path / "su?")
    monkeypatch.chdir(tmp_path)
    assert ds.read_runs("*.run").systems == ("bm25",)
    with refused(InputError, 'system="name"', "file", "tag"):
        ds.read_runs("*.run", system="name")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path):
    path = file(tmp_path, "a.run", GOOD)
    path.chmod(0)
    with refused(FileError, "a.run"):
        ds.read_runs(path)


def test_frames_are_refused_with_what_takes_them():
    frame = pl.DataFrame({"topic": ["q"], "doc": ["d"], "score": [1.0], "grade": [1]})
    for read, name in ((ds.read_runs, "Runs"), (ds.read_judgments, "Judgments"), (ds.read_clicks, "Clicks"),
                       (ds.read_preferences, "Preferences")):  # fmt: skip
        for given in (frame, frame.to_pandas(), frame.to_arrow(), frame.to_dict(as_series=False)):
            with refused(FileError, f"{read.__name__}()", f"ds.{name}.from_frame(frame)"):
                read(given)
    with refused(FileError, "read_scores()", "verb"):
        ds.read_scores(frame)


def test_what_is_no_path_is_refused_in_words():
    with refused(FileError, "read_judgments()", 3):
        ds.read_judgments(3)
    with refused(FileError, "read_runs()", "None"):
        ds.read_runs([None])


def test_a_table_without_a_header_is_told_that_it_needs_one(tmp_path):
    (tmp_path / "bare.csv").write_text("301,FT-7,ann,2\n301,FT-9,ann,0\n")
    with refused(FileError, "doc", 301, "FT-7", "ann", 2):
        ds.read_judgments(tmp_path / "bare.csv")
    (tmp_path / "twice.csv").write_text("1,1,ann,2\n1,2,ann,0\n")
    with refused(FileError, 1, "twice.csv:1"):
        ds.read_judgments(tmp_path / "twice.csv")
