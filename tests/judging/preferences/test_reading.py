"""Preferences from files and back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from preference_rows import ROWS
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError, Option
from dissensus.io.judgment_rows import are_preferences


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_written_and_read_back(tmp_path: Path, ending: str) -> None:
    prefs = ds.Preferences.from_rows(ROWS)
    prefs.write(str(tmp_path / f"p.{ending}"))
    assert ds.read_preferences(tmp_path / f"p.{ending}").to_frame().equals(prefs.to_frame())


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_ids_like_formulas_are_read_back_as_they_were(tmp_path: Path, ending: str) -> None:
    prefs = ds.Preferences.from_rows([("=q", "'=1+1", "-d", "@ann", "a", "ab"), ("=q", "-d", "+e", "@ann", "b", "")])
    prefs.write(str(tmp_path / f"p.{ending}"))
    assert ds.read_preferences(tmp_path / f"p.{ending}").to_frame().equals(prefs.to_frame())
    if ending in ("csv", "tsv"):  # a spreadsheet runs none of them
        assert not re.search(r"(^|[,\t])[=+@-]", (tmp_path / f"p.{ending}").read_text(), re.MULTILINE)


def test_text_forms(tmp_path: Path) -> None:
    (tmp_path / "h.txt").write_text("1 d1 d2 d2\n")
    (tmp_path / "g.txt").write_text("@ 1 d1 d2 !\n@ 1 d1 d3 =\n@ 1 d2 d3 ?\n")
    prefs = ds.read_preferences(tmp_path / "*.txt")
    assert [r[3:] for r in prefs.to_frame().rows()] == [("g", "a", ""), ("g", "same", ""), ("h", "b", "ab")]
    assert prefs.notes == (phrase("preferences-reading.pair-without-answer-left", "g.txt", 1),)
    (tmp_path / "bad.txt").write_text("1 d1 d2\n")
    with refused(InputError, "bad.txt:1", 3):
        ds.read_preferences(tmp_path / "bad.txt")


def test_a_line_ends_where_a_line_of_qrels_ends(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("q d1 d2 d1\r\nq d2 d3 d3\r\nq d\u20281 d2 d\u20281\n", newline="")
    assert are_preferences([tmp_path / "p.txt"])
    with refused(ds.DissensusError, "p.txt:3"):
        ds.read_preferences(tmp_path / "p.txt")


def test_bytes_that_are_not_text_are_refused_by_line(tmp_path: Path) -> None:
    path = tmp_path / "ann.txt"
    path.write_bytes(b"q1 d1 d2 d1\nq1 \xff d2 d2\n")
    with refused(ds.DissensusError, "ann.txt:2"):
        ds.read_preferences(path)


@pytest.mark.parametrize(
    "text",
    [
        "question_id,model_a,model_b,judge,winner\nq,d1,d2,ann,model_a\nq,d2,d3,ann,tie\n",
        "qid,docA,docB,assessor,preference\nq,d1,d2,ann,A\nq,d2,d3,ann,s\n",
        "topic,doc a,doc b,rater,answer\nq,d1,d2,ann,d1\nq,d2,d3,ann,0.5\n",
    ],
)
def test_columns_as_others_name_them(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.csv").write_text(text)
    assert are_preferences([tmp_path / "p.csv"])
    rows = ds.read_preferences(tmp_path / "p.csv").to_frame().rows()
    assert rows == [("q", "d1", "d2", "ann", "a", ""), ("q", "d2", "d3", "ann", "same", "")]


def test_several_dimensions_are_a_choice(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("topic,doc_a,doc_b,answer,dimension\nq,x,y,a,style\nq,x,y,b,truth\n")
    with refused(InputError, "style", "truth", options=[Option("dimension", "truth")]):
        ds.read_preferences(path)
    assert ds.read_preferences(path, dimension="style").to_frame()["answer"].to_list() == ["a"]
    with refused(InputError, "grace"):
        ds.read_preferences(path, dimension="grace")
