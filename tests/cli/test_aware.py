"""`dissensus aware` from the shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rankings import judged_runs
from wording import phrase

from dissensus.cli import main


def test_scores_weights_and_how_the_order_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs, judgments, _ = judged_runs({"good": 0.9, "fair": 0.7, "coin": 0.0}, systems=5, topics=4, docs=40, seed=1)
    runs.to_frame().write_csv(tmp_path / "runs.csv")
    judgments.to_frame().write_csv(tmp_path / "labels.csv")
    words = ["aware", tmp_path / "runs.csv", "--judgments", tmp_path / "labels.csv", "-m", "AP", "--replicates", 50]
    assert main([str(w) for w in words]) == 0
    out = capsys.readouterr().out
    assert phrase("cli-aware.ways-merging") in out
    assert phrase("cli-aware.rank-majority") in out
    assert phrase("cli-aware.random-judges-class-seed", 50, 0) in out
    assert main([str(w) for w in [*words, "--json", "--per-topic"]]) == 0
    document = json.loads(capsys.readouterr().out)
    weights = {row["assessor"]: row["weight"] for row in document["tables"]["weights"]}
    assert weights["good"] > weights["coin"]
    assert len(document["tables"]["scores"]) == 20
    assert [row["way"] for row in document["tables"]["ways of merging"]] == [
        "sgl_rmse_msd", "uni", "majority", "em-mv", "em-neu",
    ]  # fmt: skip
    assert document["tables"]["ways of merging"][0]["tau"] == 1
    assert main([str(w) for w in [*words, "--estimator", "best"]]) == 2
    assert phrase("cli-aware.sgl-tpc") in capsys.readouterr().err
