"""`dissensus plan` from the shell."""

from __future__ import annotations

import json

import polars as pl
import pytest
from shell import call
from study_files import runs, study_files  # noqa: F401 (a fixture)
from wording import phrase


def test_plan_writes_a_sample_that_comes_back(files, capsys, tmp_path):
    sample = tmp_path / "todo.csv"
    words = [*runs(files), "-j", files / "llm.csv"]
    assert call("plan", *words, "-m", "P@5", "--budget", "60", "--difference", "0.1", "--sample", sample) == 0
    out = capsys.readouterr().out
    assert "detectable" in out
    assert phrase("plan.voids-value") in out
    todo = pl.read_csv(sample, infer_schema=False)
    gold = pl.read_csv(files / "gold-all.csv", infer_schema=False).select("topic", "doc", "grade")
    todo.drop("grade").join(gold, on=["topic", "doc"]).write_csv(sample)
    assert call("correct", *words, "--audit", sample, "-m", "P@5", "--json") == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["scores"]
    assert all(r["corrected"] is not None for r in rows)
    assert call("plan", *words, "-m", "P@5", "--sample", sample) == 2  # grades would be lost
    assert phrase("plan.exists-holds-grades") in capsys.readouterr().err


def test_a_lost_frame_is_refused_with_the_command_that_rebuilds_it(files, tmp_path, capsys):
    words = [*runs(files), "-j", files / "llm.csv"]
    sample, frame = tmp_path / "a.csv", tmp_path / "a.frame.parquet"
    assert call("plan", *words, "-m", "P@5", "--budget", "60", "--seed", "3", "--sample", sample) == 0
    gold = pl.read_csv(files / "gold-all.csv", infer_schema=False).select("topic", "doc", "grade")
    pl.read_csv(sample, infer_schema=False).drop("grade").join(gold, on=["topic", "doc"]).write_csv(sample)
    kept = frame.read_bytes()
    frame.unlink()
    capsys.readouterr()
    assert call("correct", *words, "--audit", sample, "-m", "P@5") == 2
    error = capsys.readouterr().err
    assert "plan -m P@5 --for scores --budget 60 --seed 3 RUNS -j LABELS --frame" in error
    again = ["-m", "P@5", "--for", "scores", "--budget", "60", "--seed", "3"]
    assert call("plan", *words, *again, "--frame", frame) == 0
    assert frame.read_bytes() == kept
    assert call("correct", *words, "--audit", sample, "-m", "P@5") == 0


def test_plan_speaks_in_flags(files, capsys):
    words = ["plan", *runs(files), "-j", files / "llm.csv", "-m", "P@5", "--budget", "20"]
    assert call(*words, "--for", "differences") == 0
    out = capsys.readouterr().out
    assert phrase("plan.sample-compare-systems-but") in out
    assert phrase("plan.use-scores-include") in out
    assert "purpose=" not in out
    assert call(*words, "--scores") == 2
    assert "--for scores" in capsys.readouterr().err
    assert call(*words) == 0
    assert phrase("plan.sample-compare-systems-but") not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "AP", "--budget", "-3"], phrase("plan.number-documents-audit-must", 0)),
        (["--budget", "0"], "--budget 0:"),
        (["--sample", "nowhere/to.csv"], phrase("plan.sample-folder", "nowhere/to.csv")),
    ],
)
def test_refusals_exit_with_2(files, capsys, words, message):
    assert call("plan", *runs(files), "-j", files / "llm.csv", *(w.format(files) for w in words)) == 2
    assert message in capsys.readouterr().err


def test_a_chart_that_cannot_be_drawn_is_refused_before_the_sample_is_written(files, capsys, tmp_path):
    words = ["plan", *runs(files), "-j", files / "llm.csv", "-m", "P@5", "--budget", "20"]
    assert call(*words, "--sample", tmp_path / "todo.csv", "--plot", tmp_path / "curve.bmp") == 2
    assert "curve.bmp" in capsys.readouterr().err
    assert not (tmp_path / "todo.csv").exists()
