"""Means over assessors: each with its own R, an empty one counting 0."""

from __future__ import annotations

import numpy as np
import pytest
from random_collections import random_collection

import dissensus as ds
from dissensus.measures.catalog import measure


@pytest.mark.parametrize(
    ("name", "single"),
    [("AP_avgjg", "AP"), ("P_avgjg(rel=2)@5", "P(rel=2)@5"), ("Rprec_avgjg(mult=1.7)", "Rprec(mult=1.7)")],
)
def test_the_mean_over_those_who_judged_the_topic(name: str, single: str) -> None:
    joined = random_collection(5, assessors=3).joined
    found, each = measure(name).scores(joined), measure(single).scores(joined)
    for s, t in np.ndindex(joined.shape[1:]):
        own = [np.nan_to_num(each[a, s, t]) for a in range(3) if joined.in_topic[a, t]]
        assert found[:, s, t].tolist() == pytest.approx([np.mean(own)] * 3)


def test_one_list_of_grades_is_one_group() -> None:
    assert measure("AP_avgjg").score([0, 1], [1, 0]) == 0.5
    assert measure("AP_avgjg").score([0, 0], [0, 0]) == 0


def test_the_values_of_the_example() -> None:
    run = {"s": {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "u": 1.0}}}
    labels = ds.Judgments.from_dict(
        {
            "A": {"q": {"a": 1, "b": 0, "c": 1, "z": 1}},
            "B": {"q": {"a": 0, "b": 1, "c": 0}},
            "C": {"q": {"a": 0, "b": 0}},
        }
    )
    names = ["AP_avgjg", "P_avgjg@5", "Rprec_avgjg(mult=1)"]
    scores = ds.evaluate(run, labels, names)
    found = [float(scores[str(ds.measure(n))].max()) for n in names]
    assert found == pytest.approx([0.351852, 0.2, 0.222222], abs=6e-7)
