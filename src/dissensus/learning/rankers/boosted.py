"""What GBDT, LambdaMART and NMCGMART share: boosted trees by LightGBM."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError, MissingExtra
from dissensus.learning.queries import Queries
from dissensus.learning.rankers.ranker import Ranker, positive

Floats = NDArray[np.float64]
HIGHEST = 500.0  # exponential gains of labels up to here can still be multiplied with each other


def lightgbm() -> Any:
    """LightGBM, or the sentence that says how to get it."""
    try:
        import lightgbm
    except ImportError as error:
        raise MissingExtra("Ranking with boosted trees", "learn") from error
    return lightgbm


class BoostedRanker(Ranker):
    """Trees grown leaf by leaf; the same seed and number of threads give the same trees."""

    trees: int
    learning_rate: float
    leaves: int
    min_documents: int
    measure: str
    patience: int
    workers: int | None
    seed: int

    def _check_parameters(self) -> None:
        positive(self, "trees", "leaves", "min_documents", "patience", whole=True)
        positive(self, "learning_rate")
        if self.leaves < 2:
            raise InputError(f"{type(self).__name__}(leaves={self.leaves}): a tree has at least 2 leaves.")

    def _objective(self, data: Queries) -> Any:
        """The name of an objective of LightGBM, or a function of (scores, dataset)."""
        raise NotImplementedError

    def _threads(self) -> int:
        from dissensus.work.cores import cores

        return self.workers or cores()

    def _settings(self) -> dict[str, Any]:
        return {
            "learning_rate": self.learning_rate,
            "num_leaves": self.leaves,
            "min_data_in_leaf": self.min_documents,
            "num_threads": self._threads(),
            "seed": self.seed,
            "deterministic": True,
            "force_col_wise": True,
            "verbosity": -1,
            "metric": "None",
        }

    def _learn(self, data: Queries, validation: Queries | None, label: str | None) -> None:
        lgb = lightgbm()
        from dissensus.work.progress import Progress

        objective = self._objective(data)
        train = lgb.Dataset(data.X, label=data.y, group=data.group, params=self._settings(), free_raw_data=True)
        watch = self._watch(validation, self.measure, self.patience)
        held_out = np.zeros(0 if validation is None else len(validation.y))
        with Progress(label, self.trees) as bar:

            def after_tree(state: Any) -> None:
                bar.advance()
                if watch is None or validation is None:
                    return
                held_out[:] += state.model.predict(
                    validation.X, start_iteration=state.iteration, num_iteration=1, num_threads=self._threads()
                )
                if watch.see(held_out, lambda: state.iteration + 1):
                    raise lgb.callback.EarlyStopException(watch.best_round - 1, [])

            try:
                booster = lgb.train(
                    {**self._settings(), "objective": objective},
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
                    "In Python, allow smaller leaves with min_documents=1.",
                    "On the command line, allow smaller leaves with --set min_documents=1",
                ) from error
        self._stopped(watch, booster.num_trees())
        self._keep(booster.model_to_string(num_iteration=self.n_rounds_))

    def _keep(self, text: str) -> None:
        self.trees_text_ = text
        self._booster = lightgbm().Booster(model_str=text)

    def _score(self, X: Floats) -> Floats:
        return np.asarray(self._booster.predict(X, num_threads=self._threads()), np.float64)

    def _model(self) -> dict[str, Any]:
        return {"lightgbm": self.trees_text_.split("\n")}

    def _restore(self, model: dict[str, Any]) -> None:
        self._keep("\n".join(model["lightgbm"]))


def exponential_gain(labels: Floats) -> Floats:
    """2^label − 1, for labels between grades too; refused where it is beyond all numbers."""
    if labels.max(initial=0.0) > HIGHEST:
        raise InputError(
            f"the label {labels.max():g} has the gain 2^{labels.max():g} − 1: nothing can be learned beside it.",
            'Use gains="linear", or smaller labels.',
        )
    return np.exp2(labels) - 1.0


GAINS: dict[str, Callable[[Floats], Floats]] = {"exp": exponential_gain, "linear": lambda labels: labels}
