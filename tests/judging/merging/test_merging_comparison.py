"""Orders of systems under several ways of merging."""

from __future__ import annotations

import numpy as np
import pytest
from rankings import judged_runs

from dissensus.judging.merging.api import merge
from dissensus.judging.merging.merging_comparison import ways_of_merging
from dissensus.measures.catalog import measure
from dissensus.measures.evaluate import evaluate


def test_each_way_is_what_its_verb_gives() -> None:
    runs, judgments, _ = judged_runs({"good": 0.9, "fair": 0.6, "coin": 0.0}, systems=5, topics=3, docs=20, seed=3)
    found = ways_of_merging(runs, judgments, measure("P@5"), ("majority", "uni"), replicates=5)
    table = {row["system"]: row for row in found.ranks.rows(named=True)}
    merged = evaluate(runs, merge(judgments, "majority").judgments, ["P@5"])["P@5"]
    each = evaluate(runs, judgments, ["P@5"])["P@5"].mean("assessor")
    for system, row in table.items():
        assert row["majority"] == pytest.approx(float(merged.sel(system=system).mean()))
        assert row["uni"] == pytest.approx(float(each.sel(system=system).mean()))
        assert row["rank majority"] == 1 + sum(other["majority"] > row["majority"] for other in table.values())
    first, second = found.correlations.rows(named=True)
    assert (first["tau"], first["tau_ap"], first["largest move"]) == (1, 1, 0)
    moves = [abs(row["rank majority"] - row["rank uni"]) for row in table.values()]
    assert second["largest move"] == max(moves)
    assert second["best system"] == max(table, key=lambda s: table[s]["uni"])
    assert found.measure == "P@5"
    assert np.isfinite(found.correlations["tau"].to_numpy()).all()
