"""Fast scoring equals each measure's own definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from refusals import refused

from dissensus.errors import MeasureError
from dissensus.learning.scoring import QueryScorer
from dissensus.measures.catalog import measure
from dissensus.tables.scale import Scale


def sample(seed=0, queries=12):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 15, queries)
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    return rng.integers(0, 3, bounds[-1]).astype(float), bounds, rng.normal(size=bounds[-1])


@pytest.mark.parametrize(
    "name",
    [
        *("nDCG@10", "nDCG(dcg='exp-log2')@5", "nDCG", "AP", "AP(rel=2)", "AP@3", "RR", "ERR@10", "Bpref"),
        *("P@5", "P(rel=2)@5", "R@5", "RBP", "SetP", "DCG@3"),
    ],
)
def test_equals_the_definition(name):
    y, bounds, prediction = sample()
    got = QueryScorer(name, y, bounds, scale=Scale.range(0, 2)).per_query(prediction)
    m, scale = measure(name), Scale.range(0, 2)
    for q, (a, b) in enumerate(itertools.pairwise(bounds)):
        grades = y[a:b].astype(np.int8)
        ranked = grades[np.argsort(-prediction[a:b])]
        np.testing.assert_allclose(got[q], m.compute(ranked, grades, scale), rtol=1e-12, equal_nan=True)


def test_mean_skips_undefined_queries():
    scorer = QueryScorer("AP", np.array([0.0, 0.0, 1.0, 0.0]), np.array([0, 2, 4]))
    assert scorer(np.array([1.0, 0.0, 1.0, 0.0])) == 1.0
    assert np.isnan(QueryScorer("AP", np.zeros(2), np.array([0, 2]))(np.zeros(2)))


def test_constant_predictions_score_like_random_ones():
    y, bounds, _ = sample(3, 2000)
    scorer = QueryScorer("nDCG@10", y, bounds)
    rng = np.random.default_rng(1)
    random = np.mean([scorer(rng.random(len(y))) for _ in range(5)])
    assert scorer(np.zeros(len(y))) == pytest.approx(random, abs=0.01)


def test_labels_between_grades():
    y, bounds, prediction = np.array([0.5, 1.5, 0.0]), np.array([0, 3]), np.array([1.0, 2.0, 3.0])
    weight = 1 / np.log2(np.arange(2, 5))
    want = (weight @ [0.0, 1.5, 0.5]) / (weight @ [1.5, 0.5, 0.0])
    assert QueryScorer("nDCG@10", y, bounds)(prediction) == pytest.approx(want)
    with refused(MeasureError, "AP"):
        QueryScorer("AP", y, bounds)
