"""The result of a correction: its table, scores and covariance."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from audited_study import audit, study

import dissensus as ds


@pytest.fixture(scope="module", name="made")
def _made():
    runs, bronze, gold = study()
    return runs, bronze, gold, ds.correct(runs, bronze, audit(gold), ["P@5", "DCG@10", "nDCG@10"])


def test_shape_of_the_result(made):
    runs, bronze, _, result = made
    assert result.table.columns[:8] == ["measure", "system", "naive", "corrected", "se", "low", "high", "method"]
    assert result.table.height == 9
    assert result.scores["P@5"].dims == ("assessor", "system", "topic")
    assert result.scores["P@5"].shape == (1, 3, 20)
    cov = result.covariance["P@5"].values
    np.testing.assert_allclose(cov, cov.T)
    naive = ds.evaluate(runs, bronze, ["P@5", "nDCG@10"])
    row = result.table.filter((pl.col("measure") == "P@5") & (pl.col("system") == "B")).row(0, named=True)
    assert row["naive"] == pytest.approx(float(naive["P@5"].sel(system="B").mean()))
    assert float(result.scores["P@5"].sel(system="B").mean()) == pytest.approx(row["corrected"])
    assert set(result.table["method"]) == {"rectified", "imputation"}
    assert json.loads(result.to_json())["table"][0]["measure"] == "P@5"
    assert "rectified: the audit lies among the scored documents" in str(result)
