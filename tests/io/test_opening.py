"""What a JSON file holds, found out by looking into it."""

from __future__ import annotations

import json

from refusals import refused
from small_files import file

from dissensus.errors import FileError
from dissensus.io.opening import door_of, open_document, read_document
from dissensus.io.options import ReadOptions
from dissensus.io.table import TextTable


def test_documents_and_lines(tmp_path) -> None:
    assert read_document(file(tmp_path, "a.json", '{"q": {"d": 1}}')).value == {"q": {"d": 1}}
    lines = read_document(file(tmp_path, "a.json", '{"doc": "x"}\n\n{"doc": "y"}\n'))
    assert (len(lines.records), lines.lines) == (2, (1, 3))
    for text in ('{"a": ', "[1,", "nonsense"):
        with refused(FileError, "b.json"):
            read_document(file(tmp_path, "b.json", text))


def test_a_door_that_holds_something_else_says_what(tmp_path) -> None:
    samples = '{"doc_id": 0, "target": "x", "metrics": ["acc"], "acc": 1.0}\n'
    document = read_document(file(tmp_path, "s.jsonl", samples))
    assert door_of(document).NAME == "lm-eval samples"
    with refused(FileError, "read_scores"):
        open_document(document, "runs", ReadOptions().runs)
    unknown = read_document(file(tmp_path, "u.json", json.dumps({"what": {"is": ["this"]}})))
    assert door_of(unknown) is None
    with refused(FileError, "u.json"):
        open_document(unknown, "runs", ReadOptions().runs)


def test_plain_objects_are_a_table(tmp_path) -> None:
    document = read_document(file(tmp_path, "t.jsonl", '{"topic": "1", "doc": "x", "grade": 2}\n'))
    table = open_document(document, "judgments", ReadOptions().judgments)
    assert isinstance(table, TextTable)
    assert table["grade"].to_list() == [2]
