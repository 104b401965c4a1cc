"""dissensus inside ir_measures and PyTerrier, on the real packages, and what pandas is given."""

from __future__ import annotations

import numpy as np
import pytest
from random_collections import random_dicts

import dissensus as ds
from dissensus.errors import InputError

ir_measures = pytest.importorskip("ir_measures")
pd = pytest.importorskip("pandas")

MEASURES = ["P@5", "P(rel=2)@10", "R@10", "Rprec", "AP", "AP(rel=2)", "RR", "nDCG@10", "nDCG", "Bpref", "Success@3"]


def collection(seed: int):
    judged, runs = random_dicts(seed)
    (grades,), first = judged.values(), next(iter(runs.values()))
    qrels = [ir_measures.Qrel(t, d, max(g, 0)) for t, docs in grades.items() for d, g in docs.items()]
    return qrels, [ir_measures.ScoredDoc(t, d, s) for t, docs in first.items() for d, s in docs.items()]


@pytest.mark.parametrize("seed", [3, 4])
def test_the_provider_gives_what_ir_measures_gives(seed):
    from dissensus.interop.ir_measures import DissensusProvider

    qrels, run = collection(seed)
    measures = [ir_measures.parse_measure(m) for m in MEASURES]
    ours = DissensusProvider().calc_aggregate(measures, qrels, run)
    theirs = ir_measures.calc_aggregate(measures, qrels, run)
    for m in measures:
        assert ours[m] == pytest.approx(theirs[m], abs=1e-9), str(m)


def test_several_assessors_are_refused():
    from dissensus.interop.ir_measures import DissensusProvider

    qrels = [ir_measures.Qrel("q", "d", 1, "ann"), ir_measures.Qrel("q", "d", 0, "bob")]
    with pytest.raises(InputError, match="2 assessors"):
        DissensusProvider().calc_aggregate([ir_measures.AP], qrels, [ir_measures.ScoredDoc("q", "d", 1.0)])


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
    with pytest.raises(InputError, match="same topics"):
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


def test_frames_go_out_and_come_back():
    from dissensus.interop.pandas import judgments_frame, runs_frame, scores_frame

    judged, runs = random_dicts(5)
    r, j = ds.Runs.from_dict(runs), ds.Judgments.from_dict(judged)
    frame = runs_frame(r)
    assert frame["rank"].max() > 0
    one = frame[frame["name"] == r.systems[0]]
    scores = ds.evaluate(one.drop(columns="name"), judgments_frame(j), ["AP"])
    assert scores["AP"].values.ravel().tolist() == pytest.approx(
        ds.evaluate(r.select(systems=[r.systems[0]]), j, ["AP"])["AP"].values.ravel().tolist(), nan_ok=True
    )
    assert set(scores_frame(scores).columns) == {"assessor", "name", "qid", "measure", "value"}
