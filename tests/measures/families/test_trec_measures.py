"""What only trec_eval has: floors, recall levels, utilities, unjudged documents."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import MeasureError
from dissensus.measures.families.precision import IPrec
from dissensus.measures.families.trec_measures import FLOOR, GMAP, GMBpref, IPrecAvg, Unjudged, Utility


def test_a_topic_that_fails_counts_the_floor() -> None:
    assert GMAP().score([0, 0], [0, 0, 1]) == GMBpref().score([0, 0], [0, 0, 1]) == FLOOR
    assert (GMAP().score([0, 1], [0, 1]), GMBpref().score([0, 1], [0, 1])) == (0.5, FLOOR)
    assert GMAP.aggregate == GMBpref.aggregate == "geometric"
    assert np.isnan(GMAP().score([0], [0]))


def test_the_mean_over_recall_levels() -> None:
    ranking, pool = [1, 0, 0, 1, 1], [1, 0, 0, 1, 1, 1]
    levels = (0.25, 0.5, 1.0)
    mean = np.mean([IPrec(level=x).score(ranking, pool) for x in levels])
    assert IPrecAvg(levels=levels).score(ranking, pool) == pytest.approx(mean)


def test_utility_counts_four_kinds_of_documents() -> None:
    m = Utility(a=3, b=-2, c=-5, d=0.5, documents=100)
    assert m.score([1, 0, None], [1, 0, 1]) == 3 - 2 * 2 - 5 * 1 + 0.5 * (100 - 3 - 1)
    with refused(MeasureError, "documents=528155"):
        Utility(d=1)


def test_ranks_without_a_document_are_not_unjudged() -> None:
    assert Unjudged(cutoff=4).score([1, None, -1]) == 2 / 4


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
    with refused(MeasureError, "Utility(d=1)"):
        ds.measure("Utility(d=1)")
