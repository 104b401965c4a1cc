"""Texts of documents out of a corpus: formats, mistakes, and memory that does not grow with the corpus."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from pathlib import Path

import polars as pl
import pytest
from refusals import refused

from dissensus.errors import FileError
from dissensus.io import documents
from dissensus.io.documents import Document, read_documents

ROWS = [
    {"doc": "d1", "title": "One, with a comma", "text": 'line one\nline "two"', "url": "http://example.org/1"},
    {"doc": "d2", "title": "", "text": "kept", "url": ""},
    {"doc": "d3", "title": "three", "text": "not wanted", "url": ""},
]
WANTED = {"d1", "d2", "d9"}
EXPECTED = {
    "d1": Document('line one\nline "two"', "One, with a comma", "http://example.org/1"),
    "d2": Document("kept"),
}


def written(folder: Path, ending: str) -> Path:
    frame = pl.DataFrame(ROWS)
    path = folder / f"docs{ending}"
    if ending == ".jsonl":
        frame.write_ndjson(path)
    elif ending == ".jsonl.gz":
        path.write_bytes(gzip.compress("".join(json.dumps(r) + "\n" for r in ROWS).encode()))
    elif ending == ".csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)
    return path


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".csv", ".parquet"])
def test_every_format_gives_the_same_texts(tmp_path: Path, ending: str) -> None:
    assert read_documents([written(tmp_path, ending)], WANTED) == EXPECTED


def test_a_folder_of_files(tmp_path: Path) -> None:
    (tmp_path / "d1.txt").write_text("first\r\nline")
    (tmp_path / "d2").write_text("second")
    (tmp_path / "d3.txt").write_text("not wanted")
    found = read_documents([tmp_path], {"d1", "d2", "../secret", "d9"})
    assert found == {"d1": Document("first\nline"), "d2": Document("second")}


def test_a_document_outside_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "docs").mkdir()
    assert read_documents([tmp_path / "docs"], {"../secret"}) == {}


def test_other_names_numbers_and_escaped_ids(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"_id": 7, "contents": "seven"}\n{"docno": "a\\u00e9", "body": "e", "meta": {"id": "zz"}}\n')
    assert read_documents([path], {"7", "aé"}) == {"7": Document("seven"), "aé": Document("e")}


def test_two_columns_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "collection.tsv"
    path.write_text('0\tThe "Manhattan" project\n1\tother\n')
    assert read_documents([path], {"0"}) == {"0": Document('The "Manhattan" project')}


@pytest.mark.parametrize(
    ("name", "content", "values"),
    [
        ("a.jsonl", '{"doc": "d1", "text": "x"}\n{"doc": "d1", "text": "y"}\n', ("a.jsonl:1", "a.jsonl:2")),
        ("a.jsonl", '{"text": "x"}\n', ("a.jsonl:1",)),
        ("a.jsonl", '{"doc": "d1", "text": \n', ("a.jsonl:1",)),
        ("a.jsonl", '{"doc": "d1", "text": " "}\n', ("a.jsonl:1", "d1")),
        ("a.csv", "doc,text\nd1\n", ("a.csv:2", 1, 2)),
        ("a.csv", "doc,word\nd1,x\n", ("a.csv:1",)),
        ("a.xml", "<doc>", ("a.xml",)),
        ("a.parquet", "PAR", ("a.parquet",)),
    ],
)
def test_mistakes_name_the_line(tmp_path: Path, name: str, content: str, values: tuple[object, ...]) -> None:
    path = tmp_path / name
    path.write_text(content)
    with refused(FileError, *values):
        read_documents([path], {"d1"})


def test_memory_does_not_grow_with_the_corpus(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    text = "word " * 40
    with path.open("w") as file:
        file.writelines(f'{{"doc": "d{i}", "text": "{text}"}}\n' for i in range(50_000))  # 11 MB
    tracemalloc.start()
    found = read_documents([path], {f"d{i}" for i in range(0, 50_000, 1000)})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 50
    assert peak < 1_000_000


def test_damaged_parquet_and_gzip_are_refused_by_name(tmp_path):
    out = io.BytesIO()
    pl.DataFrame({"doc": ["d1"], "text": ["They dance."]}).write_parquet(out)
    whole = out.getvalue()
    for name, data in {
        "cut.parquet": whole[: len(whole) // 2],
        "turned.parquet": whole[:-8] + bytes([whole[-8] ^ 0x40]) + whole[-7:],
        "cut.jsonl.gz": gzip.compress(b'{"doc": "d1", "text": "They dance."}\n')[:-12],
    }.items():
        path = tmp_path / name
        path.write_bytes(data)
        with refused(FileError, name):
            read_documents([path], {"d1"})


def test_wrong_statistics_in_a_footer_hide_no_document(tmp_path: Path) -> None:
    path = tmp_path / "docs.parquet"
    pl.DataFrame({"doc": ["first", "third"], "text": ["They dance.", "They sing."]}).write_parquet(path)
    whole = path.read_bytes()
    start = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    footer = whole[start:].replace(b"third", b"fjord")  # the largest id, by which readers leave out row groups
    assert footer != whole[start:]
    path.write_bytes(whole[:start] + footer)
    assert read_documents([path], {"third"}) == {"third": Document("They sing.")}


def test_a_line_without_an_end_does_not_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "LONGEST_LINE", 1000)
    path = tmp_path / "docs.jsonl"
    path.write_text('{"doc": "d1", "text": "' + "a" * 2000)
    with refused(FileError, "docs.jsonl:1"):
        read_documents([path], {"d1"})
