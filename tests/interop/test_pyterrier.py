"""Tests for PyTerrier experiments, on the real package."""

from __future__ import annotations

import numpy as np
import pytest
from random_collections import random_dicts
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError

ir_measures = pytest.importorskip("ir_measures")
pd = pytest.importorskip("pandas")


def test_tests_for_experiments():
    from scipy import stats

    from dissensus.interop.pyterrier import randomization, t_test

    rng = np.random.default_rng(0)
    a, b = rng.random(30), rng.random(30)
    expected = stats.ttest_rel(a, b)
    assert t_test(a, b) == pytest.approx((expected.statistic, expected.pvalue))
    assert t_test(a, a) == (0.0, 1.0)
    statistic, p = randomization(seed=1)(a, b)
    assert statistic == pytest.approx(float(np.mean(a - b)))
    assert p == pytest.approx(expected.pvalue, abs=0.05)
    with refused(InputError, 2, 1):
        t_test([1.0], [2.0])


@pytest.mark.filterwarnings("ignore")  # PyTerrier's own
def test_inside_an_experiment_of_pyterrier():
    pt = pytest.importorskip("pyterrier")
    from dissensus.interop.pandas import judgments_frame, runs_frame
    from dissensus.interop.pyterrier import randomization, t_test

    judged, runs = random_dicts(5)
    runs = {name: runs[name] for name in list(runs)[:2]}
    r, j = ds.Runs.from_dict(runs), ds.Judgments.from_dict({"a": next(iter(judged.values()))})
    results, qrels = runs_frame(r), judgments_frame(j).drop(columns="iteration")
    qrels["label"] = qrels["label"].clip(lower=0)
    systems = [results[results["name"] == s].drop(columns="name") for s in r.systems]
    topics = pd.DataFrame({"qid": sorted(set(qrels["qid"])), "query": "x"})
    scores = ds.evaluate(r, j, "nDCG@5", empty="zero")["nDCG@5"].values[0]
    for test in (t_test, randomization(seed=1)):
        shown = pt.Experiment(
            systems, topics, qrels, [ir_measures.nDCG @ 5], names=list(r.systems), baseline=0, test=test
        )
        assert shown["nDCG@5"].tolist() == pytest.approx(scores.mean(axis=1).tolist())
        assert shown["nDCG@5 p-value"][1] == pytest.approx(test(scores[0], scores[1])[1])
