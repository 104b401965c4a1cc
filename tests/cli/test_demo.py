"""The guided tour runs the real commands, writes its files, and ends with the truth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wording import phrase

import dissensus as ds
from dissensus.cli import main
from dissensus.cli.commands import names
from dissensus.cli.demo import PAIR, steps, stop_sentence, true_winner
from dissensus.io.samples import generated_collection
from dissensus.studies.generated.judged_truth import truth_table


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


def test_every_step_calls_a_command_that_exists() -> None:
    assert all(step.arguments[0] in names() for step in steps(Path("demo"), "P@10"))


def test_the_last_word_is_about_the_truth():
    sample = generated_collection(topics=6)
    told = json.loads(truth_table(sample, "P(rel=2)@10", 0, {"study": {"stopped_at": 3}}).to_json())
    rows = told["tables"]["against the truth"]
    truth = ds.evaluate(sample.runs, sample.truth, ["P(rel=2)@10"])["P(rel=2)@10"].mean("topic").isel(assessor=0)
    for row in rows:
        assert row["truth"] == pytest.approx(float(truth.sel(system=row["system"])))
    assert told["study"] == {"stopped_at": 3}


def test_the_true_winner_has_the_higher_score_by_true_grades():
    sample = generated_collection(topics=8)
    means = ds.evaluate(sample.runs, sample.truth, ["P(rel=2)@10"])["P(rel=2)@10"].mean("topic").isel(assessor=0)
    values = {s: float(means.sel(system=s)) for s in PAIR}
    name, *_, gap = true_winner(sample, "P(rel=2)@10").split()
    assert name == max(PAIR, key=values.__getitem__)
    assert float(gap) == pytest.approx(abs(values[PAIR[0]] - values[PAIR[1]]), abs=5e-5)


@pytest.mark.parametrize(("where", "words"), [(None, "All 50"), (50, "All 50"), (12, "after 12 of 50")])
def test_where_it_stopped(where, words):
    assert words in stop_sentence(where, 50)
