"""`dissensus experiment`: the list, the settings, tables and charts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from feature_files import feature_folder  # noqa: F401 (a fixture)
from graded_labels import graded_labels  # noqa: F401 (a fixture)
from shell import run
from wording import phrase

from dissensus.cli import main


def test_list_and_about(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment"]) == 0
    assert "balancing" in capsys.readouterr().out
    assert main(["experiment", "balancing", "--about"]) == 0
    assert "trials=10000" in capsys.readouterr().out


def test_unknown_names_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "markof"]) == 2
    assert phrase("experiment.did-you-mean", "markov") in capsys.readouterr().err
    assert main(["experiment", "balancing", "--set", "trial=3"]) == 2
    assert phrase("experiment.settings-measures-simulate") in capsys.readouterr().err


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
    assert any(phrase("experiment.generated-systems", 48) in line for line in out["notes"])
    assert {p.name for p in tmp_path.iterdir()} == {"m-correlations.svg", "m-means.svg", "m-rankings.svg"}


def test_sequential_on_simulated_judges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "sequential", "--set", "paths=2", "--plot", str(tmp_path / "s.svg"), "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert len(out["tables"]["failures"]) == 6
    assert [p.name for p in tmp_path.iterdir()] == ["s-shrinking.svg"]


class TestExperiments:
    def test_disagreement(self, labels, tmp_path, capsys):
        status, out, _ = run(
            capsys, "experiment", "disagreement", labels, "--scale", "Non,Rel,HRel", "--set", "draws=5",
            "--plot", tmp_path / "d.svg",
        )  # fmt: skip
        assert status == 0
        assert "Table 2" in out
        assert (tmp_path / "d-fig5.svg").exists()
        assert (tmp_path / "d-table2.svg").exists()

    def test_table_4(self, tmp_path, capsys):
        both = tmp_path / "fed.csv"
        both.write_text(
            "topic,doc,assessor,snippet,page\n1,a,x,Sure,Key\n1,a,y,Sure,Key\n1,b,x,No,Rel\n1,b,y,Sure,Key\n"
        )
        status, out, _ = run(
            capsys, "experiment", "disagreement", both, "--set", "labels=snippet,page", "--set", "top=Sure, Key",
            "--set", "draws=5", "--json",
        )  # fmt: skip
        assert status == 0
        rows = json.loads(out)["tables"]["Table 4"]
        assert [(r["first"], r["second"], r["weight"]) for r in rows] == [("No", "Rel", 1.0), ("Sure", "Key", 1.0)]

    def test_ceiling(self, labels, tmp_path, capsys):
        status, out, _ = run(
            capsys, "experiment", "ceiling", labels, "--scale", "Non,Rel,HRel", "--set", "min_documents=4",
            "--set", "matrices=trec-rf10-crowd", "--set", "samples=50", "--plot", tmp_path / "c.svg", "--json",
        )  # fmt: skip
        assert status == 0
        tables = json.loads(out)["tables"]
        assert [r["method"] for r in tables["Table 1"]] == ["exact", "SIM", "CFA"]
        assert {r["matrix"] for r in tables["summary"]} >= {"own pair", "trec-rf10-crowd"}
        assert (tmp_path / "c-fig1.svg").exists()


def test_experiment_noise_at_toy_size(files, capsys):
    toy = ["sets=OHSUMED,OHSUMED2G", "rankers=PRank", "profiles=uniform", "levels=0,0.3", "documents=1500"]
    status, out, err = run(capsys, "experiment", "noise", *(w for t in toy for w in ("--set", t)), "--plot", "n.svg")
    assert status == 0, err
    assert "trainings" in out
    for chart in ("dnoise", "pnoise", "theory"):
        assert (files / f"n-{chart}.svg").stat().st_size > 2000


def test_experiment_dynamics_at_toy_size(files, capsys):
    toy = ["documents=1000", "trees=2", "full=4", "leaves=5"]
    status, out, err = run(capsys, "experiment", "dynamics", *(w for t in toy for w in ("--set", t)), "--plot", "d.svg")
    assert status == 0, err
    assert phrase("experiment.user-dynamics-assumed") in out
    assert (files / "d-difference.svg").stat().st_size > 2000
