"""`dissensus multiverse` on the examples: labels, score tables, gold, factors, a chart, refusals."""

from __future__ import annotations

import json

import pytest
from paths import ROOT
from shell import run

RUNS = sorted(str(p) for p in (ROOT / "examples" / "runs").glob("*.gz"))
LABELS = str(ROOT / "examples" / "labels.csv")


def test_judges_side_by_side(tmp_path, capsys):
    factors = tmp_path / "factors.csv"
    kinds = {"ann": "person", "ben": "person", "cyd": "person", "dee": "person", "eve": "person", "llm": "model"}
    factors.write_text("judge,kind\n" + "".join(f"{j},{k}\n" for j, k in kinds.items()))
    chart = tmp_path / "curve.svg"
    words = ["multiverse", *RUNS, "-j", LABELS, "-m", "nDCG@10", "--factors", factors, "--plot", chart, "--json"]
    code, out, _ = run(capsys, *words)
    assert code == 0
    tables = json.loads(out)["tables"]
    winners = {r["systems"]: r["judges"] for r in tables["winners"]}
    assert winners == {"crossenc": 4, "colbert": 1, "llm-rerank": 1}
    assert {r["kind"] for r in tables["judges"]} == {"person", "model"}
    drawn = sorted(p.name for p in tmp_path.glob("*.svg"))
    assert drawn == ["curve-claims.svg", "curve-panel.svg", "curve-tree.svg", "curve.svg"]
    assert all("<svg" in p.read_text() for p in tmp_path.glob("*.svg"))


def test_gold_by_name_and_nothing_to_compare(capsys):
    words = ["multiverse", *RUNS, "-j", LABELS, "-m", "P@5", "--gold", "ann", "--replicates", 50, "--json"]
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert "ann" not in {r["judge"] for r in json.loads(out)["tables"]["judges"]}
    assert run(capsys, "multiverse", *RUNS)[0] == 2


@pytest.mark.parametrize("option", [["-j", LABELS], ["--audit", "x.csv"]])
def test_score_tables_bring_the_scores(option, capsys):
    assert run(capsys, "multiverse", "--score-table", "a.csv", *option)[0] == 2
