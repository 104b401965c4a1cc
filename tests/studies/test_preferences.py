"""The study of preferences: what was planted is found, and files are named by their assessors."""

from __future__ import annotations

from pathlib import Path

from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.studies.preferences import SETTINGS, run
from dissensus.studies.study import Request

QUICK = {**SETTINGS, "topics": 12, "documents": 8, "asked": 25, "trials": 4, "replicates": 50}


def test_generated_answers_show_what_was_planted() -> None:
    outcome = run(Request(settings=QUICK, seed=2))
    people = {r["assessor"]: r for r in outcome.tables["assessors"].to_dicts()}
    assert people["llm"]["first_preferred"] > people["people"]["first_preferred"]
    assert people["llm"]["discrimination"] > people["people"]["discrimination"]
    assert people["llm"]["same"] > 0
    rates = {r["system"]: r for r in outcome.tables["rectified"].to_dicts()}
    new = rates["new"]
    assert abs(new["rectified"] - new["true"]) < abs(new["naive"] - new["true"])
    assert set(outcome.figures) == {"runs"}
    orders = outcome.tables["orders of runs"]
    assert (orders["tau"] > 0.3).all()


def test_files_without_runs_have_no_order_of_runs(tmp_path: Path) -> None:
    rows = [(t, "x", "y", "ann", "a" if t % 3 else "b", "ab") for t in range(9)]
    ds.Preferences.from_rows(rows).write(str(tmp_path / "p.csv"))
    outcome = run(Request(files=[str(tmp_path / "p.csv")], settings=QUICK))
    assert phrase("studies-preferences.orders-runs") not in outcome.tables
    assert outcome.tables["assessors"]["answers"].to_list() == [9]
    with refused(InputError):
        run(Request(files=[str(tmp_path / "p.csv")], judgments=["q.qrels"], settings=QUICK))
