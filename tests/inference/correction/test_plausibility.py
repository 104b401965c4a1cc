"""Probabilities that cannot be right are refused; scores outside the range come with their sentence."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from audited_study import audit, study
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.correction.plausibility import out_of_range


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_honest_probabilities_pass(share: float) -> None:
    runs, bronze, gold = study()
    for seed in range(10):
        assert ds.correct(runs, bronze, audit(gold, share, seed), ["P@5"], pooled=False).table.height == 3


@pytest.mark.parametrize("factor", [0.01, 0.1])
def test_probabilities_divided_are_refused_with_numbers(factor: float) -> None:
    runs, bronze, gold = study()
    wrong = audit(gold).to_frame().with_columns(pl.col("inclusion") * factor)
    with refused(InputError, 1, 320, "q00"):
        ds.correct(runs, bronze, ds.Audit.from_frame(wrong, scale="0..1"), ["P@5"])


def test_one_absurd_probability_is_refused() -> None:
    runs, bronze, gold = study()
    table = audit(gold).to_frame()
    wrong = table.with_columns(inclusion=pl.when(pl.int_range(pl.len()) == 3).then(1e-300).otherwise("inclusion"))
    with refused(InputError, "1e-300"):
        ds.correct(runs, bronze, ds.Audit.from_frame(wrong, scale="0..1"), ["P@5"])
    with refused(InputError, "1e-300"):
        ds.plan(runs, bronze, ds.Audit.from_frame(wrong, scale="0..1"))


def test_scores_outside_the_range_come_with_their_sentence() -> None:
    theta, limits = np.array([0.5, 1.19]), (np.zeros(2), np.ones(2))
    text = out_of_range(("A", "B"), theta, (theta - 0.2, theta + 0.2), limits)
    assert text.startswith(phrase("plausibility.outside-attained-attainable", "B", "1.190", "[0.990, 1.390]", 0, 1))
    assert out_of_range(("A",), theta[:1], (theta[:1] - 0.2, theta[:1] + 0.2), (np.zeros(1), np.ones(1))) == ""
    runs, bronze, gold = study(topics=20)
    few = ds.correct(runs, bronze, audit(gold, 0.08, 3), ["P@5"], target="these_topics")
    outside = (few.table["high"] > 1) | (few.table["low"] < 0)
    assert outside.any()
    assert any(phrase("plausibility.outside-attained") in note for note in few.notes)


def test_audits_of_what_no_system_shows_are_told() -> None:
    runs, bronze, gold = study(pool=60)
    result = ds.correct(runs, bronze, audit(gold, 0.3), ["P@5"])
    text = next(str(f) for f in result.diagnosis["P@5"] if phrase("plausibility.shown-no-system") in str(f))
    design, weights = result.design, result.results["P@5"].weights
    assert weights is not None
    share = (design.audited & ~weights.weighty).sum() / design.audited.sum()
    assert f"{share:.0%} of" in text
