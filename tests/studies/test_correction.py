"""The study of corrected differences: simulated, or on labels of one's own."""

from __future__ import annotations

import polars as pl
from refusals import refused
from study_files import runs, study_files  # noqa: F401 (a fixture)

from dissensus.errors import InputError
from dissensus.studies.correction import SETTINGS, run
from dissensus.studies.study import Request


def test_simulated_judges_have_a_row_per_setting_and_method():
    asked = {**SETTINGS, "repetitions": 20, "settings": ("few labels",), "imputed": 0, "power": 0}
    made = run(Request(settings=asked, seed=1))
    assert {"coverage", "section 5", "section 6", "Table 2"} <= set(made.tables)
    assert "imputed" not in made.tables
    assert set(made.tables["coverage"]["setting"]) == {"few labels"}
    assert made.figures["coverage"].data[0] is made.tables["coverage"]


def test_real_labels_are_audited(files):
    asked = {**SETTINGS, "gold": "expert", "budget": 100.0, "audits": 2, "measures": ("P@5",)}
    request = Request(runs=[str(f) for f in runs(files)], judgments=[str(files / "two.csv")], settings=asked)
    table = run(request).tables["real labels"]
    assert set(table["judge"]) == {"llm"}
    assert set(table["audits"]) == {2}
    planned = table.filter((pl.col("audit") == "planned") & (pl.col("method") == "rectified"))
    assert planned["rmse"].item() < 0.2


def test_judgments_without_runs_are_refused(files):
    with refused(InputError, by="Request.collection"):
        run(Request(judgments=[str(files / "two.csv")], settings=SETTINGS))
