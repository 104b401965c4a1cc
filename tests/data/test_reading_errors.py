"""Files that cannot be read: one error each, with the file, the line, the rule and the way out."""

from __future__ import annotations

import gzip
import os
import threading

import pytest
from small_files import GOOD, GRADES, file, path_through  # noqa: F401 (a fixture for every test)

import dissensus as ds
from dissensus.errors import FileError, InputError, JudgmentError, RunError, ScaleError

RUNS = [
    (
        GOOD + "301 Q0 FT-1 3 0.5 tag\n",
        RunError,
        [":1 and ", ":4: system a retrieves document FT-1 twice for topic 301"],
    ),
    ("301 Q0 FT-1 1 nan tag\n", RunError, [":1: the score 'nan' is not a finite number", "12.5 or 1e-3"]),
    ("# x\n301 Q0 FT-1 1 infinity tag\n", RunError, [":2: the score 'infinity'"]),
    ("301 Q0 FT-1 1 1_000 tag\n", RunError, [":1: the score '1_000'"]),
    ("301 Q0 FT-1 1 0x1p3 tag\n", RunError, [":1: the score '0x1p3'"]),
    ("301 Q0 FT-1 1 1e999 tag\n", RunError, [":1: the score '1e999'"]),
    ("301 Q0 FT-1 1 ٣ tag\n", RunError, [":1: the score '٣'"]),
    (
        "301 Q0 FT-1 1 9.5\n",
        RunError,
        [":1 has 5 columns, not 6: '301 Q0 FT-1 1 9.5'", "rank score tag"],
    ),
    ("301 Q0 FT 1 1 9.5 tag\n", RunError, [":1 has 7 columns, not 6"]),
    (GRADES, RunError, [":1 has 4 columns, not 6", "look like judgments, not runs", "read_judgments"]),
    ("topic Q0 doc rank score\n", RunError, ["looks like a header"]),
    ("topic,doc,score\n1,d,2\n", RunError, ["looks like CSV", ".csv"]),
    (b"301 Q0 FT\x00-1 1 9.5 tag\n", FileError, [":1 holds a NUL byte"]),
    (b"301 Q0 FT\x01-1 1 9.5 tag\n", FileError, [":1 holds the control character 0x01"]),
    (GOOD.encode() + b"301 Q0 caf\xe9 1 0.5 tag\n", FileError, [":4 is not UTF-8: the byte 0xe9", "iconv -f LATIN1"]),
    (GOOD.encode("utf-16"), FileError, ["is written in UTF-16", "iconv -f UTF-16"]),
    (GOOD.encode("utf-16-le"), FileError, ["looks like UTF-16 without a byte order mark"]),
    (GOOD.encode("utf-32"), FileError, ["is written in UTF-32"]),
    ("", FileError, ["is empty"]),
    (" \n\t\n", FileError, ["holds nothing but blanks"]),
    ("# only\n# words\n", FileError, ["holds nothing but comments"]),
    (gzip.compress(GOOD.encode() * 50, mtime=0)[:-9], FileError, ["is a truncated gzip file", "gzip -t"]),
    (gzip.compress(b"", mtime=0), FileError, ["is empty"]),
    (b"PK\x03\x04rest", FileError, ["is a zip archive"]),
    (b"\xfd7zXZ\x00rest", FileError, ["is compressed with xz"]),
    (f"301 Q0 {'d' * 70_000} 1 9.5 tag\n", InputError, [":1: the document id 'dddd", "longer than 65,535 bytes"]),
]


@pytest.mark.parametrize(("content", "error", "fragments"), RUNS)
def test_bad_runs(tmp_path, content, error, fragments):
    path = file(tmp_path, "a.run", content)
    with pytest.raises(error) as caught:
        ds.read_runs(path)
    for fragment in [str(path), *fragments]:
        assert fragment in str(caught.value)


JUDGMENTS = [
    ("a.qrels", GOOD, JudgmentError, [":1 has 6 columns, not 4", "look like runs, not judgments", "read_runs"]),
    ("a.qrels", "1 0 d\n", JudgmentError, [":1 has 3 columns, not 4"]),
    ("a.qrels", "1 0 d 0.5\n", JudgmentError, [":1: the grade '0.5' is neither a whole number nor a name"]),
    ("a.qrels", "1 0 d 1_0\n1 0 e 2\n", ScaleError, [":1: the grade '1_0' is not a whole number"]),
    ("a.qrels", "1 0 d nan\n", JudgmentError, [":1: the grade is missing ('nan')"]),
    ("a.csv", "topic,doc\n1,d\n", FileError, ["has no column 'grade'; its columns are 'topic', 'doc'", "relevance"]),
    ("a.csv", "system,topic,doc,score\ns,1,d,1\n", FileError, ["has no column 'grade'", "look like runs"]),
    ("a.csv", "topic,doc,rank,score\n1,d,1,1\n", FileError, ["has no column 'grade'", "look like runs"]),
    ("a.csv", "topic,doc,grade\n1,d,1\n1,e\n", FileError, [":3 has 2 values, the header 3: '1,e'"]),
    ("a.csv", "topic,doc,grade\n1,d,1,9\n", FileError, [":2 has 4 values, the header 3"]),
    ("a.csv", 'topic,doc,grade\n1,"d\ne",1\n', FileError, [":2: a value of 'doc' holds a line break"]),
    ("a.csv", 'topic,doc,grade\n1,"d" x,1\n', FileError, [":2: ", "quotes doubled"]),
    ("a.csv", 'topic,doc,grade\n1,"d,1\n', FileError, [":2: "]),
    ("a.csv", "topic,doc,grade,Grade\n1,d,1,2\n", FileError, [":1: the header names the column 'grade' twice"]),
    ("a.csv", "topic,doc,rel,label\n1,d,1,2\n", FileError, ["several columns that could be the grade: 'rel', 'label'"]),
    ("a.csv", "topic,doc,grade\n", FileError, ["holds a header and no rows"]),
    ("a.csv", "topic;doc;grade\n1;d;1\n", FileError, [":1: the columns are separated by semicolons, not by commas"]),
    ("a.tsv", "topic,doc,grade\n1,d,1\n", FileError, [":1: the columns are separated by commas, not by tabs"]),
    ("a.csv", "topic,doc,grade\n1,,1\n", InputError, [":2: the doc '' is empty"]),
    ("a.csv", "topic,doc,grade\n1,d,\n", JudgmentError, [":2: the grade is missing"]),
    ("a.csv", b"topic,doc,grade\n1,caf\xe9,1\n", FileError, [":2 is not UTF-8"]),
    (
        "a.jsonl",
        '{"topic": 1, "doc": "d", "grade": 1}\n{"topic": 1',
        FileError,
        [":2: not JSON", "A line is an object like"],
    ),
    ("a.jsonl", "[1, 2]\n", FileError, [":1: '[1, 2]' is not an object"]),
    ("a.jsonl", '{"topic": 1, "topic": 2}\n', FileError, [":1: not JSON (the key 'topic' appears twice)"]),
    ("a.jsonl", '{"topic": 1, "doc": true, "grade": 1}\n', InputError, [":1: the doc True"]),
    (
        "a.jsonl",
        '{"topic": 1, "doc": "d"}\n{"topic": 1, "doc": "e", "grade": 1}\n',
        JudgmentError,
        [":1: the grade is miss"],
    ),
    ("a.jsonl", '{"topic": 1, "doc": "d", "grade": NaN}\n', FileError, [":1: not JSON (NaN"]),
    ("a.parquet", b"nothing of the kind", FileError, ["is not a Parquet file"]),
    ("a.parquet", b"PAR1 and then nothing", FileError, ["is a damaged Parquet file"]),
]


@pytest.mark.parametrize(("name", "content", "error", "fragments"), JUDGMENTS)
def test_bad_judgments(tmp_path, name, content, error, fragments):
    path = file(tmp_path, name, content)
    with pytest.raises(error) as caught:
        ds.read_judgments(path)
    for fragment in [str(path), *fragments]:
        assert fragment in str(caught.value)


def test_a_table_of_judgments_is_no_run(tmp_path):
    path = file(tmp_path, "a.csv", "topic,doc,label\n1,d,1\n")
    with pytest.raises(FileError, match=r"has no column 'score'.*\n  These look like judgments, not runs"):
        ds.read_runs(path)


def test_duplicates_in_interleaved_topics(tmp_path):
    lines = ["# comment"] + [f"{t} Q0 d{d} 1 {d} tag" for d in range(4) for t in (2, 1)] + ["1 Q0 d2 9 9 tag"]
    path = file(tmp_path, "a.run", "\n".join(lines))
    with pytest.raises(RunError, match=r"a\.run:7 and .*a\.run:10: system a retrieves document d2 twice for topic 1"):
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
    with pytest.raises(FileError, match=r"bm52\.run does not exist\.\n  Did you mean .*bm25\.run\?"):
        ds.read_runs(tmp_path / "bm52.run")
    with pytest.raises(FileError, match=r"is a directory, not a file\.\n  Name the files in it with a glob"):
        ds.read_runs(tmp_path)
    with pytest.raises(FileError, match=r"nothing matches '.*\*\.gz'"):
        ds.read_judgments(tmp_path / "*.gz")
    with pytest.raises(FileError, match="There is no folder"):
        ds.read_runs(tmp_path / "nowhere" / "a.run")
    with pytest.raises(FileError, match=r"read_runs\(\) was given no file"):
        ds.read_runs()
    (tmp_path / "sub").mkdir()
    with pytest.raises(FileError, match="nothing but directories"):
        ds.read_runs(tmp_path / "su?")
    monkeypatch.chdir(tmp_path)
    assert ds.read_runs("*.run").systems == ("bm25",)
    with pytest.raises(InputError, match='system="name" is neither "file" nor "tag"'):
        ds.read_runs("*.run", system="name")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path):
    path = file(tmp_path, "a.run", GOOD)
    path.chmod(0)
    with pytest.raises(FileError, match="no permission to read it"):
        ds.read_runs(path)


def test_standard_input_is_refused_in_words():
    with pytest.raises(FileError, match="standard input is not read"):
        ds.read_runs("-")


def test_what_is_no_path_is_refused_in_words():
    with pytest.raises(FileError, match=r"read_judgments\(\) was given 3, which is not a path"):
        ds.read_judgments(3)
    with pytest.raises(FileError, match=r"read_runs\(\) was given None"):
        ds.read_runs([None])


def test_a_table_without_a_header_is_told_that_it_needs_one(tmp_path):
    (tmp_path / "bare.csv").write_text("301,FT-7,ann,2\n301,FT-9,ann,0\n")
    with pytest.raises(FileError, match=r"(?s)no column 'doc'.*The first line of a table names its columns"):
        ds.read_judgments(tmp_path / "bare.csv")
    (tmp_path / "twice.csv").write_text("1,1,ann,2\n1,2,ann,0\n")
    with pytest.raises(FileError, match=r"(?s)column '1' twice.*the first line of a table names its columns"):
        ds.read_judgments(tmp_path / "twice.csv")
