"""Set measures, counts, F1, Accuracy: METHODS' values."""

from __future__ import annotations

import numpy as np
import pytest

import dissensus as ds

RANKING, POOL = [2, 0, 3, 1, None, 0, 1], [2, 0, 3, 1, 0, 1, 3, 1, 0]
VALUES = {
    "SetAP": 0.380952, "SetRelP": 0.666667, "F1@5": 0.545455, "Accuracy": 0.583333, "RelP@10": 0.666667, "NumQ": 1,
    "NumRet": 7, "NumRel": 6, "NumRelRet": 4, "NumNonRelRet": 2,
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), VALUES.items())
def test_the_values_of_the_example(name: str, value: float) -> None:
    assert ds.measure(name).score(RANKING, POOL) == pytest.approx(value, abs=6e-7)


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
