"""The section of the judges."""

from __future__ import annotations

import polars as pl
import pytest
from reported_study import SAMPLE, full_section, full_study, plain_study, table_of, text_of

import dissensus as ds
from dissensus.reporting.sections import judges


def test_agreement_is_the_librarys():
    found = full_study().agreement
    assert f"Krippendorff's α is {found.alpha:.2f}" in text_of(full_section("judges"))
    assert table_of(full_section("judges"), "pairs").equals(found.pairs)


def test_who_stands_out_is_named():
    odd = full_study().agreement.assessors.filter(pl.col("looks").is_in(["random", "lazy", "contrary"]))
    line = judges.line(full_study())
    for row in odd.head(2).iter_rows(named=True):
        assert f"{row['assessor']} looks {row['looks']}" in line


def test_confusions_are_against_the_truth_where_it_is_known():
    frame = table_of(full_section("judges"), "confusion")
    direct = ds.confusion(None, SAMPLE.truth, SAMPLE.judgments.select(assessors=["llm"]))
    mine = frame.filter(pl.col("assessor") == "llm")
    assert mine["share"].to_numpy().reshape(direct.matrix.shape) == pytest.approx(direct.matrix)
    assert mine["n"].to_numpy().reshape(direct.matrix.shape)[:, 0].tolist() == direct.n.tolist()


def test_weights_of_assessors_sum_to_one():
    weights = table_of(full_section("judges"), "weights")
    assert weights["weight"].sum() == pytest.approx(1)
    assert set(weights["assessor"]) == set(SAMPLE.judgments.assessors)


def test_long_tables_keep_both_ends():
    frame = pl.DataFrame({"x": range(judges.PAIRS + 1)})
    assert judges.ends(frame)["x"].to_list() == [*range(30), *range(31, 61)]
    assert judges.ends(frame.head(60)).height == 60


def test_one_assessor_without_an_audit_has_nothing_to_compare():
    assert judges.build(plain_study()).missing
