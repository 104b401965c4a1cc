"""The guided tour runs the real commands, writes its files, and ends with the truth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wording import phrase

from dissensus.cli import main
from dissensus.cli.parts.demo_steps import steps


def test_the_tour_runs_from_start_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "demo"
    assert main(["demo", "--folder", str(folder), "--topics", "12"]) == 0
    out = capsys.readouterr().out
    for step in steps(folder, "P(rel=2)@10"):
        assert step.why.split()[0] in out
        assert f"$ dissensus {step.arguments[0]} " in out
    assert phrase("demo.first-truth-naive-llm", "crossenc") in out
    assert phrase("demo.intervals-hold-truth") in out
    assert (folder / "report.html").stat().st_size > 500_000
    assert (folder / "truth.csv").exists()
    assert not [p for p in folder.rglob("*") if ".part" in p.name]
    assert "$ dissensus audit close " in out
    assert phrase("demo.valid-every-look") in out
    assert phrase("demo.truth-demo-knows") in out
    assert (folder / "closed" / "report.html").exists()


def test_the_last_word_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "demo"
    assert main(["demo", "--folder", str(folder), "--topics", "4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {row["system"] for row in told["tables"]["against the truth"]} >= {"crossenc", "llm-rerank"}
    assert (folder / "report.html").exists()
    assert told["study"]["stopped_at"] <= told["study"]["documents"]


def test_files_of_others_are_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "labels.csv").write_text("mine")
    assert main(["demo", "--folder", str(tmp_path)]) == 2
    assert phrase("demo.name-new-folder") in capsys.readouterr().err
    assert (tmp_path / "labels.csv").read_text() == "mine"
    assert main(["demo", "--folder", str(tmp_path / "labels.csv")]) == 2
    assert "is a file" in capsys.readouterr().err
