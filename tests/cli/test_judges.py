"""`dissensus judges` from the shell."""

from __future__ import annotations

import json
from pathlib import Path

import judged_systems as world
import numpy as np
import pytest
from wording import phrase

from dissensus.cli import main


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judges")
    rng = np.random.default_rng(2)
    truth = (rng.random((12, world.DOCS)) < 0.35).astype(int)
    runs, _ = world.systems(truth, rng, (0.6, 0.9, 1.3, 2.4))
    said = {
        "gold": truth,
        "h0": world.with_errors(truth, rng, 0.85),
        "h1": world.with_errors(truth, rng, 0.85),
        "llm": world.with_errors(truth, rng, 0.9),
    }
    world.labels(said).to_frame().write_csv(folder / "labels.csv")
    runs.to_frame().write_csv(folder / "runs.csv")
    return folder


def test_one_judge_in_full(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = files / "card.html"
    words = ["judges", str(files / "labels.csv"), "--gold", "gold", "--judge", "llm", "--runs", str(files / "runs.csv")]
    words += ["--human", "h0,h1"]
    assert main([*words, "-m", "P@10", "--card", str(page)]) == 0
    out = capsys.readouterr().out
    for piece in ("llm agrees with gold", "biases", "replaceability", "systems", "may"):
        assert piece in out
    assert page.stat().st_size > 10_000


def test_all_judges_as_json_and_no_runs(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judges", str(files / "labels.csv"), "--gold", "gold", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {r["judge"] for r in document["tables"]["judges"]} == {"h0", "h1", "llm"}
    assert any(phrase("cli-judges.no-runs-given") in line for line in document["notes"])


def test_gold_is_an_audit_or_an_assessor(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    audit = files / "audit.csv"
    rows = [line.split(",") for line in (files / "labels.csv").read_text().splitlines()]
    at = {name: i for i, name in enumerate(rows[0])}
    gold = [r for r in rows[1:] if r[at["assessor"]] == "gold"][::2]
    lines = [f"{r[at['topic']]},{r[at['doc']]},{r[at['grade']]},0.5" for r in gold]
    audit.write_text("topic,doc,grade,inclusion\n" + "\n".join(lines) + "\n")
    words = ["judges", str(files / "labels.csv"), "--judge", "llm", "--human", "h0,h1"]
    assert main([*words, "--audit", str(audit), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["tables"]["judges"]
    assert row["documents"] == len(gold)
    assert 0.8 < row["percent"] < 1
    assert main(words) == 2
    assert main([*words, "--gold", "gold", "--audit", str(audit)]) == 2
    capsys.readouterr()
    assert main([*words[:2], "--gold", "gold", "--judge", "h0", "--human", "h0,h1"]) == 2
    assert "h0" in capsys.readouterr().err


def test_wrong_names(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judges", str(files / "labels.csv"), "--gold", "expert"]) == 2
    assert phrase("cli-judges.no-assessor-called", "expert") in capsys.readouterr().err
    assert main(["judges", str(files / "labels.csv"), "--gold", "gold", "--card", "card.pdf"]) != 0


def test_new_runs_are_held_against_a_margin(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["judges", str(files / "labels.csv"), "--gold", "gold", "--judge", "llm", "-m", "P@10", "--json"]
    new = ["--new-run", str(files / "runs.csv")]
    assert main([*words, *new, "--runs", str(files / "runs.csv"), "--margin", "0.1"]) == 0
    table = json.loads(capsys.readouterr().out)["tables"]["carry-over"]
    assert {r["outcome"] for r in table} == {"pass"}  # the same runs: no weight on documents unlike the calibrated ones
    assert main([*words, *new]) == 2
    assert "Add --runs" in capsys.readouterr().err


def test_gold_that_is_a_file_is_answered_with_how_to_give_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ann.qrels"
    file.write_text("q 0 d 1\n")
    assert main(["judges", str(file), "--gold", str(file)]) == 2
    assert f"gold={file}" in capsys.readouterr().err
