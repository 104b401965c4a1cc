"""UMBRELA: texts joined to ids by the request file."""

from __future__ import annotations

from pathlib import Path

from refusals import refused
from wording import phrase

from dissensus.errors import FileError
from dissensus.io.exports import umbrela
from dissensus.io.exports.document import ExportedFile

REQUEST = ExportedFile(
    [{"query": {"text": "what  is x", "qid": "q1"}, "candidates": [{"docid": "d1", "doc": {"segment": "x is\ny"}}]}],
    Path("q.jsonl"),
)


def judged(*records: dict[str, object]) -> ExportedFile:
    return ExportedFile(
        [{"query": "what is x", "judgment": 2, "result_status": 1, **r} for r in records],
        Path("u.jsonl"),
        tuple(range(1, 9)),
    )


def test_texts_are_joined_whatever_their_blanks() -> None:
    names = umbrela.ids(REQUEST)
    rows = umbrela.read(judged({"passage": "x  is y"}), names)["judgments"]
    assert (rows.columns["topic"].to_list(), rows.columns["doc"].to_list()) == (["q1"], ["d1"])
    assert not rows.named  # no record names its model
    with refused(FileError, "u.jsonl:1"):
        umbrela.read(judged({"passage": "other"}), names)
    with refused(FileError, "u.jsonl:1"):
        umbrela.read(judged({"passage": "x is y"}))


def test_answers_that_could_not_be_parsed_are_missing_not_0() -> None:
    document = judged(
        {"qid": 1, "docid": "d", "model": "gpt"}, {"qid": 1, "docid": "e", "judgment": 0, "result_status": 0}
    )
    rows = umbrela.read(document)["judgments"]
    assert rows.columns["doc"].to_list() == ["d"]
    assert any(note.startswith(phrase("umbrela.judgments-not-parsed", 1, 2)) for note in rows.notes)


def test_requests_are_known_and_must_have_ids() -> None:
    assert umbrela.opens_request(REQUEST)
    assert not umbrela.opens_request(judged({"passage": "x"}))
    with refused(FileError, "query.qid"):
        umbrela.ids(
            ExportedFile([{"query": {"text": "x"}, "candidates": [{"docid": "d", "doc": "t"}]}], Path("q.jsonl"))
        )
