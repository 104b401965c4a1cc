"""Trees are checked before LightGBM sees them, and predict as they did."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from refusals import refused

from dissensus.learning import GBDT
from dissensus.learning.rankers.boosted import lightgbm
from dissensus.learning.rankers.trees import checked, from_text, to_text

# two splits, three leaves
TREE = {
    "feature": [0, 1], "threshold": [0.5, 0.25], "decision": [2, 2],
    "left": [1, -1], "right": [-2, -3], "leaf": [0.0, 1.0, 2.0],
}  # fmt: skip


def test_lightgbm_reads_what_was_written() -> None:
    booster = lightgbm().Booster(model_str=to_text(checked([TREE, {**TREE, "leaf": [10.0, 20.0, 30.0]}], 2), 2))
    X = np.array([[0.4, 0.2], [0.4, 0.3], [0.6, 0.0]])
    assert booster.predict(X, num_threads=1).tolist() == [10.0, 32.0, 21.0]
    assert from_text(booster.model_to_string())[0] == TREE


def test_predictions_are_lightgbms_own() -> None:
    rng = np.random.default_rng(1)
    X = rng.random((300, 4))
    ranker = GBDT(trees=20, min_documents=5).fit(X, (3 * X[:, 1] + X[:, 2]).astype(int), [300])
    lgb = lightgbm()
    settings = {**ranker._settings(X), "objective": "regression"}
    train = lgb.Dataset(X, label=(3 * X[:, 1] + X[:, 2]).astype(int), params=settings)
    own = lgb.train(settings, train, num_boost_round=20)
    np.testing.assert_array_equal(ranker.predict(X), own.predict(X))


def test_a_tree_of_one_leaf() -> None:
    single = {"feature": [], "threshold": [], "decision": [], "left": [], "right": [], "leaf": [3.0]}
    booster = lightgbm().Booster(model_str=to_text(checked([single, TREE], 2), 2))
    assert booster.predict([[0.6, 0.0]], num_threads=1).tolist() == [4.0]


@pytest.mark.parametrize(
    ("name", "value", "values"),
    [
        ("feature", [0, 2], (0, 2)),
        ("feature", [0, -1], (0, 2)),
        ("left", [1, 1], (0,)),
        ("left", [0, -1], (0,)),
        ("right", [-2, -9], (0,)),
        ("decision", [2, 1], (0,)),
        ("threshold", [0.5], ("threshold", 1, 2)),
        ("threshold", [0.5, float("inf")], ("threshold",)),
        ("leaf", [0.0, 1.0], ("feature", 2, 1)),
    ],
)
def test_what_is_not_a_tree(name: str, value: list[Any], values: tuple[object, ...]) -> None:
    broken = copy.deepcopy(TREE) | {name: value}
    with refused(ValueError, *values):
        checked([broken], 2)


def test_a_circle_is_not_a_tree() -> None:
    circle = {
        "feature": [0, 0, 0], "threshold": [0.1, 0.2, 0.3], "decision": [2, 2, 2],
        "left": [-1, 2, 1], "right": [-2, -3, -4], "leaf": [0.0, 1.0, 2.0, 3.0],
    }  # fmt: skip
    with refused(ValueError, 0):
        checked([circle], 1)
