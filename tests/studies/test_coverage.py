"""The study of coverage: cells, targets, refusals apart from misses, the census check."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from audited_study import study
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.correction.estimate import Estimate, Method
from dissensus.inference.correction.estimate import refused as no_estimate
from dissensus.studies.audits.cells import METHODS, audited, judged, on_scale, over_judges, rows_of, summary
from dissensus.studies.audits.census import census_table
from dissensus.studies.audits.repetitions import GoldStandard
from dissensus.studies.coverage import SETTINGS, coverage_table


@pytest.fixture(scope="module", name="given")
def _given() -> GoldStandard:
    runs, bronze, gold = study(topics=20, systems=("A", "B", "C", "D", "E"), grades=3)
    frames = [j.to_frame().with_columns(assessor=pl.lit(name)) for j, name in ((bronze, "llm"), (gold, "gold"))]
    return GoldStandard(runs, ds.Judgments.from_frame(pl.concat(frames), scale="0..2"), "gold")


def test_cells_of_two_measures_designs_and_targets(given: GoldStandard) -> None:
    measures = {str(m): m for m in (ds.measure("nDCG@5"), ds.measure("P@5"))}
    asked = SETTINGS | {
        "audits": 2, "labels": (120,), "designs": ("planned", "random"), "targets": ("these_topics", "population"),
        "systems": 4,
    }  # fmt: skip
    made = coverage_table(given, measures, asked, seed=1)
    assert made.height == 2 * 2 * 2 * len(METHODS)
    kept = made.filter((pl.col("method") != "naive") & (pl.col("refused") < 1))
    assert kept.height
    assert kept["scores"].is_between(0, 1).all()
    assert (kept["width"] > 0).all()
    again = coverage_table(given, measures, asked, seed=1)
    assert again.equals(made, null_equal=True)
    together = over_judges(made)
    assert together.height == made.height  # there is one judge
    for column in ("rmse", "tau"):
        assert together[column].to_list() == made[column].to_list()
    pooled = together.filter(pl.col("method") == "pooled")
    others = [made.filter(pl.col("method") == m)["tau"].to_numpy() for m in ("naive", "corrected")]
    assert pooled["tau_lost"].to_list() == pytest.approx(np.fmax(*others) - pooled["tau"].to_numpy(), nan_ok=True)


def test_who_does_not_exist_is_named(given: GoldStandard) -> None:
    measures = {"P@5": ds.measure("P@5")}
    with refused(InputError, "nobody", "A, B, C, D, E"):
        coverage_table(given, measures, SETTINGS | {"favoured": ("nobody",)})
    with refused(InputError, "someone"):
        coverage_table(GoldStandard(given.runs, given.judgments, "someone"), measures, SETTINGS)


def test_everything_audited_is_the_truth(given: GoldStandard) -> None:
    measure, asked = ds.measure("nDCG@5"), (10_000, "planned", "these_topics")
    done = audited(given, "llm", measure, asked, 0, np.random.default_rng(0))
    rows = rows_of(done, measure, "these_topics")
    right = ds.evaluate(given.runs, given.alone("gold"), [measure])["nDCG@5"].values[0].mean(axis=1)
    assert done.truth == pytest.approx(right)
    assert rows["corrected"]["square"] == pytest.approx(0, abs=1e-20)
    assert rows["corrected"]["scores"] == rows["corrected"]["differences"] == 1
    assert rows["naive"]["square"] > 1e-4


def test_measures_that_are_imputed_are_held_and_nearer_than_the_judge(given: GoldStandard) -> None:
    """A judge who favours systems that err: what single audited documents say mends ERR and RR, too."""
    measures = {str(m): m for m in (ds.measure("ERR@5"), ds.measure("RR@5"))}
    made = coverage_table(given, measures, SETTINGS | {"audits": 6, "labels": (150,), "systems": 0}, seed=2)
    by = {(r["measure"], r["method"]): r for r in made.iter_rows(named=True)}
    for name in measures:
        assert by[name, "corrected"]["refused"] == 0
        assert by[name, "corrected"]["rmse"] < by[name, "naive"]["rmse"]
        assert by[name, "corrected"]["scores"] >= 0.85
        assert by[name, "corrected"]["differences"] >= 0.85


def test_refusals_are_no_misses() -> None:
    truth = np.array([0.1, 0.2, 0.4])
    lost = judged(np.full(3, np.nan), no_estimate(Method.MODEL, (3, 5), "too few"), truth)
    hit = {"square": 0.04, "deviation": 0.01, "tau": 1.0, "refused": 0.0, "scores": 1.0, "differences": 0.5}
    found = summary([lost, hit])
    assert found["refused"] == 0.5
    assert found["rmse"] == pytest.approx(0.2)
    assert found["scores"] == 1
    assert judged(truth + 0.1, None, truth)["deviation"] == pytest.approx(0)
    nothing = summary([lost])
    assert (nothing["refused"], nothing["scores"]) == (1, None)


def test_one_audit_is_counted_by_hand() -> None:
    truth = np.array([0.1, 0.2, 0.4])
    theta = truth + np.array([0.0, 0.0, 0.1])
    off = Estimate(Method.RECTIFIED, "", theta[:, None], theta, 1e-4 * np.eye(3), np.inf)
    found = judged(theta, off, truth, favoured=(2,))
    assert found["favoured"] == 0  # 0.1 is seven standard errors
    assert judged(theta, off, truth, favoured=(0,))["favoured"] == 0.5
    assert (found["scores"], found["differences"]) == pytest.approx((2 / 3, 1 / 3))
    assert (found["apart"], found["wrong"]) == (1, 0)
    assert found["square"] == pytest.approx(0.01 / 3)
    turned = Estimate(Method.RECTIFIED, "", theta[:, None], theta[::-1].copy(), 1e-4 * np.eye(3), np.inf)
    assert judged(turned.theta, turned, truth)["wrong"] == 1


def test_a_binary_judge_is_scored_on_the_gold_scale() -> None:
    gold = ds.Judgments.from_dict({"gold": {"q": {"a": 3, "b": 0}}}, scale="0..3")
    llm = ds.Judgments.from_dict({"llm": {"q": {"a": 1, "b": 0}}}, scale="0..1")
    assert on_scale(llm, gold).to_frame()["grade"].to_list() == [2, 0]


def test_the_census_check_is_near_the_truth_for_ndcg(given: GoldStandard) -> None:
    made = census_table(given, [ds.measure("nDCG@5"), ds.measure("AP")])
    assert made["measure"].to_list() == ["nDCG@5", "AP"]
    assert made["off"].abs().max() < 0.1
