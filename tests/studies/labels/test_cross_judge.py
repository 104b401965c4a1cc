"""Predicted against actual cross-judge scores: right where the model holds, on real judges close."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from paths import shared_data
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError, MeasureError
from dissensus.studies.labels.cross_judge import CrossJudge, CrossScores

MATRIX = ds.Confusion([[0.8, 0.15, 0.05], [0.2, 0.6, 0.2], [0.05, 0.25, 0.7]])


def cross_judge(j: ds.Judgments, measure: object = "nDCG", matrix: object = "pair", **options: int) -> CrossJudge:
    return CrossScores.of(j, measure, **options).against(matrix)


def two_judges(topics: int, documents: int = 60) -> ds.Judgments:
    """bob's labels, and ann's as the matrix makes them of his."""
    rng = np.random.default_rng(2)
    bob = {t: rng.choice(3, documents, p=(0.6, 0.3, 0.1)) for t in range(topics)}
    ann = {t: MATRIX.sample(grades, seed=100 + t) for t, grades in bob.items()}
    return ds.Judgments.from_dict(
        {
            who: {t: {f"d{i}": int(g) for i, g in enumerate(row)} for t, row in rows.items()}
            for who, rows in (("ann", ann), ("bob", bob))
        }
    )


@pytest.mark.parametrize("measure", ["nDCG", "P@5"])
def test_where_the_model_holds_predictions_have_no_bias(measure):
    result = cross_judge(two_judges(60), measure, MATRIX)
    here = result.table.filter(result.table["scores"] == "bob")
    error = (here["actual"] - here["predicted"]).to_numpy()
    assert abs(error.mean()) < 3 * error.std(ddof=1) / np.sqrt(len(error))


def test_classes_of_topics(tmp_path):
    """Actual and predicted scores of nMCG with a class per topic are those of the class, topic by topic."""
    from dissensus.users.dynamic import dynamics_json

    user, classes = tmp_path / "user.json", tmp_path / "classes.csv"
    user.write_text(dynamics_json({"quick": ds.UserDynamic(1, 0, 0), "late": ds.UserDynamic(0, 0.5, 0)}))
    classes.write_text("0,quick\n1,late\n2,quick\n")
    m = ds.measure(f"nMCG(dynamic={str(user)!r}, classes={str(classes)!r})@5")
    j = two_judges(3)
    table = cross_judge(j, m, MATRIX).table
    for t in "012":
        ours = table.filter(topic=t).select("ranks", "scores", "actual", "predicted")
        of_class = cross_judge(j, m.for_topic(t), MATRIX).table.filter(topic=t).select(ours.columns)
        assert ours.rows() == of_class.rows()


def test_prediction_is_the_ceiling_of_those_counts():
    j = two_judges(3)
    row = cross_judge(j, "nDCG", MATRIX).table.filter(topic="1", scores="bob")
    bob = j.select(topics=["1"], assessors=["bob"])
    assert row["predicted"][0] == pytest.approx(float(ds.ceiling(bob, MATRIX, "nDCG")))


def test_own_matrix_beats_a_foreign_one():
    j = two_judges(30)
    own, foreign = cross_judge(j, "nDCG", "pair"), cross_judge(j, "nDCG", ds.Confusion.uniform(3, 0.6))
    assert own.rmse < foreign.rmse
    assert abs(own.bias) < 0.02


def test_left_out_topic_does_not_predict_itself():
    j = two_judges(2, documents=20)
    table = cross_judge(j, "nDCG", "left-out").table.filter(topic="0", scores="bob")
    only_other = j.select(topics=["1"])
    matrix = ds.confusion(only_other, "bob", "ann")
    alone = ds.ceiling(j.select(topics=["0"], assessors=["bob"]), matrix, "nDCG")
    assert table["predicted"][0] == pytest.approx(float(alone))


def test_agreeing_judges_are_on_the_diagonal_at_one():
    rows = {t: {f"d{i}": int(i % 3) for i in range(12)} for t in range(3)}
    result = cross_judge(ds.Judgments.from_dict({"a": rows, "b": rows}))
    assert result.table["actual"].to_list() == pytest.approx([1] * 6)
    assert result.table["predicted"].to_list() == pytest.approx([1] * 6)
    assert np.isnan(result.correlation)
    assert "RMSE 0.0000" in str(result)
    assert json.loads(result.to_json())["rmse"] == pytest.approx(0, abs=1e-9)


def test_refusals():
    j = two_judges(2)
    with refused(MeasureError, "AP"):
        cross_judge(j, "AP")
    with refused(InputError, 'confusion="row"'):
        cross_judge(j, "nDCG", "row")
    with refused(InputError, 2, "0…2"):
        cross_judge(j, "nDCG", ds.Confusion(np.eye(2)))


def test_real_judges():
    """NIST and two LLM judges on TREC 2021 passages: the pair's own matrix predicts best."""
    folder = shared_data("trec-dl21-passage")
    j = ds.read_judgments(folder / "qrels.nist.txt", folder / "qrels.umbrela-gpt4o.txt.gz")
    own = cross_judge(j, "nDCG(dcg='exp-log2')", "pair")
    pooled = cross_judge(j, "nDCG(dcg='exp-log2')", "pooled")
    assert own.table.height == 106
    assert own.rmse < pooled.rmse < 0.09
    assert own.correlation > 0.55


def test_intervals_are_over_topics_and_hold_the_estimates():
    result = cross_judge(two_judges(40), "nDCG", MATRIX)
    one = result.intervals()
    for name in ("bias", "rmse", "correlation"):
        assert one[f"{name}_low"] < getattr(result, name) < one[f"{name}_high"]
    topics = result.table.group_by("topic").agg((pl.col("predicted") - pl.col("actual")).mean())["predicted"].to_numpy()
    half = 2.02 * topics.std(ddof=1) / np.sqrt(40)  # every topic has two points, so Student's t of topics is near
    assert one["bias_high"] - one["bias_low"] == pytest.approx(2 * half, rel=0.15)
