"""The section on whose word counts: every way's means, ranks and orders."""

from __future__ import annotations

import numpy as np
import pytest
from reported_study import SAMPLE, full_section, full_study, plain_study, table_of, text_of
from wording import phrase

import dissensus as ds
from dissensus.reporting.answer import answer_of
from dissensus.reporting.sections.merging import build, corrected_means, tau_table, ways


def test_ways_hold_each_assessor_the_merges_and_the_truth_last():
    study = full_study()
    means, _ = ways(study)
    assert list(means)[: len(SAMPLE.judgments.assessors)] == list(SAMPLE.judgments.assessors)
    assert list(means)[-5:] == ["majority", "em-mv", "AWARE", "corrected", "truth"]
    direct = ds.evaluate(study.runs, SAMPLE.truth, [study.measure])[study.measure].mean("topic").values[0]
    assert means["truth"] == pytest.approx(direct)
    singles = np.array([means[a] for a in SAMPLE.judgments.assessors])
    assert means["mean of scores"] == pytest.approx(singles.mean(axis=0))


def test_the_answer_names_who_comes_first_under_each_way():
    frame = table_of(full_section("merging"), "ranks")
    firsts = set(frame.filter(frame["rank"] == 1)["system"])
    text = text_of(full_section("merging"))
    assert all(system in text for system in firsts)


def test_orders_are_compared_with_the_last_way():
    means = {"a": np.array([3.0, 2.0, 1.0]), "b": np.array([1.0, np.nan, 2.0]), "c": np.array([1.0, 2.0, 3.0])}
    assert tau_table(means).rows() == [("a", "c", -1.0, pytest.approx(-1.0))]


def test_pooled_scores_order_the_systems_where_there_are_any():
    corrected = full_study().corrected
    means, remark = corrected_means(full_study(), corrected)
    assert means == pytest.approx(corrected.pooled[full_study().measure].theta)
    assert "pooled" in remark


def test_one_assessor_has_nothing_to_merge():
    assert phrase("merging.nothing-merge") in build(plain_study(), answer_of(plain_study())).missing
