"""The study of coverage: cells, targets, refusals apart from misses, the census check."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from audited_study import study

import dissensus as ds
from dissensus.studies.audits.cells import METHODS, judged, on_scale, one_audit, summary
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


def test_everything_audited_is_the_truth(given: GoldStandard) -> None:
    rows = one_audit(
        given, "llm", ds.measure("nDCG@5"), (10_000, "planned", "these_topics"), 0, np.random.default_rng(0)
    )
    assert rows["corrected"]["square"] == pytest.approx(0, abs=1e-20)
    assert rows["corrected"]["scores"] == rows["corrected"]["differences"] == 1
    assert rows["naive"]["square"] > 1e-4


def test_refusals_are_no_misses() -> None:
    from dissensus.inference.correction.estimate import Method, refused

    truth = np.array([0.1, 0.2, 0.4])
    lost = judged(np.full(3, np.nan), refused(Method.MODEL, (3, 5), "too few"), truth)
    hit = {"square": 0.04, "deviation": 0.01, "tau": 1.0, "refused": 0.0, "scores": 1.0, "differences": 0.5}
    found = summary([lost, hit])
    assert found["refused"] == 0.5
    assert found["rmse"] == pytest.approx(0.2)
    assert found["scores"] == 1
    assert judged(truth + 0.1, None, truth)["deviation"] == pytest.approx(0)


def test_a_binary_judge_is_scored_on_the_gold_scale() -> None:
    gold = ds.Judgments.from_dict({"gold": {"q": {"a": 3, "b": 0}}}, scale="0..3")
    llm = ds.Judgments.from_dict({"llm": {"q": {"a": 1, "b": 0}}}, scale="0..1")
    assert on_scale(llm, gold).to_frame()["grade"].to_list() == [2, 0]


def test_the_census_check_is_near_the_truth_for_ndcg(given: GoldStandard) -> None:
    made = census_table(given, [ds.measure("nDCG@5"), ds.measure("AP")])
    assert made["measure"].to_list() == ["nDCG@5", "AP"]
    assert made["off"].abs().max() < 0.1
