"""The study of audits in order: simulated, or on labels of one's own."""

from __future__ import annotations

import polars as pl
import pytest
from study_files import runs, study_files  # noqa: F401 (a fixture)

import dissensus as ds
from dissensus.io.samples import generated_collection
from dissensus.studies.audits.repetitions import GoldStandard
from dissensus.studies.audits.stopping_paths import shrinking
from dissensus.studies.sequential import (
    JUDGES,
    SETTINGS,
    chosen_pairs,
    real_contrasts,
    real_tables,
    run,
    simulated_contrast,
    simulated_table,
)
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


def test_one_seed_gives_one_table():
    first, again = (simulated_table(4, seed=3) for _ in range(2))
    assert first.equals(again)
    assert first["paths"].to_list() == [4] * 6


def test_judges_err_as_they_are_called():
    for judge, (hit, false) in (("honest", (0.85, 0.2)), ("hostile", (0.2, 0.8))):
        one = simulated_contrast(judge, 1, documents=4000)
        assert one.label[one.gold == 1].mean() == pytest.approx(hit, abs=0.04)
        assert one.label[one.gold == 0].mean() == pytest.approx(false, abs=0.04)
    rare = simulated_contrast("one-sided errors, 1 %", 1, documents=1000)
    wrong = rare.label != rare.gold
    assert wrong.sum() == 10
    assert (rare.c[wrong] * (rare.label - rare.gold)[wrong] > 0).all()  # each favours the first system


def test_the_truth_is_the_sum_of_weighted_gold_values():
    one = simulated_contrast("weak", 2)
    assert one.truth == pytest.approx(float(one.c @ one.gold))


MEASURE = "P(rel=2)@10"


def _collection():
    sample = generated_collection(topics=8)
    both = pl.concat([sample.judgments.to_frame(), sample.truth.to_frame()])
    return sample.runs, ds.Judgments.from_frame(both, scale="0..3").select(assessors=["llm", "ann", "truth"])


def test_the_truth_of_a_contrast_is_the_difference_that_evaluate_gives():
    runs, judgments = _collection()
    gold = judgments.select(assessors=["truth"])
    pairs = chosen_pairs(runs, gold, ds.measure(MEASURE), 5, seed=0)
    means = ds.evaluate(runs, gold, [MEASURE])[MEASURE].mean("topic").squeeze("assessor")
    given = GoldStandard(runs, judgments, "truth")
    for (a, b), contrast in real_contrasts(given, "llm", ds.measure(MEASURE), pairs).items():
        assert contrast.truth == pytest.approx(float(means.sel(system=a) - means.sel(system=b)))


def test_real_tables_have_a_row_per_bin_and_per_judge():
    runs, judgments = _collection()
    tables = real_tables(GoldStandard(runs, judgments, "truth"), ds.measure(MEASURE), pairs=4, paths=2)
    assert tables["by judge"]["judge"].to_list() == ["ann", "llm"]
    assert tables["by gap"]["paths"].sum() == 16
    assert tables["by gap"]["failed"].max() <= 0.5


def test_the_figure_has_every_look_until_the_end():
    runs, judgments = _collection()
    pairs = [("crossenc", "llm-rewrite")]
    contrast = real_contrasts(GoldStandard(runs, judgments, "truth"), "llm", ds.measure(MEASURE), pairs)[pairs[0]]
    frame = shrinking(contrast, range(2))
    assert frame["labels"].max() == len(contrast.c)
    last = frame.filter(pl.col("labels") == len(contrast.c))
    assert last["low"].to_list() == pytest.approx([contrast.truth] * 2, abs=1e-9)
