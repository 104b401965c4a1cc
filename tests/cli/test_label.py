"""`dissensus label`: several people, "same", given preferences, and on into merge."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest
from feature_files import feature_folder  # noqa: F401 (a fixture)
from shell import run
from wording import phrase

from dissensus.cli import main
from dissensus.tables.judgments import Judgments


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"topic": ["1"] * 4, "doc": ["a", "b", "c", "d"], "text": ["A", "B", "C", "D"]}).write_csv("docs.csv")
    return tmp_path


def answer(monkeypatch: pytest.MonkeyPatch, text: str, *words: str) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    return main(["label", "docs.csv", "--top-k", "2", "--in-order", *words])


def test_several_people_share_a_file_and_merge(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answer(monkeypatch, "1\n1\n1\n1\n", "--assessor", "ann", "--judgments", "labels.csv") == 0
    assert answer(monkeypatch, "1\n1\n1\n1\n", "--assessor", "bob", "--judgments", "labels.csv") == 0
    assert (folder / "answers-ann.jsonl").exists()
    assert (folder / "answers-bob.jsonl").exists()
    table = pl.read_csv("labels.csv")
    assert sorted(table["assessor"].unique()) == ["ann", "bob"]
    assert table.filter((pl.col("assessor") == "ann") & (pl.col("doc") == "a"))["grade"].item() == 2
    assert main(["merge", "labels.csv", "--no-compare", "-o", "merged.qrels"]) == 0
    assert "1 0 a 2" in (folder / "merged.qrels").read_text()


def test_same_documents_share_a_grade_and_are_resumed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answer(monkeypatch, "1\n=\nq\n", "--judgments", "mine.csv") == 0  # c over d, a and b the same
    assert phrase("label.stopped-topic", 1) in capsys.readouterr().out
    assert '"same"' in (folder / "answers.jsonl").read_text()
    assert answer(monkeypatch, "1\n1\n", "--judgments", "mine.csv") == 0
    grades = dict(pl.read_csv("mine.csv").select("doc", "grade").iter_rows())
    assert grades == {"a": 1, "b": 1, "c": 0, "d": 0}


def test_given_preferences_are_not_asked_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("1", "d", "c", "me"), ("1", "d", "a", "me"), ("1", "a", "b", "me"), ("1", "c", "d", "ann")]
    pl.DataFrame(rows, schema=["topic", "better", "worse", "assessor"], orient="row").write_csv("given.csv")
    assert answer(monkeypatch, "1\n1\n1\n", "--preferences", "given.csv", "--judgments", "mine.csv") == 0
    out = capsys.readouterr().out
    assert phrase("label.preferences-taken", 3, "given.csv") in out
    grades = dict(pl.read_csv("mine.csv").select("doc", "grade").iter_rows())
    assert grades["d"] == 2
    pl.DataFrame({"topic": ["1"], "better": ["x"], "worse": ["a"]}).write_csv("wrong.csv")
    assert answer(monkeypatch, "", "--preferences", "wrong.csv") == 2
    assert phrase("label.document-topic-not-among", "x", 1) in capsys.readouterr().err


def test_label_asks_stops_and_goes_on(files, capsys, monkeypatch):
    (files / "d.csv").write_text("topic,doc,text\n1,a,apple\n1,b,bean\n1,c,\n1,d,date\n")
    words = ("label", "d.csv", "--top-k", "2", "--in-order", "--judgments", "mine.csv")
    monkeypatch.setattr("sys.stdin", io.StringIO("1\nwhat\n2\nq\n"))
    status, out, err = run(capsys, *words)
    assert status == 0, err
    assert "  1  a  apple" in err
    assert "  2  b  bean" in err
    assert phrase("label.stopped-topic", 1) in out
    monkeypatch.setattr("sys.stdin", io.StringIO("2\n2\n2\n"))  # c over b, then d over b
    status, out, err = run(capsys, *words)
    assert status == 0, err
    assert phrase("label.answers-known-before", 2) in out
    from dissensus.io.api import read_judgments

    mine = read_judgments("mine.csv")
    grades = dict(zip(mine.doc_ids(), mine.grade.tolist(), strict=True))
    assert grades == {"a": 0, "b": 0, "c": 2, "d": 1}
    assert isinstance(mine, Judgments)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("label", "gold.txt"), phrase("label.table-comes")),
    ],
)
def test_refused(files, capsys, words, message):
    status, _, err = run(capsys, *words)
    assert status == 2
    assert message in err
