"""LambdaMART: LightGBM's own lambdarank on whole grades, and soft labels."""

from __future__ import annotations

import lightgbm as lgb
import numpy as np
import pytest
from paths import shared_data

from dissensus.data.tables.features import read_features
from dissensus.errors import InputError
from dissensus.learning import LambdaMART
from dissensus.learning.scoring import QueryScorer
from dissensus.studies.generated.features import Shape, generate


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


def test_first_gradients_equal_the_formula():
    from dissensus.learning.objectives import LambdaObjective
    from dissensus.learning.queries import as_queries

    rng = np.random.default_rng(3)
    data = as_queries(rng.normal(size=(9, 1)), [0.0, 1.5, 2.0, 0.2, 0, 3, 1, 1, 0], [5, 4])
    gain = np.exp2(data.y) - 1
    discount = 1 / np.log2(np.arange(5) + 2)
    score = rng.normal(size=9)
    objective = LambdaObjective(data, gain, discount[None], np.zeros(2, np.int64), depth=3, norm=False)
    grad, hess = objective(score)
    want, curve = np.zeros(9), np.zeros(9)
    for a, b in ((0, 5), (5, 9)):
        order = a + np.argsort(-score[a:b])
        ideal = np.sort(gain[a:b])[::-1][:3] @ discount[:3]
        for r in range(b - a):
            for p in range(r + 1, b - a):
                i, j = order[r], order[p]
                if r >= 3 or gain[i] == gain[j]:
                    continue
                up, down = (i, j) if gain[i] > gain[j] else (j, i)
                weight = abs((gain[i] - gain[j]) * (discount[r] - discount[p])) / ideal
                miss = 1 / (1 + np.exp(score[up] - score[down]))
                want[up] -= weight * miss
                want[down] += weight * miss
                for d in (up, down):
                    curve[d] += weight * miss * (1 - miss)
    np.testing.assert_allclose(grad, want, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(hess, curve, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("n", [2, 12, 13, 25, 100, 777])
def test_the_kernels_sort_is_a_stable_sort(n):
    from dissensus.learning.kernels.lambdas import _sort

    rng = np.random.default_rng(n)
    order = np.arange(n)
    for _ in range(3):  # the order of one round is where the next begins
        score = rng.integers(0, n // 2 + 1, n).astype(float)
        _sort(order, np.empty_like(order), score, 0, n)
        np.testing.assert_array_equal(order, np.lexsort((np.arange(n), -score)))


def test_threads_do_not_change_the_objective():
    from dissensus.learning.objectives import LambdaObjective
    from dissensus.learning.queries import as_queries

    data = as_queries(generate(Shape(40, 50, 3, (0.5, 0.5)), seed=0))
    score = np.random.default_rng(0).normal(size=len(data.y))
    kind, discount = np.zeros(40, np.int64), 1 / np.log2(np.arange(200) + 2.0)[None]
    one, three = (LambdaObjective(data, data.y, discount, kind, depth=30, workers=w)(score) for w in (1, 3))
    np.testing.assert_array_equal(one, three)


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
    for settings, words in [
        ({"gains": "cubic"}, "gains are"),
        ({"leaves": 1}, "at least 2 leaves"),
        ({"trees": 2.5}, "trees is a whole number"),
        ({"sigma": -1}, "sigma is a number above 0"),
    ]:
        with pytest.raises(InputError, match=words):
            LambdaMART(**settings).fit(data)


def test_missing_lightgbm_is_named(monkeypatch):
    import sys

    from dissensus.errors import MissingExtra

    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(MissingExtra, match=r"pip install 'dissensus\[learn\]'"):
        LambdaMART().fit(generate(Shape(5, 10, 3, (0.5, 0.5)), seed=6))
