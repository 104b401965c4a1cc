"""Learning to rank, and what noise in the labels does to it.

    from dissensus.learning import PRank, GBDT, RankSVM, RankBoost, ListNet, AdaRank, LambdaMART, NMCGMART

All rankers have scikit-learn's manners: settings in the constructor, `fit(X, y, group)`, `predict(X)`, `get_params`,
what was learned in attributes that end in `_`; and `save` / `load` as text, without pickle. Names are imported on use.
"""

from __future__ import annotations

from typing import Any

from dissensus.work.on_use import on_use

_HOME = {
    "PRank": "learning.rankers.prank",
    "GBDT": "learning.rankers.gbdt",
    "RankSVM": "learning.rankers.ranksvm",
    "RankBoost": "learning.rankers.rankboost",
    "ListNet": "learning.rankers.listnet",
    "AdaRank": "learning.rankers.adarank",
    "LambdaMART": "learning.rankers.lambdamart",
    "NMCGMART": "learning.rankers.nmcgmart",
    "Ranker": "learning.rankers.ranker",
    "load_ranker": "learning.rankers.model_file",
    "robustness": "studies.rankers.robustness",
    "top_k_labelling": "learning.labelling",
}
RANKERS = ("PRank", "GBDT", "RankSVM", "RankBoost", "ListNet", "AdaRank", "LambdaMART", "NMCGMART")

__all__ = sorted([*_HOME, "RANKERS"])


def __getattr__(name: str) -> Any:
    return on_use(__name__, name, _HOME)


def __dir__() -> list[str]:
    return list(__all__)
