"""new − base: sums, geometric means, and scores corrected by gold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused
from score_datasets import dataset
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.gate_differences import as_scored, corrected_by_gold

RNG = np.random.default_rng(6)
JUDGE = np.clip(RNG.random((3, 30)), 0.1, 0.9)
GOLD = np.where(np.arange(30) < 10, JUDGE + 0.05 * RNG.normal(size=(3, 30)) + np.array([0, 0.3, 0])[:, None], np.nan)
GOLD = np.clip(GOLD, 0.01, 1)


def test_sums_are_differences_of_sums():
    scores = dataset([JUDGE], attrs={"aggregates": {"AP": "sum"}})
    (d,) = as_scored(scores, ("s0", "s1"), ["AP"], None)
    assert d.difference == pytest.approx(JUDGE[1].sum() - JUDGE[0].sum())
    assert (d.base, d.new) == pytest.approx((JUDGE[0].sum(), JUDGE[1].sum()))
    assert d.se == pytest.approx(30 * (JUDGE[1] - JUDGE[0]).std(ddof=1) / math.sqrt(30))
    result = ds.gate("s0", "s1", None, "AP", tolerance=2, scores=scores)
    assert phrase("gate-differences.sums-over-topics-compared", "AP") in result.notes


def test_geometric_means_are_differences_of_logarithms():
    scores = dataset([JUDGE], attrs={"aggregates": {"AP": "geometric"}})
    (d,) = as_scored(scores, ("s0", "s1"), ["AP"], None)
    logs = np.log(JUDGE)
    assert d.difference == pytest.approx((logs[1] - logs[0]).mean())
    assert d.base == pytest.approx(math.exp(logs[0].mean()))


def test_gold_corrects_the_two_systems_alone():
    """The third system's gold does not matter, and may be missing."""
    gold = GOLD.copy()
    gold[2] = np.nan
    scores = dataset([JUDGE, gold])
    (d,), notes = corrected_by_gold(scores, ("s0", "s1"), ["AP"], None, "j1", None)
    there = ~np.isnan(gold[0])
    error = (gold - JUDGE)[:, there]
    expected = JUDGE[1].mean() + error[1].mean() - JUDGE[0].mean() - error[0].mean()
    assert d.difference == pytest.approx(expected)
    assert d.df == 9
    assert notes[0] == phrase("gate-differences.corrected-topic-topic-scores", "j1")
    result = ds.gate("s0", "s1", None, "AP", tolerance=0.01, scores=scores, gold="j1")
    assert result.corrected
    assert result.checks[0].new_score == pytest.approx(JUDGE[1].mean() + error[1].mean())


def test_what_gold_needs():
    scores = dataset([JUDGE, GOLD])
    with refused(InputError, "s9"):
        ds.gate("s0", "s9", None, "AP", tolerance=0.01, scores=scores, gold="j1")
    runs = {"q1": {"d": 1.0}}
    with refused(InputError, 'gold="j1"'):
        ds.gate(runs, runs, {"q1": {"d": 1}}, "AP", tolerance=0.01, gold="j1")
    holed = GOLD.copy()
    holed[0, 3] = np.nan
    holes = dataset([JUDGE, holed])
    with refused(InputError, "s0", 3):
        ds.gate("s0", "s1", None, "AP", tolerance=0.01, scores=holes, gold="j1")
    assert ds.gate("s0", "s1", None, "AP", tolerance=0.01, scores=holes, gold="j1", missing="skip").checks[0].df == 8
