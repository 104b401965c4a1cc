"""The result of a correction: its table, scores and covariance."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from audited_study import audit, study
from wording import phrase

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
    assert set(result.table["method"]) == {"rectified", "modelled ideals"}
    assert json.loads(result.to_json())["tables"]["scores"][0]["measure"] == "P@5"
    assert phrase("correct.rectified-audit-lies-among") in " ".join(result.notes)


@pytest.mark.parametrize("choice", [{}, {"topics": "shared"}, {"unjudged": "condense"}, {"ties": "expected"}])
def test_the_footer_names_the_policies_that_were_followed(choice):
    runs, bronze, gold = study(topics=6)
    footer = ds.correct(runs, bronze, audit(gold), ["P@5"], **choice).footer.split()
    for policy, value in {"ties": "trec", "topics": "judged", **choice}.items():
        assert f"{policy}={value}" in footer


def test_pooled_scores_of_too_few_labels_have_no_interval():
    runs, bronze, gold = study(topics=12, systems=tuple("ABCDEF"), se=0.6, sp=0.6)
    made = ds.plan(runs, bronze, budget=6, measures="P@5", seed=3)
    drawn = made.sample.drop("grade").join(gold.to_frame().select("topic", "doc", "grade"), on=["topic", "doc"])
    table = ds.correct(runs, bronze, ds.Audit.from_frame(drawn, scale=gold.scale), ["P@5"]).table
    assert not table["corrected"].is_finite().all()
    assert table["pooled"].is_finite().all()
    assert not table["pooled_high"].is_finite().any()
