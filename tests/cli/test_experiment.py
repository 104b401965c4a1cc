"""`dissensus experiment`: the list, the settings, tables and charts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dissensus.cli import main


def test_list_and_about(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment"]) == 0
    assert "balancing" in capsys.readouterr().out
    assert main(["experiment", "balancing", "--about"]) == 0
    assert "trials=10000" in capsys.readouterr().out


def test_unknown_names_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "markof"]) == 2
    assert "Did you mean markov?" in capsys.readouterr().err
    assert main(["experiment", "balancing", "--set", "trial=3"]) == 2
    assert "the settings are measures, simulate" in capsys.readouterr().err


def test_balancing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--set", "trials=20", "--set", "length=40", "--set", "measures=AP,ERR", "--set", "steps=3"]
    assert main(["experiment", "balancing", *words, "--plot", str(tmp_path / "b.svg"), "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert {row["measure"] for row in out["tables"]["curves"]} == {"AP", "ERR"}
    assert out["settings"]["trials"] == 20
    assert {p.name for p in tmp_path.iterdir()} == {"b-curves.svg", "b-separation.svg"}


def test_markov_on_generated_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--set", "samples=1", "--set", "percents=50", "--plot", str(tmp_path / "m.svg"), "--json"]
    assert main(["experiment", "markov", *words]) == 0
    out = json.loads(capsys.readouterr().out)
    assert len(out["tables"]["correlations"]) == 22
    assert any("48 generated systems" in line for line in out["footer"])
    assert {p.name for p in tmp_path.iterdir()} == {"m-correlations.svg", "m-means.svg", "m-rankings.svg"}


def test_sequential_on_simulated_judges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "sequential", "--set", "paths=2", "--plot", str(tmp_path / "s.svg"), "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert len(out["tables"]["failures"]) == 6
    assert [p.name for p in tmp_path.iterdir()] == ["s-shrinking.svg"]
