"""Rankers with settings that learn quickly, and a small fold to learn from."""

from __future__ import annotations

import pytest

from dissensus import learning
from dissensus.studies.generated.features import Shape, generate
from dissensus.tables.folds import split_folds

FAST = {
    "PRank": {"rounds": 5},
    "RankBoost": {"rounds": 80},
    "AdaRank": {"rounds": 60},
    "GBDT": {"trees": 40, "learning_rate": 0.1, "workers": 1},
    "LambdaMART": {"trees": 40, "learning_rate": 0.1, "workers": 1},
    "NMCGMART": {"trees": 40, "learning_rate": 0.1, "workers": 1},
}
SMALL = Shape(queries=60, documents=30, features=10, proportions=(0.6, 0.25, 0.15))


def make(name):
    return getattr(learning, name)(**FAST.get(name, {}))


@pytest.fixture(scope="module", name="fold")
def small_fold():
    return split_folds(generate(SMALL, seed=4), 3, seed=1)[0]
