"""PRank: the perceptron for ordered grades."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from dissensus.arrays import Floats
from dissensus.learning.queries import Queries
from dissensus.learning.rankers.linear import LinearRanker
from dissensus.learning.rankers.model_file import numbers
from dissensus.learning.rankers.ranker import MEASURE, positive
from dissensus.work.progress import Progress
from dissensus.work.seeds import generator


@dataclass(eq=False, repr=False)
class PRank(LinearRanker):
    """A weight vector and ascending thresholds between the grades, moved at every mistake (Crammer & Singer 2001).

    A document of grade y should score above thresholds 0…y−1 and below the rest; thresholds on the wrong side move one
    step towards the score and the weights move the score towards them. With `average` (the default) the model is the
    mean over all steps, which does not depend on which document came last. `predict_grade` uses the thresholds.

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> ranker = PRank().fit(X, [0, 0, 1, 2], group=[4])
    >>> np.argsort(-ranker.predict(X)).tolist()
    [3, 2, 1, 0]

    Pointwise: it ignores queries, and labels that mean different things in different queries mislead it.
    """

    pointwise = True

    rounds: int = 20
    average: bool = True
    measure: str = MEASURE
    patience: int = 5
    seed: int = 0

    def _check_parameters(self) -> None:
        positive(self, "rounds", "patience", whole=True)

    def _learn(self, data: Queries, validation: Queries | None, label: str | None) -> None:
        from dissensus.engine.learning.perceptron import perceptron_pass

        X = np.ascontiguousarray(self._standardise(data))
        grades, level = np.unique(data.y, return_inverse=True)
        w, b = np.zeros(X.shape[1]), np.zeros(max(len(grades) - 1, 1))
        w_sum, b_sum = np.zeros_like(w), np.zeros_like(b)
        rng = generator(self.seed)
        watch = self._watch(validation, self.measure, self.patience)
        held_out = None if validation is None else self._scaled(validation.X)
        mistakes = []
        with Progress(label, self.rounds) as bar:
            for passed in range(1, self.rounds + 1):
                order = rng.permutation(len(X))
                mistakes.append(perceptron_pass(X, level.astype(np.int64), order, w, b, w_sum, b_sum))
                steps = passed * len(X)
                model = (w_sum / steps, b_sum / steps) if self.average else (w.copy(), b.copy())
                bar.advance()
                if watch is not None and held_out is not None and watch.see(held_out @ model[0], partial(tuple, model)):
                    break
                if mistakes[-1] == 0:
                    break
        kept: tuple[Floats, Floats] = watch.best if watch is not None else model
        self.coef_, self.thresholds_ = kept
        self.grades_ = grades
        self.mistakes_ = tuple(mistakes)
        self._stopped(watch, len(mistakes))

    def predict_grade(self, X: object) -> Floats:
        """The grade of every row: how many thresholds its score passes."""
        score = self.predict(X)
        passed = (score[:, None] > self.thresholds_[None, : len(self.grades_) - 1]).sum(axis=1)
        return np.asarray(self.grades_[passed])

    def _model(self) -> dict[str, object]:
        return {**super()._model(), "thresholds": self.thresholds_.tolist(), "grades": self.grades_.tolist()}

    def _restore(self, model: dict[str, object]) -> None:
        super()._restore(model)
        self.grades_ = numbers(model, "grades")
        self.thresholds_ = numbers(model, "thresholds", length=len(self.grades_) - 1)
