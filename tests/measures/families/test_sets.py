"""Sets, pairs and counts, by loops over documents."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dissensus as ds
from dissensus.measures.catalog import measure
from dissensus.measures.families.sets import (
    F1,
    Accuracy,
    NumNonRelRet,
    NumRel,
    NumRelRet,
    NumRet,
    RelP,
    SetAP,
    SetF,
    SetRelP,
)

RANKING, POOL = [2, None, 0, 1, -1, 0, 1], [2, 0, 1, -1, 0, 1, 1, 0]


@pytest.mark.parametrize("cutoff", [None, 4])
def test_accuracy_is_the_share_of_pairs_in_order(cutoff: int | None) -> None:
    top = [(g or 0) >= 1 for g in RANKING[:cutoff]]
    pairs = [(a, b) for a, b in itertools.permutations(range(len(top)), 2) if top[a] and not top[b]]
    assert Accuracy(cutoff=cutoff).score(RANKING, POOL) == pytest.approx(np.mean([a < b for a, b in pairs]))
    assert np.isnan(Accuracy().score([1, 1], [1, 1, 0]))


def test_shares_and_counts() -> None:
    assert SetAP().score(RANKING, POOL) == pytest.approx(3**2 / (7 * 4))
    assert SetRelP().score(RANKING, POOL) == 3 / 4
    assert SetRelP().score(RANKING[:1], POOL) == 1
    assert RelP(cutoff=4).score(RANKING, POOL) == 2 / 4
    assert RelP(cutoff=7).score(RANKING, POOL) == 3 / 4
    assert F1(cutoff=4).score(RANKING, POOL) == pytest.approx(2 * 2 / (4 + 4))
    counts = {NumRet(): 7, NumRel(): 4, NumRelRet(rel=2): 1, NumNonRelRet(): 2}
    assert {m: m.score(RANKING, POOL) for m in counts} == counts
    assert all(m.aggregate == "sum" for m in counts)


def test_names_that_mean_another_class() -> None:
    assert isinstance(measure("f1"), SetF)
    assert isinstance(measure("NumRet(rel=1)"), NumRelRet)
    assert isinstance(measure("SetP(relative=True)"), SetRelP)


EXAMPLE_RANKING, EXAMPLE_POOL = [2, 0, 3, 1, None, 0, 1], [2, 0, 3, 1, 0, 1, 3, 1, 0]


VALUES = {
    "SetAP": 0.380952, "SetRelP": 0.666667, "F1@5": 0.545455, "Accuracy": 0.583333, "RelP@10": 0.666667, "NumQ": 1,
    "NumRet": 7, "NumRel": 6, "NumRelRet": 4, "NumNonRelRet": 2,
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), VALUES.items())
def test_the_values_of_the_example(name: str, value: float) -> None:
    assert ds.measure(name).score(EXAMPLE_RANKING, EXAMPLE_POOL) == pytest.approx(value, abs=6e-7)


def test_other_names_of_the_same() -> None:
    assert str(ds.measure("SetP(relative=True)")) == "SetRelP"
    assert str(ds.measure("hit_rate@2")) == "Success@2"
    assert ds.measure("NumRet(rel=1)") == ds.measure("NumRelRet")


def test_accuracy_needs_both_kinds() -> None:
    assert np.isnan(ds.measure("Accuracy").score([1, 1], [1, 1, 0]))
    assert np.isnan(ds.measure("Accuracy").score([0, 0], [1, 0, 0]))


def test_counts_are_sums_over_all_judged_topics() -> None:
    runs = {"s": {"1": {"a": 1.0}}}
    labels = ds.Judgments.from_dict({"ann": {"1": {"a": 1}, "2": {"b": 1, "c": 1}}})
    scores = ds.evaluate(runs, labels, ["NumRel"])
    assert scores["NumRel"].sum().item() == 3
    assert scores.attrs["aggregates"]["NumRel"] == "sum"
