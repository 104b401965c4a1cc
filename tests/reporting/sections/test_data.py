"""The section of the data: what went in, counted."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from reported_study import SAMPLE, full_section, full_study, table_of, text_of
from wording import phrase

import dissensus as ds
from dissensus.reporting.sections.data import label_shares
from dissensus.reporting.study import ReportedStudy


def test_counts_are_those_of_the_tables():
    counts = dict(table_of(full_section("data"), "counts").rows())
    frame = SAMPLE.judgments.to_frame()
    assert counts["labels"] == f"{frame.height:,}"
    assert counts["judged documents"] == f"{frame.select('topic', 'doc').n_unique():,}"
    assert counts["retrieved documents (rows)"] == f"{SAMPLE.runs.to_frame().height:,}"
    assert counts["audited documents"] == f"{len(SAMPLE.audit):,}"
    assert counts["systems"] == str(len(SAMPLE.runs.systems))


def test_shares_of_grades_sum_to_one_for_every_assessor():
    frame = label_shares(full_study())
    sums = frame.group_by("assessor").agg(pl.col("share").sum())
    assert sums["share"].to_list() == pytest.approx([1.0] * sums.height)
    labels = SAMPLE.judgments.to_frame()
    top = frame.filter((frame["assessor"] == "llm") & (frame["grade"] == "3"))["labels"].item()
    assert top == labels.filter((labels["assessor"] == "llm") & (labels["grade"] == 3)).height


def test_many_assessors_are_pooled_and_none_is_lost():
    rng = np.random.default_rng(0)
    said = {f"w{i:02d}": {"q": {f"d{j}": int(rng.integers(0, 2)) for j in range(i + 1)}} for i in range(35)}
    runs = ds.Runs.from_dict({"A": {"q": {"d0": 1.0}}})
    frame = label_shares(ReportedStudy(runs, ds.Judgments.from_dict(said), (ds.measure("P@1"),)))
    assert frame["assessor"].n_unique() == 30
    assert frame["assessor"][-1] == "6 others"
    assert frame["labels"].sum() == sum(range(1, 36))


def test_policies_and_oddities_are_told():
    section = full_section("data")
    assert "Policies: " + full_study().judge_scores.attrs["footer"] in text_of(section)
    assert section.line.startswith(phrase("data.labels-of", f"{len(SAMPLE.judgments):,}"))
