"""Precision against recall."""

from __future__ import annotations

import polars as pl
import pytest
from reported_study import full_study, plain_study

import dissensus as ds
from dissensus.report.recall import interpolated_curve, raw_curve
from dissensus.report.study import Study


@pytest.fixture(name="full")
def _full() -> Study:
    return full_study()


def test_precision_recall_curves(full: Study) -> None:
    raw, smooth = raw_curve(full), interpolated_curve(full)
    assert raw.columns == smooth.columns == ["system", "step", "recall", "precision"]
    for system in full.systems:
        assert raw.filter(pl.col("system") == system)["recall"].is_sorted()
        precision = smooth.filter(pl.col("system") == system)["precision"]
        assert precision.is_sorted(descending=True)
        assert len(precision) == 11
    p10 = full.judge_scores.values["P(rel=2)@10"]
    assert p10.shape[1] == raw["system"].n_unique()


def test_raw_points_are_means_of_precision_and_recall():
    study = plain_study()
    raw = raw_curve(study)
    direct = ds.evaluate(study.runs, study.judge, ["P@10", "R@10"]).mean("topic").isel(assessor=0)
    for system in study.systems:
        row = raw.filter((pl.col("system") == system) & (pl.col("step") == 10)).row(0, named=True)
        assert row["precision"] == pytest.approx(float(direct["P@10"].sel(system=system)))
        assert row["recall"] == pytest.approx(float(direct["R@10"].sel(system=system)))
