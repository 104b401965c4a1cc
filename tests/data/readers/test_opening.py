"""What a file holds, found out by looking into it."""

from __future__ import annotations

import json

from refusals import refused
from small_files import file

import dissensus as ds
from dissensus.data.readers.choices import Choices
from dissensus.data.readers.opening import door_of, looks_like_json, open_document, open_table, read_document, table_of
from dissensus.errors import FileError


def test_json_is_known_by_its_name_or_its_first_byte(tmp_path) -> None:
    assert looks_like_json(file(tmp_path, "a.jsonl", "x"))
    assert looks_like_json(file(tmp_path, "labels", '\ufeff  {"a": 1}'))
    assert not looks_like_json(file(tmp_path, "a.run", "1 Q0 d 1 2 t"))


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
        open_document(document, "runs", Choices())
    unknown = read_document(file(tmp_path, "u.json", json.dumps({"what": {"is": ["this"]}})))
    assert door_of(unknown) is None
    with refused(FileError, "u.json", by="opening"):
        open_document(unknown, "runs", Choices())


def test_plain_objects_are_a_table_and_numbers_name_columns(tmp_path) -> None:
    document = read_document(file(tmp_path, "t.jsonl", '{"topic": "1", "doc": "x", "grade": 2}\n'))
    assert open_document(document, "judgments", Choices()) is None
    assert table_of(document, Choices())["grade"].to_list() == [2]
    path = file(tmp_path, "t.csv", "1;x;2\n1;y;0\n")
    table = open_table(path, Choices(columns={"topic": "1", "doc": "2", "grade": "3"}))
    assert table["doc"].to_list() == ["x", "y"]
    assert table.place(1) == f"{path}:2"


def test_a_topic_that_begins_with_a_bracket_is_not_json(tmp_path) -> None:
    assert not looks_like_json(file(tmp_path, "a.run", "[302 Q0 d 0 -1e-3 tag\r\n"))
    assert not looks_like_json(file(tmp_path, "a.qrels", "{a} 0 d 2\n"))
    assert looks_like_json(file(tmp_path, "b.qrels", '{"q1": {"d": 2, "e": 1}}\n'))
    assert looks_like_json(file(tmp_path, "c.qrels", '[{"topic": 1}]\n'))


def test_a_txt_whose_columns_are_named_tells_what_separates_them(tmp_path) -> None:
    for mark in ("\t", ","):
        lines = [mark.join(words) for words in (("topicID", "workerID", "docID", "label"), ("1", "w", "d", "2"))]
        path = file(tmp_path, "crowd.txt", "\n".join(lines) + "\n")
        columns = {"topic": "topicID", "assessor": "workerID", "doc": "docID", "grade": "label"}
        assert ds.read_judgments(path, columns=columns).to_frame().rows() == [("1", "d", "w", 2)]
