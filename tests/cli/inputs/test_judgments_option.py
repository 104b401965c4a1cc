"""Judgments behind `-j` where a command takes them as arguments, and files given in trec_eval's order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wording import phrase

from dissensus.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [f"{t},d{i},{a},{(i + k) % 3}" for t in "pq" for i in range(6) for k, a in enumerate(("ann", "bob"))]
    (tmp_path / "labels.csv").write_text("\n".join(["topic,doc,assessor,grade", *rows]) + "\n")
    (tmp_path / "nist.qrels").write_text("".join(f"{t} 0 d{i} {i % 2}\n" for t in "pq" for i in range(6)))
    (tmp_path / "a.run").write_text("".join(f"{t} Q0 d{i} {i} {9 - i} x\n" for t in "pq" for i in range(6)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", ["agree", "merge", "weights"])
def test_both_spellings_give_the_same(folder: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for words in (["labels.csv"], ["--judgments", "labels.csv"], ["-j", "labels.csv"]):
        main([command, *words, "--json"])
        printed.append(json.loads(capsys.readouterr().out))
    assert printed[0] == printed[1] == printed[2]


def test_no_judgments_at_all(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agree"]) == 2
    assert phrase("judgments-option.no-judgments-given") in capsys.readouterr().err


@pytest.mark.parametrize("command", ["evaluate", "compare", "correct", "aware"])
def test_the_order_of_trec_eval_is_named(folder: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "nist.qrels", "a.run"]) == 2
    shown = capsys.readouterr().err
    assert phrase("judgments-option.looks-like-judgments", "nist.qrels") in shown
    assert phrase("judgments-option.dissensus-judgments", command, "a.run", "nist.qrels") in shown


def test_runs_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "a.run"]) == 2
    assert phrase("judgments-option.looks-like") not in capsys.readouterr().err
