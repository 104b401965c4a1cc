"""Learning to rank, and what noise in the labels does to it.

    from dissensus.learning import PRank, GBDT, RankSVM, RankBoost, ListNet, AdaRank, LambdaMART, NMCGMART

All rankers have scikit-learn's manners: settings in the constructor, `fit(X, y, group)`, `predict(X)`, `get_params`,
what was learned in attributes that end in `_`; and `save` / `load` as text, without pickle. Names are imported on use.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "PRank": "rankers.prank",
    "GBDT": "rankers.gbdt",
    "RankSVM": "rankers.ranksvm",
    "RankBoost": "rankers.rankboost",
    "ListNet": "rankers.listnet",
    "AdaRank": "rankers.adarank",
    "LambdaMART": "rankers.lambdamart",
    "NMCGMART": "rankers.nmcgmart",
    "Ranker": "rankers.ranker",
    "load_ranker": "rankers.model_file",
    "robustness": "robustness",
    "top_k_labelling": "labelling",
}
RANKERS = ("PRank", "GBDT", "RankSVM", "RankBoost", "ListNet", "AdaRank", "LambdaMART", "NMCGMART")

__all__ = sorted([*_HOME, "RANKERS"])


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'dissensus.learning' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"dissensus.learning.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
