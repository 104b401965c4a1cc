"""The study of pooled scores, in short: simulated judges, and a generated collection as if it were real."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import dissensus as ds
from dissensus.data.samples import generated_collection
from dissensus.errors import InputError
from dissensus.studies.audits.pooled_audits import judged
from dissensus.studies.audits.pooled_real import GRADES, cases, groups, real_table, some_runs
from dissensus.studies.audits.pooled_simulated import SETTINGS, simulated_table
from dissensus.studies.pooled import SETTINGS as ASKED
from dissensus.studies.pooled import gain, run
from dissensus.studies.study import Request


def test_pooled_differences_hold_and_gain_in_every_setting() -> None:
    table = simulated_table(40, (200,), seed=1)
    assert set(table["setting"]) == set(SETTINGS)
    pooled = table.filter(pl.col("method") == "pooled")
    slack = 2 * pooled["mc_error"]
    assert ((pooled["covered"] + slack) >= 0.93).all()
    assert (pooled["wrong"] < 0.01).all()
    found = gain(table, ("setting", "labels"))
    assert (found["rmse_ratio"] < 0.85).all()
    assert (found["tau_gain"] > 0).all()
    assert (found["apart_ratio"] > 1).all()
    assert (found["covered_lost"] < 0.05).all()


def test_counts_of_one_audit_by_hand() -> None:
    truth = np.array([0.1, 0.2, 0.4])
    found = judged("naive", np.array([0.2, 0.1, 0.4]), None, truth)
    assert found["square"] == pytest.approx((0.2**2 + 0.1**2 + 0.1**2) / 3)
    assert found["tau"] == pytest.approx(1 / 3)


@pytest.fixture(scope="module", name="collection")
def _collection() -> tuple[ds.Runs, ds.Judgments]:
    made = generated_collection(0, topics=20)
    llm = made.judgments.select(assessors=["llm"]).to_frame()
    gold = made.truth.to_frame().with_columns(assessor=pl.lit("gold"))
    columns = ["topic", "doc", "assessor", "grade"]
    return made.runs, ds.Judgments.from_frame(pl.concat([llm.select(columns), gold.select(columns)]))


def test_real_audits_side_by_side(collection: tuple[ds.Runs, ds.Judgments]) -> None:
    runs, judgments = collection
    measure = ds.measure("P(rel=2)@10")
    made = real_table(runs, judgments, "gold", {str(measure): measure}, (150,), audits=6, seed=2)
    assert made["method"].to_list() == ["naive", "rectified", "pooled"]
    assert set(made["audits"]) == {6}
    [one] = cases(runs, judgments, "gold", "llm", [measure])
    truth = ds.evaluate(runs, judgments.select(assessors=["gold"]), [measure])[str(measure)].values[0]
    assert one.truth == pytest.approx(truth.mean(axis=1))
    with pytest.raises(InputError, match="no assessor is called 'nobody'"):
        real_table(runs, judgments, "nobody", {str(measure): measure}, (150,), audits=1)


def test_binary_judges_score_on_the_gold_scale(collection: tuple[ds.Runs, ds.Judgments]) -> None:
    runs, judgments = collection
    llm = judgments.select(assessors=["llm"])
    binary = llm.with_grades((llm.grade >= 2).astype(llm.grade.dtype), ds.Scale.range(0, 1))
    frames = [binary.to_frame(), judgments.select(assessors=["gold"]).to_frame()]
    both = ds.Judgments.from_frame(pl.concat([f.with_columns(pl.col("grade").cast(pl.String)) for f in frames]))
    measure = ds.measure("P(rel=2)@10")
    one, graded = (cases(runs, j, "gold", "llm", [measure])[0] for j in (both, judgments))
    assert GRADES[2] == (0, 2)
    assert one.naive == pytest.approx(graded.naive)  # 1 counts as 2
    assert one.design.n_labels == 3  # its own classes stay


def test_runs_are_drawn_by_the_seed(collection: tuple[ds.Runs, ds.Judgments]) -> None:
    runs, _ = collection
    assert some_runs(runs, 3, 0).systems == some_runs(runs, 3, 0).systems
    assert len(some_runs(runs, 3, 0).systems) == 3
    assert some_runs(runs, 0, 0) is runs


def test_the_experiment_has_tables_and_a_figure() -> None:
    asked = {**ASKED, "audits": 2, "labels": (100,)}
    made = run(Request(settings=asked))
    assert list(made.tables) == ["audits", "gain"]
    assert made.tables["audits"].height == 15
    from dissensus.report.charts.pooled import gain_chart

    frame, panel = made.figures["pooled"].data
    assert "RMSE" in gain_chart(frame, panel).to_json()


def test_refused_audits_are_counted_and_measures_of_one_depth_share_them(
    collection: tuple[ds.Runs, ds.Judgments],
) -> None:
    runs, judgments = collection
    measures = {name: ds.measure(name) for name in ("nDCG@10", "ERR@10", "AP", "P@10", "P@5")}
    assert groups(measures) == [("nDCG@10", "ERR@10"), ("AP",), ("P@10",), ("P@5",)]
    some = {name: measures[name] for name in ("nDCG@10", "ERR@10")}
    made = real_table(runs, judgments, "gold", some, (20,), audits=2, seed=2).filter(pl.col("method") == "rectified")
    assert made["refused"].to_list() == [1.0, 1.0]  # one label per topic
    assert made["covered"].is_nan().all()
    assert made["audits"].to_list() == [2, 2]
