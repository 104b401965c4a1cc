"""AWARE: the toy, the direction, partial judging, gold, graded scales, and gaps against slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from rankings import judged_runs
from refusals import refused, stated

from dissensus.errors import InputError, MeasureError
from dissensus.judging.aware.api import assess, aware
from dissensus.judging.aware.estimators import ESTIMATORS, Estimator, weights
from dissensus.judging.aware.random_judges import scores_of
from dissensus.judging.merging.merging_comparison import ways_of_merging
from dissensus.measures.catalog import measure
from dissensus.stats.correlation import tau_ap
from dissensus.tables.collection import join
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

SKILLS = {"good": 0.9, "fair": 0.7, "coin": 0.0, "lazy": -1.0}


def toy() -> tuple[Runs, Judgments]:
    """Three assessors, R = 3 for each: AP 0.6667, 1, 0.5889; a sixth document holds the relevant one not retrieved."""
    run = Runs.from_dict({"run": {"t": {f"d{i}": 5.0 - i for i in range(5)}}})
    said = {"a": (1, 1, 0, 0, 0, 1), "b": (1, 1, 1, 0, 0, 0), "c": (0, 1, 1, 0, 1, 0)}
    return run, Judgments.from_dict({w: {"t": {f"d{i}": g for i, g in enumerate(v)}} for w, v in said.items()})


def test_toy_of_the_thesis() -> None:
    run, judged = toy()
    scores = aware(run, judged, "AP", estimator="uni")
    assert scores["AP"].dims == ("assessor", "system", "topic")
    assert float(scores["AP"].sel(assessor="aware").squeeze()) == pytest.approx(0.75185, abs=1e-5)
    own = [float(scores["AP"].sel(assessor=a).squeeze()) for a in "abc"]
    assert own == pytest.approx([0.6667, 1.0, 0.5889], abs=1e-4)
    assert scores["weight"].sel(assessor=["a", "b", "c"]).values == pytest.approx(1 / 3)
    majority = ways_of_merging(run, judged, measure("AP"), ["uni", "majority"], replicates=1)
    assert majority.ranks["majority"][0] == 1.0


@pytest.fixture(scope="module")
def crowd() -> tuple[Runs, Judgments, Judgments]:
    return judged_runs(SKILLS, seed=3)


@pytest.mark.parametrize("estimator", ["sgl_rmse_msd", "sgl_fro_md", "tpc_rmse_med", "sgl_kld_md", "tpc_kld_msd"])
def test_the_further_from_random_the_heavier(crowd: tuple[Runs, Judgments, Judgments], estimator: str) -> None:
    runs, judgments, _ = crowd
    found = aware(runs, judgments, "AP", estimator, replicates=150, seed=1)["weight"].mean("topic")
    weight = {a: float(found.sel(assessor=a)) for a in SKILLS}
    assert weight["good"] > weight["fair"] > weight["coin"]
    assert weight["lazy"] <= weight["fair"]
    assert sum(weight.values()) == pytest.approx(1)


def test_rmse_msd_beats_equal_weights() -> None:
    """Good ones get most of the weight, coins and the lazy almost none; RMSE and τ_ap to the truth improve."""
    skills = {"good": 0.9, "fair": 0.7, "coin": 0.0, "coin2": 0.0, "coin3": 0.0, "lazy": -1.0}
    error: dict[str, list[float]] = {"uni": [], "sgl_rmse_msd": []}
    order: dict[str, list[float]] = {"uni": [], "sgl_rmse_msd": []}
    for seed in range(8):
        runs, judgments, truth = judged_runs(skills, systems=20, relevant=0.15, seed=seed)
        gold = scores_of(join(runs, truth), measure("AP"), False)[0].mean(axis=1)
        joined = join(runs, judgments)
        found = assess(joined, measure("AP"), ["rmse"], replicates=100, seed=2)
        for name in error:
            merged = found.merged(Estimator.named(name)).mean(axis=1)
            error[name].append(float(np.sqrt(((merged - gold) ** 2).mean())))
            order[name].append(float(tau_ap(gold, merged)))
        share = dict(zip(joined.assessors, weights(found.gaps, Estimator.named("sgl_rmse_msd"), found.judged)[:, 0],
                         strict=True))  # fmt: skip
        assert share["good"] + share["fair"] > 0.7
        assert max(share["coin"], share["lazy"]) < 0.15
    assert np.mean(error["sgl_rmse_msd"]) < 0.6 * np.mean(error["uni"])
    assert np.mean(order["sgl_rmse_msd"]) > np.mean(order["uni"])


def test_all_thirty_estimators_give_weights(crowd: tuple[Runs, Judgments, Judgments]) -> None:
    runs, judgments, _ = crowd
    found = assess(join(runs, judgments), measure("nDCG@10"), replicates=20, seed=0)
    assert len(ESTIMATORS) == 30
    for name in ESTIMATORS:
        w = weights(found.gaps, Estimator.named(name), found.judged, quiet=True)
        assert w.shape == (4, 6)
        assert np.allclose(w.sum(axis=0), 1)
        assert (w >= 0).all()
    for gap in found.gaps.values():
        assert ((gap >= 0) & (gap <= 1)).all()
    assert np.array_equal(found.gaps["tpc", "fro"], found.gaps["tpc", "rmse"])  # the same thing, by definition


def test_partial_judging_has_weight_only_where_it_judged() -> None:
    runs, judgments, _ = judged_runs({"a": 0.9, "b": 0.8, "c": 0.7}, topics=4, seed=7)
    keep = np.ones(len(judgments), bool)
    topic = judgments.item_topic[judgments.item]
    c = judgments.assessors.index("c")
    keep[(judgments.assessor == c) & (topic >= 2)] = False  # c judged two topics only
    whole_topics = aware(runs, judgments.rows(keep), "AP", replicates=50)
    assert whole_topics.attrs["unjudged"] == "nonrelevant"
    assert whole_topics["weight"].sel(assessor="c").values[2:].tolist() == [0, 0]
    assert np.allclose(whole_topics["weight"].sel(assessor=["a", "b", "c"]).sum("assessor"), 1)
    keep[(judgments.assessor == c) & (judgments.item % 3 > 0)] = False  # and a third of their documents
    thin = aware(runs, judgments.rows(keep), "AP", replicates=50)
    assert thin.attrs["unjudged"] == "condense"
    assert thin.attrs["coverage"]["c"] == pytest.approx(1 / 3, abs=0.02)
    assert stated(thin.attrs["footer"], "50%", "c")
    assert np.isfinite(thin["AP"].sel(assessor="aware")).all()


def test_graded_scales_and_several_measures() -> None:
    runs, judgments, _ = judged_runs({"good": 0.9, "fair": 0.6, "coin": 0.0}, grades=4, seed=9)
    scores = aware(runs, judgments, ["nDCG@10", "ERR@10"], replicates=100)
    assert scores["weight"].dims == ("measure", "assessor", "topic")
    weight = scores["weight"].sel(measure="nDCG@10").mean("topic")
    assert float(weight.sel(assessor="good")) > float(weight.sel(assessor="coin"))


def test_one_seed_one_result() -> None:
    runs, judgments, _ = judged_runs({"a": 0.9, "b": 0.5}, seed=13)
    first, again, other = (aware(runs, judgments, "AP", replicates=30, seed=s)["weight"] for s in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_errors() -> None:
    runs, judgments = toy()
    with refused(MeasureError, "[0, 1]"):
        aware(runs, judgments, "DCG@10")
    with refused(MeasureError, 9, "AP(rel=9)"):
        aware(runs, judgments, "AP(rel=9)")
    with refused(InputError, 'estimator="best"'):
        aware(runs, judgments, "AP", "best")
    with refused(InputError, "replicates=0"):
        aware(runs, judgments, "AP", replicates=0)
    with refused(InputError, 'gold="nobody"'):
        aware(runs, judgments, "AP", gold="nobody")
    with refused(InputError):
        aware(runs, judgments.select(assessors=["a"]), "AP", gold="a")
