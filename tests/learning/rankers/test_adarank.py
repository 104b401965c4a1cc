"""AdaRank: the first feature is the best one, any bounded measure, undefined queries left out and named."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from wording import phrase

from dissensus.errors import InputError, MeasureError
from dissensus.learning import AdaRank
from dissensus.learning.scoring import QueryScorer
from dissensus.studies.generated.features import Shape, generate

DATA = generate(Shape(20, 25, 8, (0.6, 0.4)), seed=2)


@pytest.mark.parametrize("measure", ["AP", "nDCG@5", "RR", "P@5", "ERR@10"])
def test_any_bounded_measure(measure):
    scorer = QueryScorer(measure, DATA.y, DATA.bounds)
    ranker = AdaRank(measure, rounds=40).fit(DATA)
    single = max(scorer(s * DATA.X[:, f]) for f in range(8) for s in (1, -1))
    assert scorer(ranker.predict(DATA)) >= single - 0.02
    assert ranker.training_score_ == pytest.approx(scorer(ranker.predict(DATA)), abs=0.02)


def test_first_round_takes_the_best_feature_and_the_papers_weight():
    ranker = AdaRank("AP", rounds=1).fit(DATA)
    scorer = QueryScorer("AP", DATA.y, DATA.bounds)
    values = {(s, f): scorer(s * DATA.X[:, f]) for f in range(8) for s in (1, -1)}
    sign, feature = max(values, key=values.get)
    alpha = 0.5 * np.log((1 + values[sign, feature]) / (1 - values[sign, feature]))
    assert ranker.coef_[feature] == pytest.approx(sign * alpha, rel=1e-6)
    assert np.count_nonzero(ranker.coef_) == 1


@pytest.mark.parametrize("measure", ["DCG@10", "ESL(n=1)"])
def test_unbounded_measures_are_refused(measure):
    with refused(MeasureError, "AdaRank", "[0, 1]"):
        AdaRank(measure).fit(DATA)


def test_queries_without_relevant_documents():
    y = DATA.y.copy()
    y[DATA.bounds[0] : DATA.bounds[2]] = 0
    assert AdaRank("AP", rounds=3).fit(DATA.X, y, DATA.group).notes_ == (
        phrase("adarank.queries-no-left-out", 2, "AP"),
    )
    with refused(InputError, "AdaRank"):
        AdaRank("AP").fit(DATA.X, y * 0, DATA.group)
