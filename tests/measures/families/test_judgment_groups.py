"""*_avgjg: means over the assessors' judgments, each with its own R."""

from __future__ import annotations

import pytest

import dissensus as ds


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
