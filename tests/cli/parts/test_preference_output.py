"""Preferences on the command line: agree, merge, evaluate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wording import phrase

import dissensus as ds
from dissensus.cli import main


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = [(t, "x", "y", "expert", "a" if t % 3 else "b", "ab" if t % 2 else "ba") for t in range(12)]
    rows += [(t, "x", "y", "llm", "a" if t % 2 else "b", "ab" if t % 2 else "ba") for t in range(30)]
    ds.Preferences.from_rows(rows).write(str(tmp_path / "p.csv"))
    (tmp_path / "r.run").write_text("".join(f"{t} Q0 x 1 2 r\n{t} Q0 y 2 1 r\n" for t in range(30)))
    return tmp_path


def call(*words: object) -> int:
    return main([str(w) for w in words])


def test_agree_says_position_bias_and_rectifies_by_gold(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("agree", files / "p.csv", "--gold", "expert", "--json") == 0
    out = json.loads(capsys.readouterr().out)
    position = {r["assessor"]: r for r in out["tables"]["position"]}
    assert position["llm"]["first_preferred"] == 1.0
    rectified = {r["item"]: r for r in out["tables"]["rectified"]}
    assert rectified["x"]["naive"] == 0.5
    assert rectified["x"]["win_rate"] == pytest.approx(2 / 3, abs=0.01)
    assert next(iter(out["tables"])) == "rectified"


def test_agree_writes_all_answers_as_one_table(files: Path) -> None:
    assert call("agree", files / "p.csv", "--answers", files / "all.jsonl") == 0
    assert ds.read_preferences(files / "all.jsonl").to_frame().equals(ds.read_preferences(files / "p.csv").to_frame())


def test_merge_writes_an_order_and_evaluate_scores_by_it(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("merge", files / "p.csv", "-o", files / "order.qrels") == 0
    assert len(ds.read_judgments(files / "order.qrels")) == 60
    capsys.readouterr()
    assert call("evaluate", files / "r.run", "-j", files / "p.csv", "-m", "Compat", "--json") == 0
    scores = {r["assessor"]: r["Compat"] for r in json.loads(capsys.readouterr().out)["tables"]["scores"]}
    assert scores["expert"] > scores["llm"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["agree", "p.csv", "--binary", "2"], "--binary is for grades"),
        (["merge", "p.csv", "--method", "em-mv"], phrase("preference-output.merges-grades")),
        (["evaluate", "r.run", "-j", "p.csv", "-m", "AP"], phrase("preference-output.needs-grades")),
        (["agree", "p.csv", "--gold", "nix"], phrase("preference-output.no-assessor", "nix")),
    ],
)
def test_what_needs_grades_is_refused(
    files: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*(files / w if "." in w else w for w in words)) == 2
    assert message in capsys.readouterr().err
