from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from door_files import DOORS
from wording import phrase

from dissensus.errors import FileError
from dissensus.io.check.recognise import recognise

QRELS = "301 0 FT-7 2\n301 0 FT-9 0\n302 0 FT-1 1\n"
RUN = "301 Q0 FT-7 1 12.5 tag\n301 Q0 FT-9 2 11.0 tag\n"


@pytest.mark.parametrize(
    ("name", "text", "what", "words"),
    [
        ("a.run", RUN, "runs", "1 system, 1 topic"),
        ("labels", QRELS, "labels", "3 labels, 1 assessor, 2 topics"),
        ("misnamed.run", QRELS, "labels", "3 labels"),
        ("t.csv", "topic,doc,assessor,grade\n1,x,ann,1\n1,x,bob,0\n", "labels", "2 assessors"),
        ("r.csv", "qid,docno,score\n1,x,0.5\n", "runs", "1 system"),
        ("audit.csv", "topic,doc,grade,inclusion\n1,x,1,0.5\n", "audit", phrase("check-recognise.graded-document", 1)),
        (
            "plan.csv",
            "topic,doc,grade,inclusion\n1,x,,0.5\n1,y,,0.5\n",
            "sample",
            phrase("check-recognise.documents-graded", 2),
        ),
        (
            "order.csv",
            "topic,doc,grade,draw,rate,next_key\n1,x,1,1,2,0.5\n1,y,,2,1,inf\n",
            "audit",
            phrase("check-recognise.committed-order"),
        ),
        ("perquery.csv", "name,qid,measure,value\na,1,AP,0.5\nb,1,AP,0.2\n", "scores", "1 measure, 2 systems"),
        ("a.eval", "map 301 0.5\nmap 302 0.25\n", "scores", "1 measure, 1 system, 2 topics"),
        (
            "train.txt",
            "2 qid:1 1:0.5 2:0.1\n0 qid:1 1:0.2 2:0.3\n",
            "features",
            phrase("check-recognise.documents-features", 2),
        ),
        ("docs.jsonl", '{"doc": "x", "text": "A text."}\n', "documents", phrase("check-recognise.texts-documents")),
        ("topics.tsv", "topic\tquery\n1\tbees\n2\tants\n", "topic texts", "2 topics"),
        ("qrels.json", json.dumps({"1": {"x": 2, "y": 0}}), "labels", "2 labels"),
        ("run.json", json.dumps({"1": {"x": 2.5, "y": 0.1}}), "runs", "1 system"),
    ],
)
def test_a_file_is_known_by_what_is_in_it(tmp_path: Path, name: str, text: str, what: str, words: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    (found,) = recognise(str(tmp_path / name))
    assert found.what == what
    assert words in found.holds


def test_packed_files_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "a.run.gz").write_bytes(gzip.compress(RUN.encode()))
    assert recognise(str(tmp_path / "a.run.gz"))[0].systems == ("a",)


def test_what_nothing_reads_keeps_the_reason(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\nto myself, of no use\n")
    (found,) = recognise(str(tmp_path / "notes.md"))
    assert found.what == "unknown"
    assert "notes.md" in found.problem


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError):
        recognise(str(tmp_path / "nothing.run"))


@pytest.mark.parametrize("which", [0, 1], ids=["plain", "awkward"])
@pytest.mark.parametrize("door", DOORS)
def test_the_files_of_every_door_are_known(tmp_path: Path, door: str, which: int) -> None:
    name, content, kind, _ = DOORS[door][which]
    (tmp_path / name).write_text(content, encoding="utf-8")
    kinds = {one.what for one in recognise(str(tmp_path / name))}
    if (door, which) == ("umbrela", 1):
        assert kinds == {"unknown"}  # texts without ids: they need the request file
    else:
        assert {"judgments": "labels"}.get(kind, kind) in kinds
