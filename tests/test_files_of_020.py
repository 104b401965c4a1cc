"""Files that 0.2.0 wrote are read, or refused in words. They were made by its commands on examples/."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from paths import ROOT
from refusals import refused

import dissensus as ds
from dissensus.cli import main
from dissensus.errors import InputError

HERE = Path(__file__).parent / "files_of_020"
EXAMPLES = ROOT / "examples"


def test_a_sample_of_020_is_an_audit_although_its_size_was_random() -> None:
    audit = ds.read_audit(HERE / "sample.csv")
    assert len(audit) == 58  # a budget of 60, drawn one by one
    labels = ds.read_judgments(EXAMPLES / "labels.csv").select(assessors=["llm"])
    found = ds.correct(ds.read_runs(str(EXAMPLES / "runs" / "*")), labels, audit, "P(rel=2)@10", pooled=False)
    assert found.to_frame()["corrected"].is_not_nan().all()


def test_a_sample_that_lost_rows_since_is_still_refused(tmp_path: Path) -> None:
    runs, labels = (ds.read_runs(str(EXAMPLES / "runs" / "*")), ds.read_judgments(EXAMPLES / "labels.csv"))
    plan = ds.plan(runs, labels, budget=20, assessor="llm", measures="P@10", seed=1)
    sample, _ = plan.write(tmp_path / "sample.csv")
    lines = sample.read_text(encoding="utf-8").replace(",,", ",1,").splitlines()
    sample.write_text("\n".join(lines[:-3]) + "\n", encoding="utf-8")
    with refused(InputError, 17, 20):
        ds.read_audit(sample)


def test_a_confusion_matrix_and_gains_of_020_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert ds.Confusion.read(HERE / "confusion.json").matrix.shape == (4, 4)
    words = ["evaluate", str(EXAMPLES / "runs" / "*"), "-j", str(EXAMPLES / "labels.csv"), "-a", "llm", "-m", "nDCG@10"]
    assert main([*words, "--gains", str(HERE / "weights.json"), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["tables"]["scores"]) == 8


def test_an_analysis_of_020_is_the_same_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(HERE / "analysis.toml"), "--show"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("dissensus report")
    assert "--measures 'P(rel=2)@10'" in out


def test_json_of_a_result_is_no_input_and_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "old.json").write_text(json.dumps({"footer": "ties=trec", "tables": {"table": [{"system": "a"}]}}))
    assert main(["check", str(tmp_path / "old.json")]) == 2
    assert "JSON that dissensus does not know" in capsys.readouterr().out
