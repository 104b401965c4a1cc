"""Real labels audited as if few were known, on a generated collection."""

from __future__ import annotations

import polars as pl
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.io.samples import generated_collection
from dissensus.studies.audits.pooled_real import GRADES, cases, groups, real_table, some_runs
from dissensus.studies.audits.repetitions import GoldStandard


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
    made = real_table(GoldStandard(runs, judgments, "gold"), {str(measure): measure}, (150,), audits=6, seed=2)
    assert made["method"].to_list() == ["naive", "rectified", "pooled"]
    assert set(made["audits"]) == {6}
    [one] = cases(GoldStandard(runs, judgments, "gold"), "llm", [measure])
    truth = ds.evaluate(runs, judgments.select(assessors=["gold"]), [measure])[str(measure)].values[0]
    assert one.truth == pytest.approx(truth.mean(axis=1))
    with refused(InputError, "nobody"):
        real_table(GoldStandard(runs, judgments, "nobody"), {str(measure): measure}, (150,), audits=1)


def test_binary_judges_score_on_the_gold_scale(collection: tuple[ds.Runs, ds.Judgments]) -> None:
    runs, judgments = collection
    llm = judgments.select(assessors=["llm"])
    binary = llm.with_grades((llm.grade >= 2).astype(llm.grade.dtype), ds.Scale.range(0, 1))
    frames = [binary.to_frame(), judgments.select(assessors=["gold"]).to_frame()]
    both = ds.Judgments.from_frame(pl.concat([f.with_columns(pl.col("grade").cast(pl.String)) for f in frames]))
    measure = ds.measure("P(rel=2)@10")
    one, graded = (cases(GoldStandard(runs, j, "gold"), "llm", [measure])[0] for j in (both, judgments))
    assert GRADES[2] == (0, 2)
    assert one.naive == pytest.approx(graded.naive)  # 1 counts as 2
    assert one.design.n_labels == 3  # its own classes stay


def test_runs_are_drawn_by_the_seed(collection: tuple[ds.Runs, ds.Judgments]) -> None:
    runs, _ = collection
    assert some_runs(runs, 3, 0).systems == some_runs(runs, 3, 0).systems
    assert len(some_runs(runs, 3, 0).systems) == 3
    assert some_runs(runs, 0, 0) is runs


def test_refused_audits_are_counted_and_measures_that_are_not_linear_share_them(
    collection: tuple[ds.Runs, ds.Judgments],
) -> None:
    runs, judgments = collection
    measures = {name: ds.measure(name) for name in ("nDCG@10", "ERR@10", "AP", "P@10", "P@5")}
    assert groups(measures) == [("P@10",), ("P@5",), ("nDCG@10", "ERR@10", "AP")]
    some = {name: measures[name] for name in ("nDCG@10", "ERR@10")}
    table = real_table(GoldStandard(runs, judgments, "gold"), some, (20,), audits=2, seed=2)
    made = table.filter(pl.col("method") == "rectified")
    assert made["refused"].to_list() == [1.0, 1.0]  # one label per topic
    assert made["covered"].is_nan().all()
    assert made["audits"].to_list() == [2, 2]
