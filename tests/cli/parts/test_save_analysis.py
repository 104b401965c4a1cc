"""The running command written down as an analysis."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from refusals import refused

from dissensus.cli import main
from dissensus.cli.parts.save_analysis import analysis_text, check_analysis_file
from dissensus.data.samples import generated_collection
from dissensus.errors import OutputError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    generated_collection(topics=3).write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_report_saves_the_analysis_that_makes_it_again(folder: Path) -> None:
    (folder / "kept").mkdir()
    words = ["-j", "labels.csv", "--assessor", "llm", "-m", "P@5", "--title", 'A "title"', "-o", "page.html"]
    assert main(["report", "runs/bm25.run", "runs/dense.run", *words, "--save-analysis", "kept/again.toml"]) == 0
    assert main(["run", "kept/again.toml"]) == 0
    assert (folder / "kept" / "results" / "page.html").read_bytes() == (folder / "page.html").read_bytes()


def test_paths_are_written_as_seen_from_the_file():
    given = {"runs": ["r/a.run"], "judgments": ["llm=labels.csv"], "measure": ["AP"], "seed": 4, "rows": True}
    text = analysis_text("report", given, "r.html", Path("kept"))
    values = tomllib.loads(text)
    assert values["runs"] == ["../r/a.run"]
    assert values["judgments"] == ["llm=../labels.csv"]
    assert (values["measures"], values["seed"]) == (["AP"], 4)
    assert values["outputs"]["report"] == {"file": "r.html", "rows": True}


@pytest.mark.parametrize("title", ['A "title"', "back\\slash", "line\nbreak", "é\x7f"])
def test_texts_come_back_from_toml(title):
    text = analysis_text("report", {"title": title}, "r.html", Path())
    assert tomllib.loads(text)["outputs"]["report"]["title"] == title


@pytest.mark.parametrize("name", ["again.json", "nowhere/again.toml"])
def test_a_file_that_cannot_be_written_is_refused_before_the_work(tmp_path, name):
    with refused(OutputError, "--save-analysis"):
        check_analysis_file(tmp_path / name)
