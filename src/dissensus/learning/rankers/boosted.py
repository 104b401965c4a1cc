"""What GBDT, LambdaMART and NMCGMART share: boosted trees by LightGBM."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.arrays import Floats
from dissensus.errors import Fix, InputError, MissingExtra, Option
from dissensus.learning.queries import Queries
from dissensus.learning.rankers.ranker import MEASURE, Ranker, positive
from dissensus.learning.rankers.trees import Tree, checked, from_text, to_text
from dissensus.work.progress import Progress
from dissensus.work.settings import cores

SMALL = 5_000_000  # documents × features below which one thread is as quick
HIGHEST = 500.0  # exponential gains of labels up to here can still be multiplied with each other


def lightgbm() -> Any:
    """LightGBM, or the sentence that says how to get it."""
    if (loaded := sys.modules.get("lightgbm")) is not None:
        return loaded
    policy = "OMP_WAIT_POLICY"
    unset = policy not in os.environ
    if unset:  # its threads would spin while they wait, at the cost of everything else that runs here
        os.environ[policy] = "PASSIVE"
    try:
        import lightgbm
    except ImportError as error:
        raise MissingExtra("Ranking with boosted trees", "learn") from error
    finally:
        if unset:  # it is read once, when the library is loaded
            del os.environ[policy]
    return lightgbm


def threads(values: int, workers: int | None = None) -> int:
    """Threads for trees on `values` numbers: as asked, else as OMP_NUM_THREADS says, else all cores.

    One where there are few numbers: threads would wait for each other longer than they work.
    """
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if workers is not None:
        return workers
    if values < SMALL:
        return 1
    return min(int(asked), cores()) if asked.isdecimal() and int(asked) > 0 else cores()


@dataclass(eq=False, repr=False)
class BoostedRanker(Ranker):
    """Trees grown leaf by leaf; the same seed and number of threads give the same trees."""

    trees: int = 300
    learning_rate: float = 0.05
    leaves: int = 31
    min_documents: int = 20
    measure: str = MEASURE
    patience: int = 50
    workers: int | None = None
    seed: int = 0

    def _check_parameters(self) -> None:
        positive(self, "trees", "leaves", "min_documents", "patience", whole=True)
        positive(self, "learning_rate")
        if self.leaves < 2:
            raise InputError(f"{type(self).__name__}(leaves={self.leaves}): a tree has at least 2 leaves.")

    def _objective(self, data: Queries) -> object:
        """The name of an objective of LightGBM, or a function of (scores, dataset)."""
        raise NotImplementedError

    def _threads(self, X: Floats) -> int:
        return threads(X.size, self.workers)

    def _settings(self, X: Floats) -> dict[str, object]:
        return {
            "learning_rate": self.learning_rate,
            "num_leaves": self.leaves,
            "min_data_in_leaf": self.min_documents,
            "num_threads": self._threads(X),
            "seed": self.seed,
            "deterministic": True,
            "force_col_wise": True,
            "verbosity": -1,
            "metric": "None",
        }

    def _learn(self, data: Queries, validation: Queries | None, label: str | None) -> None:
        lgb = lightgbm()

        objective = self._objective(data)
        train = lgb.Dataset(data.X, label=data.y, group=data.group, params=self._settings(data.X), free_raw_data=True)
        watch = self._watch(validation, self.measure, self.patience)
        held_out = np.zeros(0 if validation is None else len(validation.y))
        of_validation = 1 if validation is None else self._threads(validation.X)
        with Progress(label, self.trees) as bar:

            def after_tree(state: Any) -> None:
                bar.advance()
                if watch is None or validation is None:
                    return
                held_out[:] += state.model.predict(
                    validation.X,
                    start_iteration=state.iteration,
                    num_iteration=1,
                    num_threads=of_validation,
                )
                if watch.see(held_out, lambda: state.iteration + 1):
                    raise lgb.callback.EarlyStopException(watch.best_round - 1, [])

            try:
                booster = lgb.train(
                    {**self._settings(data.X), "objective": objective},
                    train,
                    num_boost_round=self.trees,
                    callbacks=[after_tree],
                )
            except lgb.basic.LightGBMError as error:
                if "num_features" not in str(error):
                    raise
                raise InputError(
                    f"no feature splits the {len(data.y):,} documents into leaves of {self.min_documents} or more.",
                    "Train on more documents.",
                    Fix("Allow smaller leaves with ", Option("min_documents", 1), ".", reader="python"),
                    Fix("Allow smaller leaves with ", Option("set", "min_documents=1"), reader="command"),
                ) from error
        self._stopped(watch, booster.num_trees())
        self._keep(from_text(booster.model_to_string(num_iteration=self.n_rounds_)))

    def _keep(self, trees: list[Tree]) -> None:
        self.trees_ = trees
        self._booster = lightgbm().Booster(model_str=to_text(trees, self.n_features_in_))

    def _score(self, X: Floats) -> Floats:
        return np.asarray(self._booster.predict(X, num_threads=self._threads(X)), np.float64)

    def _model(self) -> dict[str, object]:
        return {"trees": self.trees_}

    def _restore(self, model: dict[str, object]) -> None:
        self._keep(checked(model["trees"], self.n_features_in_))


def exponential_gain(labels: Floats) -> Floats:
    """2^label − 1, for labels between grades too; refused where it is beyond all numbers."""
    if labels.max(initial=0.0) > HIGHEST:
        raise InputError(
            f"the label {labels.max():g} has the gain 2^{labels.max():g} − 1: nothing can be learned beside it.",
            Fix("Use ", Option("gains", "linear"), ", or smaller labels."),
        )
    return np.exp2(labels) - 1.0


GAINS: dict[str, Callable[[Floats], Floats]] = {"exp": exponential_gain, "linear": lambda labels: labels}
