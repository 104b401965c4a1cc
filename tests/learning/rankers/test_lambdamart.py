"""LambdaMART: LightGBM's own lambdarank on whole grades, and soft labels."""

from __future__ import annotations

import lightgbm as lgb
import numpy as np
import pytest
from paths import shared_data
from refusals import refused

from dissensus.errors import InputError
from dissensus.learning import LambdaMART
from dissensus.learning.scoring import QueryScorer
from dissensus.studies.generated.features import Shape, generate
from dissensus.tables.features import read_features


def built_in(data, trees, **more):
    settings = {
        "objective": "lambdarank",
        "learning_rate": 0.1,
        "num_leaves": 15,
        "min_data_in_leaf": 20,
        "num_threads": 1,
        "deterministic": True,
        "force_col_wise": True,
        "verbosity": -1,
        **more,
    }
    dataset = lgb.Dataset(data.X, label=data.y, group=data.group, params=settings)
    return lgb.train(settings, dataset, trees).predict(data.X)


def ours(data, trees, **more):
    settings = {"learning_rate": 0.1, "leaves": 15, "workers": 1, **more}
    return LambdaMART(trees=trees, **settings).fit(data).predict(data)


@pytest.mark.parametrize(
    ("theirs", "mine"),
    [({}, {}), ({"lambdarank_norm": False}, {"norm": False}), ({"lambdarank_truncation_level": 5}, {"depth": 5})],
)
def test_equals_lightgbms_lambdarank_on_grades(theirs, mine):
    data = generate(Shape(60, 30, 8, (0.5, 0.3, 0.15, 0.05)), seed=1)
    want, got = built_in(data, 15, **theirs), ours(data, 15, **mine)
    np.testing.assert_allclose(got, want, atol=2e-3)
    assert np.corrcoef(got, want)[0, 1] > 0.9999


def test_equals_lightgbm_on_the_real_set_within_noise():
    data = read_features(shared_data("ltr-lightgbm-example") / "rank.train.gz")
    scorer = QueryScorer("nDCG(dcg='exp-log2')@10", data.y, data.bounds)
    assert scorer(ours(data, 30)) == pytest.approx(scorer(built_in(data, 30)), abs=0.01)


def test_soft_labels_carry_more_than_rounded_ones():
    """Labels that are means of five noisy judges rank better than their majority rounding."""
    data = generate(Shape(80, 30, 8, (0.6, 0.3, 0.1)), seed=6)
    rng = np.random.default_rng(0)
    judges = np.clip(data.y[:, None] + rng.integers(-1, 2, (len(data), 5)), 0, 2)
    scorer = QueryScorer("nDCG(dcg='exp-log2')@10", data.y, data.bounds)
    soft = ours(data.with_labels(judges.mean(axis=1)), 40, gains="linear")
    hard = ours(data.with_labels(np.round(judges[:, 0])), 40, gains="linear")
    assert scorer(soft) > scorer(hard)


def test_settings_are_checked():
    data = generate(Shape(5, 10, 3, (0.5, 0.5)), seed=6)
    for settings, values in [
        ({"gains": "cubic"}, ("LambdaMART(gains='cubic')", "exp")),
        ({"leaves": 1}, ("LambdaMART(leaves=1)", 2)),
        ({"trees": 2.5}, ("LambdaMART(trees=2.5)",)),
        ({"sigma": -1}, ("sigma", 0)),
    ]:
        with refused(InputError, *values):
            LambdaMART(**settings).fit(data)


def test_missing_lightgbm_is_named(monkeypatch):
    import sys

    from dissensus.errors import MissingExtra

    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with refused(MissingExtra, "'.[learn]'"):
        LambdaMART().fit(generate(Shape(5, 10, 3, (0.5, 0.5)), seed=6))
