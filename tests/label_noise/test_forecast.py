"""The forecast: sampled values around expected ones, every merging, honest advice."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from refusals import refused, states
from wording import phrase

from dissensus.errors import InputError, ScaleError
from dissensus.judging.confusion.api import Confusion
from dissensus.label_noise.expected import expected_pair_noise
from dissensus.label_noise.forecast import BALANCED, FINER, forecast_noise, mergings
from dissensus.tables.judgments import Judgments


def labels(counts=(12, 5, 3), topics=4):
    grades = np.repeat(np.arange(len(counts)), counts)
    return Judgments.from_dict(
        {"g": {t: {f"d{i}": int(g) for i, g in enumerate(grades)} for t in range(topics)}},
        scale=f"0..{len(counts) - 1}",
    )


@pytest.mark.parametrize("profile", ["uniform", "distance", Confusion.distance(3, 0.4)])
def test_samples_lie_around_expectations(profile):
    table = forecast_noise(labels(), profile, (0.1, 0.3), replicates=200, seed=1).table.drop_nulls("sampled")
    gap = (table["sampled"] - table["expected"]).abs()
    assert (gap < 4 * table["sampled_se"] + 0.01).all()


def test_expected_values_are_those_of_the_counts():
    table = forecast_noise(labels(), "uniform", (0.2,), replicates=1).table
    at = dict(zip(table["labels"], table["expected"], strict=True))
    assert at["as they are"] == pytest.approx(expected_pair_noise([12, 5, 3], Confusion.uniform(3, 0.2)))
    assert at["merged 0 | 1+2"] == pytest.approx(expected_pair_noise([12, 8], Confusion.uniform(2, 0.2)))
    assert at[BALANCED] < at["as they are"]
    assert at[FINER] == pytest.approx(expected_pair_noise([6, 6, 5, 3], Confusion.uniform(4, 0.2)))


def test_merging_merges_a_measured_matrix():
    """Merging relabelled documents, or relabelling by the merged matrix: the same joint probabilities."""
    c = Confusion([[0.8, 0.15, 0.05], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]])
    table = forecast_noise(labels(), c, (1.0,), replicates=400, seed=3).table
    row = table.filter(pl.col("labels") == "merged 0 | 1+2").row(0, named=True)
    merged = [[0.8, 0.2], [(5 * 0.2 + 3 * 0.1) / 8, (5 * 0.8 + 3 * 0.9) / 8]]
    assert row["expected"] == pytest.approx(expected_pair_noise([12, 8], Confusion(merged)))
    assert FINER not in table["labels"].to_list()


def test_all_mergings_of_few_grades_and_cuts_of_many():
    assert len(mergings(5)) == 15
    assert len(mergings(8)) == 8
    assert mergings(2) == [(0, 1)]


def test_words():
    forecast = forecast_noise(labels(), replicates=2)
    assert forecast.advice.startswith("At dNoise 0.1, ")
    assert phrase("forecast.equal-shares-grades-lower") in forecast.advice
    assert states(forecast.notes[0], 80, 4)
    assert forecast.advice in str(forecast)
    assert json.loads(forecast.to_json())["tables"]["forecast"]


def test_refused():
    with refused(InputError, 'profile="gaussian"', "uniform"):
        forecast_noise(labels(), "gaussian")
    with refused(ScaleError, 2, "0…2"):
        forecast_noise(labels(), Confusion.uniform(2, 0.1))
    with refused(InputError):
        forecast_noise(labels().rows(np.zeros(80, bool)))


def test_dnoise_of_a_matrix_is_what_it_changes():
    """Level t of a matrix is t·C + (1 − t)·I; the share of labels it changes is not t."""
    c = Confusion([[0.9, 0.1, 0.0], [0.2, 0.6, 0.2], [0.0, 0.3, 0.7]])
    forecast = forecast_noise(labels(), c, replicates=2)
    full = (12 * 0.1 + 5 * 0.4 + 3 * 0.3) / 20
    assert forecast.table["dnoise"].unique().sort().to_list() == pytest.approx([full * t for t in (0.25, 0.5, 0.75, 1)])
    at_full = forecast.table.filter(pl.col("dnoise") == forecast.table["dnoise"].max())
    assert at_full["expected"][0] == pytest.approx(expected_pair_noise([12, 5, 3], c))
    assert forecast.advice.startswith(f"At dNoise {full:.3g}, ")
    assert phrase("forecast.changes-labels", "20.5") in forecast.notes[0]


def test_merged_labels_that_are_all_alike_do_not_stop_the_forecast():
    declared = Judgments.from_dict({"g": {1: {"a": 0, "b": 1, "c": 0}}}, scale="0..2")
    forecast = forecast_noise(declared, levels=(0.0, 0.1), replicates=3)
    row = forecast.table.filter((pl.col("labels") == "merged 0+1 | 2") & (pl.col("dnoise") == 0)).row(0, named=True)
    assert (row["expected"], row["sampled"]) == (None, None)
    assert any(phrase("forecast.no-pair-order") in note for note in forecast.notes)


def test_single_documents_make_no_pairs():
    with refused(InputError, "pNoise"):
        forecast_noise(Judgments.from_dict({"g": {1: {"a": 0}, 2: {"a": 1}}}))


def test_the_sentence_is_about_a_level_with_noise() -> None:
    j = Judgments.from_dict({"gold": {1: {f"d{i}": int(i > 6) for i in range(8)}}})
    assert forecast_noise(j, levels=(0.0, 0.25, 0.5), replicates=2).advice.startswith("At dNoise 0.25")
    assert phrase("forecast.give-levels-above", 0) in forecast_noise(j, levels=(0.0,), replicates=2).advice
