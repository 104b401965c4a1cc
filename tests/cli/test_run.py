"""`dissensus run`: an analysis that was written down is done again, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wording import phrase

from dissensus.cli import main
from dissensus.io.samples import generated_collection

ANALYSIS = """
runs = ["runs/*.run"]
judgments = ["labels.csv"]
audit = "audit.csv"
assessor = "llm"
measures = ["P(rel=2)@5"]

[policies]
empty = "zero"

[outputs]
evaluate = "scores.csv"
correct = "tables/corrected.json"

[outputs.wide]
command = "compare"
file = "pairs.csv"
level = 0.9
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    generated_collection(topics=3).write(tmp_path)
    (tmp_path / "analysis.toml").write_text(ANALYSIS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _bytes(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_an_analysis_run_twice_gives_the_same_bytes(folder: Path) -> None:
    assert main(["run", "analysis.toml"]) == 0
    first = _bytes(folder / "results")
    assert set(first) == {
        "scores.csv", "tables/corrected.json", "pairs.csv", "pairs-ranks.csv", "pairs-diagnosis.csv", "analysis.toml",
        "what-was-done.json",
    }  # fmt: skip
    assert main(["run", "analysis.toml"]) == 0
    assert _bytes(folder / "results") == first
    record = json.loads(first["what-was-done.json"])
    assert [step["name"] for step in record["outputs"]] == ["evaluate", "correct", "wide"]
    assert len(record["inputs"]) == 10
    assert "--empty zero" in record["outputs"][0]["command"]
    assert not list(folder.glob(".*unfinished"))


def test_the_commands_shown_do_what_the_analysis_does(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import shlex

    assert main(["run", "analysis.toml", "--show"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert not (folder / "results").exists()
    assert main(["run", "analysis.toml"]) == 0
    scores = (folder / "results" / "scores.csv").read_bytes()
    (folder / "results" / "scores.csv").unlink()
    assert main(shlex.split(lines[0])[1:]) == 0
    assert (folder / "results" / "scores.csv").read_bytes() == scores


def test_paths_are_relative_to_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["run", "analysis.toml"]) == 0
    scores = (folder / "results" / "scores.csv").read_bytes()
    monkeypatch.chdir(folder.parent)
    assert main(["run", f"{folder.name}/analysis.toml"]) == 0
    assert (folder / "results" / "scores.csv").read_bytes() == scores


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("audit =", "audits =", "Did you mean audit?"),
        ('empty = "zero"', 'emty = "zero"', "Did you mean empty?"),
        ("evaluate =", "evalate =", "Did you mean evaluate?"),
        ("level = 0.9", "levle = 0.9", "Did you mean level?"),
        ('"scores.csv"', '"../scores.csv"', phrase("run.inside-folder-results")),
        ('"pairs.csv"', '"scores.csv"', phrase("run.two-outputs-write", "scores.csv")),
        ("runs = [", "runs = ", phrase("run.not-valid-file", "TOML")),
        ("runs/*.run", "nothing/*.run", "nothing"),
    ],
)
def test_what_is_wrong_is_said_before_any_work(
    folder: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, words: str
) -> None:
    (folder / "analysis.toml").write_text(ANALYSIS.replace(old, new))
    assert main(["run", "analysis.toml"]) == 2
    assert words in capsys.readouterr().err
    assert not (folder / "results").exists()


def test_a_folder_of_other_things_is_not_replaced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "results").mkdir()
    (folder / "results" / "thesis.txt").write_text("years of work")
    assert main(["run", "analysis.toml"]) == 2
    assert phrase("run.not-written-analysis") in capsys.readouterr().err
    assert (folder / "results" / "thesis.txt").read_text() == "years of work"
