"""The study of audits in order: simulated, or on labels of one's own."""

from __future__ import annotations

import polars as pl
from study_files import runs, study_files  # noqa: F401 (a fixture)

from dissensus.studies.audits.stopping_simulated import JUDGES
from dissensus.studies.sequential import SETTINGS, run
from dissensus.studies.study import Request


def test_simulated_judges_have_a_row_each_and_a_figure():
    made = run(Request(settings={**SETTINGS, "paths": 2}, seed=1))
    table = made.tables["failures"]
    assert set(table["judge"]) == set(JUDGES)
    assert set(table["paths"]) == {2}
    frame, truth = made.figures["shrinking"].data
    last = frame.filter(pl.col("labels") == frame["labels"].max())
    assert (last["low"] - 1e-9 <= truth).all()
    assert (last["high"] + 1e-9 >= truth).all()


def test_real_labels_are_followed(files):
    asked = {**SETTINGS, "gold": "expert", "measure": "P@5", "pairs": 2, "paths": 1}
    request = Request(runs=[str(f) for f in runs(files)], judgments=[str(files / "two.csv")], settings=asked)
    tables = run(request).tables
    assert tables["by judge"]["judge"].to_list() == ["llm"]
    assert tables["by gap"]["paths"].sum() == 2
