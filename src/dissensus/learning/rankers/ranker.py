"""What all rankers share: scikit-learn's manners, checks, and models saved as text."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Values
from dissensus.errors import FileError, InputError, MeasureError
from dissensus.learning.queries import Queries, as_matrix, as_queries
from dissensus.learning.rankers.model_file import load_ranker, to_text
from dissensus.learning.scoring import QueryScorer
from dissensus.measures.catalog import measure as named
from dissensus.work.atomic import atomic
from dissensus.work.seeds import sequence

MEASURE = "nDCG(dcg='exp-log2')@10"  # what early stopping looks at unless told otherwise


class Ranker:
    """A ranker learns a score for documents from labelled documents of queries.

        ranker.fit(X, y, group, validation=(X, y, group)).predict(X)

    `group` is the number of documents of each query in turn; instead of X, y, group, `fit` takes Features. With
    `validation`, training stops when the validation measure has not risen for `patience` rounds, and the best round is
    kept. Scores order the documents of one query; between queries they mean nothing.
    """

    #: False: learns from whole grades only
    soft_labels: ClassVar[bool] = False
    #: True: learns the labels of single documents, also where every query has one label
    pointwise: ClassVar[bool] = False

    def fit(
        self, X: object, y: object = None, group: object = None, *, validation: object = None, progress: bool = False
    ) -> Self:
        """Learn; returns self. `progress` shows a bar on a terminal once training takes longer than two seconds."""
        self.check_settings()
        data = as_queries(X, y, group)
        if not self.soft_labels and not data.graded:
            bad = data.y[data.y != np.floor(data.y)][0]
            raise InputError(
                f"{type(self).__name__} learns from whole grades, and the label {bad:g} is none.",
                "LambdaMART and NMCGMART learn from labels in between.",
            )
        self._check_learnable(data)
        held_out = None
        if validation is not None:
            parts = validation if isinstance(validation, tuple) else (validation,)
            held_out = as_queries(*parts, what="validation", n_features=data.X.shape[1])
        self.n_features_in_ = data.X.shape[1]
        self.notes_: tuple[str, ...] = ()
        self._learn(data, held_out, type(self).__name__ if progress else None)
        return self

    def predict(self, X: object) -> Floats:
        """A score for every row of X (a matrix or Features): higher is better."""
        if not hasattr(self, "n_features_in_"):
            raise InputError(
                f"this {type(self).__name__} has not learned anything yet.", "Call fit(X, y, group) first."
            )
        return self._score(as_matrix(X, self.n_features_in_))

    def _check_learnable(self, data: Queries) -> None:
        """Refuse data from which nothing follows: a ranker would answer with its own accidents."""
        who = f"{type(self).__name__} has nothing to learn"
        if self.pointwise and (data.y == data.y[0]).all():
            raise InputError(f"{who}: all documents have the label {data.y[0]:g}.", "Train on labels that differ.")
        if not self.pointwise and not data.pairs():
            raise InputError(
                f"{who}: within every query all documents have one label.",
                "Give queries whose documents differ in label.",
            )
        if (data.X[0] == data.X).all():
            raise InputError(
                f"{who}: no feature tells one document from another.",
                "Train on features that differ between documents.",
            )

    def check_settings(self) -> None:
        """Refuse settings that make no sense; `fit` does so, too."""
        for name, value in self.get_params().items():
            if name == "seed":
                sequence(value)
            elif name == "measure":
                named(value)
            elif name == "workers" and value is not None:
                positive(self, "workers", whole=True)
        self._check_parameters()

    # ── what each ranker fills in ──
    def _check_parameters(self) -> None:
        """Refuse settings that make no sense, before any work is done."""

    def _learn(self, data: Queries, validation: Queries | None, label: str | None) -> None:
        raise NotImplementedError

    def _score(self, X: Floats) -> Floats:
        raise NotImplementedError

    def _model(self) -> Values:
        """What was learned, as plain JSON values."""
        raise NotImplementedError

    def _restore(self, model: Values) -> None:
        raise NotImplementedError

    # ── scikit-learn's manners ──
    @classmethod
    def _parameter_names(cls) -> list[str]:
        return [p for p in inspect.signature(cls.__init__).parameters if p != "self"]

    def get_params(self, deep: bool = True) -> Values:
        """The settings, by name."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: object) -> Self:
        """Change settings; returns self."""
        known = self._parameter_names()
        for name, value in params.items():
            if name not in known:
                raise InputError(f"{type(self).__name__} has no setting {name!r}.", f"It has: {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        default = {p.name: p.default for p in inspect.signature(type(self).__init__).parameters.values()}
        changed = [f"{k}={v!r}" for k, v in self.get_params().items() if v != default[k]]
        return f"{type(self).__name__}({', '.join(changed)})"

    # ── files ──
    def to_json(self) -> str:
        """Settings and what was learned, as the text `save` writes."""
        if not hasattr(self, "n_features_in_"):
            raise InputError(
                f"this {type(self).__name__} has not learned anything yet.", "Call fit(X, y, group) first."
            )
        document = {
            "ranker": type(self).__name__,
            "settings": self._plain_settings(),
            "n_features": self.n_features_in_,
            "notes": list(self.notes_),
            "model": self._model(),
        }
        return to_text(document)

    def _plain_settings(self) -> Values:
        return self.get_params()

    def save(self, path: str | Path) -> None:
        """Write the ranker as JSON text; the file is whole or absent."""
        text = self.to_json()
        with atomic(path) as file:
            file.write(text + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a ranker that `save` wrote; `load_ranker(path)` reads one of any class."""
        ranker = load_ranker(path)
        if not isinstance(ranker, cls):
            raise FileError(f"{path} holds a {type(ranker).__name__}, not a {cls.__name__}.")
        return ranker

    # ── shared pieces ──
    def _watch(self, validation: Queries | None, measure: Any, patience: int) -> Watch | None:
        if validation is None:
            return None
        scorer = QueryScorer(measure, validation.y, validation.bounds, topics=validation.topics)
        if not scorer.measure.higher_is_better:
            raise MeasureError(
                f"{scorer.measure} falls as rankings get better: early stopping would keep the worst round.",
                "Watch nDCG@10 or AP, for example.",
            )
        if np.isnan(scorer(np.zeros(len(validation.y)))):
            raise InputError(
                f"early stopping has nothing to go by: {scorer.measure} is defined for no validation query.",
                "Give validation data with relevant documents.",
            )
        return Watch(scorer, patience)

    def _stopped(self, watch: Watch | None, rounds: int) -> None:
        """Leave behind how training went."""
        self.n_rounds_ = rounds
        if watch is not None and watch.history:
            self.n_rounds_ = watch.best_round
            self.validation_score_ = watch.best_score
            self.validation_history_ = tuple(watch.history)


def positive(ranker: Ranker, *names: str, whole: bool = False) -> None:
    """Refuse settings that are not above zero."""
    for name in names:
        value = getattr(ranker, name)
        kind = int | np.integer if whole else int | float | np.number
        if isinstance(value, bool) or not isinstance(value, kind) or not value > 0 or not np.isfinite(value):
            what = "a whole number" if whole else "a number"
            raise InputError(f"{type(ranker).__name__}({name}={value!r}): {name} is {what} above 0.")


class Watch:
    """Early stopping: keep the best model seen on validation data, and stop when it has not improved for a while.

    `see(predictions, model)` returns True when it is time to stop; `best` is then the model to keep.
    """

    def __init__(self, scorer: QueryScorer, patience: int) -> None:
        self.scorer = scorer
        self.patience = patience
        self.best: Any = None
        self.best_score = float("-inf")
        self.best_round = 0
        self.history: list[float] = []

    def see(self, predictions: NDArray[np.float64], model: Callable[[], object]) -> bool:
        """One more round is over; `model()` makes the copy to keep if it is the best so far."""
        score = self.scorer(predictions)
        self.history.append(score)
        if score > self.best_score or self.best is None:
            self.best, self.best_score, self.best_round = model(), score, len(self.history)
        return len(self.history) - self.best_round >= self.patience
