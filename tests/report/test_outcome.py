"""The verdict as data."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from reported_study import MEASURES, SAMPLE, full_outcome, plain_study, planned, text_of
from wording import phrase

from dissensus.measures.evaluate import measure_list
from dissensus.report.blocks import ChartBlock
from dissensus.report.build import build
from dissensus.report.outcome import outcome, rank_of
from dissensus.report.study import Study, topic_means


def test_where_less_is_better_the_lower_score_comes_first() -> None:
    study = Study(SAMPLE.runs, SAMPLE.judgments.select(assessors=["ann"]), tuple(measure_list(["ESL"])))
    assert outcome(study).scores["score"].is_sorted()


def test_ranks_share_ties() -> None:
    assert np.nan_to_num(rank_of(np.array([0.5, 0.7, 0.5, np.nan]))).tolist() == [2.5, 1.0, 2.5, 0.0]


def test_an_audit_for_differences_gives_an_order_without_scores() -> None:
    """FINDINGS A1: scores are refused, and the headline was alphabetical."""
    study = Study(SAMPLE.runs, SAMPLE.judgments, MEASURES[:1], planned("differences"), assessor="llm")
    computed = build(study)
    made = {s.key: s for s in computed.sections}
    found = outcome(study)
    assert found.scores["score"].is_nan().all()
    assert found.order[0] == "crossenc"
    assert text_of(made["answer"]).startswith("crossenc ")
    assert phrase("outcome.compare-systems-but-not") in text_of(made["answer"])
    assert found.ranks is not None
    assert found.ranks["rank"].is_not_null().all()
    ranks = next(b for b in made["merging"].blocks if isinstance(b, ChartBlock)).table
    assert ranks is not None
    corrected = ranks.frame.filter(pl.col("way") == "corrected").sort("rank")
    assert corrected["system"].to_list() == found.order


def test_leaders_are_those_that_no_system_was_shown_to_beat():
    found = full_outcome()
    beaten = set(found.pairs.filter(pl.col("claim") == "better")["worse"])
    assert found.leaders == [s for s in found.order if s not in beaten]
    assert found.order[0] in found.leaders


def test_pairs_name_the_better_side_only_where_it_was_shown():
    pairs = full_outcome().pairs
    assert pairs.height == 28
    for row in pairs.iter_rows(named=True):
        if row["claim"] == "better":
            assert row["better"] == (row["a"] if row["difference"] > 0 else row["b"])
            assert row["low"] > 0 or row["high"] < 0
        else:
            assert row["better"] is None
    assert pairs["difference"].abs().is_sorted(descending=True)


def test_without_an_audit_the_labels_are_taken_as_they_are():
    found = outcome(plain_study())
    assert found.shown == "naive"
    assert found.naive is None
    study = plain_study()
    means = dict(zip(study.systems, topic_means(study.judge_scores.values[study.measure][0]), strict=True))
    assert dict(zip(found.scores["system"], found.scores["score"], strict=True)) == pytest.approx(means)
    assert found.standings["system"].to_list() == found.order
