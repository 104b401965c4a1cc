"""`dissensus compare --score-table`: a leaderboard's own scores, with rank sets and groups."""

from __future__ import annotations

import json

import numpy as np
import pytest
from wording import phrase

from dissensus.cli import main


@pytest.fixture(name="table")
def _table(tmp_path):
    rng = np.random.default_rng(0)
    topic = rng.random(40)
    lines = ["system,topic,measure,value"]
    for s, shift in (("a", 0.0), ("b", 0.01), ("c", 0.3)):
        lines += [f"{s},t{t},quality,{topic[t] + shift + 0.05 * rng.normal():.4f}" for t in range(40)]
    path = tmp_path / "board.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_leaderboard_has_rank_sets(table, capsys):
    assert main(["compare", "--score-table", str(table), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["claims"][0]["sentence"] == phrase("score-table-output.best-of", "c", 3, "0.28")
    assert {r["system"]: (r["low"], r["high"]) for r in said["tables"]["ranks"]} == {
        "c": (1, 1),
        "a": (2, 3),
        "b": (2, 3),
    }
    assert [set(g) for g in said["groups"]["quality"]] == [{"a", "b"}]


def test_what_a_table_cannot_be_combined_with(table, capsys):
    assert main(["compare", "--score-table", str(table), "--audit", "gold.csv"]) == 2
    assert main(["compare", "--score-table", str(table), "-j", "labels.csv"]) == 2
    assert main(["compare"]) == 2
    assert "--score-table FILE" in capsys.readouterr().err


def test_the_gate_takes_it_too(table, capsys):
    assert main(["gate", "a", "c", "--score-table", str(table), "-m", "quality", "--tolerance", "0.01"]) == 0
    assert main(["gate", "c", "a", "--score-table", str(table), "-m", "quality", "--tolerance", "0.01"]) == 1
    assert capsys.readouterr().out.startswith(phrase("compare-score-table.pass-not-worse", "c", "0.01"))


def test_neighbours_are_counted(tmp_path, capsys):
    rng = np.random.default_rng(1)
    rows = [
        f"{s},t{t},AP,{v + 0.01 * rng.normal()}" for s, v in zip("wxyz", (1, 1, 2, 3), strict=True) for t in range(9)
    ]
    (tmp_path / "b.csv").write_text("\n".join(["system,topic,measure,value", *rows]) + "\n")
    assert main(["compare", "--score-table", str(tmp_path / "b.csv")]) == 0
    assert phrase("compare-score-table.neighbours-undecided", "AP", 1, 3) in capsys.readouterr().out
