from __future__ import annotations

import polars as pl
import pytest

import dissensus as ds
from dissensus.data.samples import generated_collection
from dissensus.studies.audits.stopping_paths import shrinking
from dissensus.studies.audits.stopping_real import chosen_pairs, real_contrasts, real_tables

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
    for (a, b), contrast in real_contrasts(runs, judgments, "truth", "llm", ds.measure(MEASURE), pairs).items():
        assert contrast.truth == pytest.approx(float(means.sel(system=a) - means.sel(system=b)))


def test_real_tables_have_a_row_per_bin_and_per_judge():
    runs, judgments = _collection()
    tables = real_tables(runs, judgments, "truth", MEASURE, pairs=4, paths=2)
    assert tables["by judge"]["judge"].to_list() == ["ann", "llm"]
    assert tables["by gap"]["paths"].sum() == 16
    assert tables["by gap"]["failed"].max() <= 0.5


def test_the_figure_has_every_look_until_the_end():
    runs, judgments = _collection()
    pairs = [("crossenc", "llm-rewrite")]
    contrast = real_contrasts(runs, judgments, "truth", "llm", ds.measure(MEASURE), pairs)[pairs[0]]
    frame = shrinking(contrast, range(2))
    assert frame["labels"].max() == len(contrast.c)
    last = frame.filter(pl.col("labels") == len(contrast.c))
    assert last["low"].to_list() == pytest.approx([contrast.truth] * 2, abs=1e-9)
