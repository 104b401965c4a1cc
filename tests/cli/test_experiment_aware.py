"""`dissensus experiment aware` from the shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rankings import judged_runs
from wording import phrase

from dissensus.cli import main


def test_files_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    skills = {"a": 0.9, "b": 0.7, "c": 0.5, "d": 0.0, "gold": 1.0}
    runs, judgments, _ = judged_runs(skills, systems=5, topics=3, docs=30, seed=1)
    runs.to_frame().write_csv(tmp_path / "runs.csv")
    judgments.to_frame().write_csv(tmp_path / "labels.csv")
    words = ["experiment", "aware", "--runs", str(tmp_path / "runs.csv"), "--judgments", str(tmp_path / "labels.csv")]
    words += ["--set", "tuples=2", "--set", "replicates=5", "--set", "measures=AP", "--json"]
    assert main([*words, "--plot", str(tmp_path / "aware.json")]) == 0
    document = json.loads(capsys.readouterr().out)
    assert phrase("experiment-aware.tuples-size-assessors", 2, "2…3", 4) in document["notes"]
    assert len(document["tables"]["approaches"]) == 34
    assert {"ANOVA tau_ap", "ANOVA rmse", "Tukey tau_ap", "Tukey rmse"} <= set(document["tables"])
    assert sorted(p.name for p in tmp_path.glob("*.json")) == sorted(
        f"aware-{value}-{what}.json"
        for value in ("tau-ap", "rmse")
        for what in ("approach", "size", "interactions", "parts")
    )
