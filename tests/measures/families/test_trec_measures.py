"""Geometric means, 11pt_avg, utility and unjudged shares: METHODS' values."""

from __future__ import annotations

import pytest

import dissensus as ds
from dissensus.errors import MeasureError

RANKING, POOL = [2, 0, 3, 1, None, 0, 1], [2, 0, 3, 1, 0, 1, 3, 1, 0]
VALUES = {
    "IPrecAvg": 0.506494, "IPrecAvg(rounding='v10')": 0.581169, "Utility": 1, "Unjudged@5": 0.2,
    "Rprec(mult=0.6)": 0.75,
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), VALUES.items())
def test_the_values_of_the_example(name: str, value: float) -> None:
    assert ds.measure(name).score(RANKING, POOL) == pytest.approx(value, abs=6e-7)


def test_a_topic_that_fails_weighs_most_in_a_geometric_mean() -> None:
    runs = ds.Runs.from_dict({"s": {"1": {"x": 2.0, "a": 1.0}}})
    labels = ds.Judgments.from_dict({"ann": {"1": {"a": 1, "x": 0}, "2": {"b": 1}}})
    scores = ds.Collection(runs, labels).score(["gm_map"])
    assert scores.means()["GMAP"].item() == pytest.approx(0.002236, abs=6e-7)


def test_utility_of_the_rest_needs_the_size_of_the_collection() -> None:
    with pytest.raises(MeasureError, match="documents of the collection"):
        ds.measure("Utility(d=1)")
