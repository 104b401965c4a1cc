"""AdaRank: single features added up, each chosen for the queries that are still ranked badly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats
from dissensus.errors import InputError, MeasureError
from dissensus.learning.queries import Queries
from dissensus.learning.rankers.linear import LinearRanker
from dissensus.learning.rankers.ranker import MEASURE, positive
from dissensus.learning.scoring import QueryScorer
from dissensus.work.progress import Progress


@dataclass(eq=False, repr=False)
class AdaRank(LinearRanker):
    """f_t = f_{t−1} + α_t·(± one feature), boosting a measure of whole rankings (Xu & Li, SIGIR 2007).

    Each round takes the feature, up or down, that maximises Σ_q P_q·E(q, feature), weighs it by
    α = ½ ln(Σ P_q(1 + E) / Σ P_q(1 − E)), and gives the queries weights P_q ∝ exp(−E(q, f_t)). E is any bounded measure
    of the catalog where more is better. A feature that does not
    raise the measure on the training queries is put back and set aside until another one has (RankLib's cure for
    weights that go in circles, made stricter); training ends when none is left. With `validation`, the round that ranks
    those queries best is kept.
    Features are standardised, so that weights can be compared.

    >>> import numpy as np
    >>> X = np.array([[0.0, 5.0], [1.0, 4.0], [2.0, 4.0], [3.0, 5.0]])
    >>> AdaRank("AP", rounds=5).fit(X, [0, 0, 1, 1], group=[4]).coef_.round(2).tolist()[1]
    0.0

    Weak where no single feature ranks well, and blind to anything that is not a weighted sum.
    """

    measure: str = MEASURE
    rounds: int = 200
    patience: int = 30
    seed: int = 0

    def _check_parameters(self) -> None:
        positive(self, "rounds", "patience", whole=True)

    def _learn(self, data: Queries, validation: Queries | None, label: str | None) -> None:
        X = self._standardise(data)
        scorer = QueryScorer(self.measure, data.y, data.bounds, topics=data.topics, seed=self.seed)
        if not scorer.measure.bounded or not scorer.measure.higher_is_better:
            raise MeasureError(
                f"AdaRank cannot boost {scorer.measure}: it needs a measure in [0, 1] where more is better.",
                "Take AP, nDCG@10, RR, ERR@20 or P@10, for example.",
            )
        weak = self._weak_rankers(X, scorer)
        defined = ~np.isnan(weak).any(axis=1)
        if not defined.any():
            raise InputError(f"AdaRank has nothing to learn: {scorer.measure} is defined for no training query.")
        lost = int((~defined).sum())
        if lost:
            self.notes_ += (f"{lost:,} queries have no {scorer.measure} and were left out",)
        weak = weak[defined]
        watch = self._watch(validation, self.measure, self.patience)
        held_out = None if validation is None else self._scaled(validation.X)
        w, share = np.zeros(X.shape[1]), np.full(len(weak), 1 / len(weak))
        aside = np.zeros(weak.shape[1])
        reached, rounds = 0.0, 0
        with Progress(label, self.rounds) as bar:
            for _ in range(self.rounds):
                value = share @ weak + aside
                best = int(value.argmax())
                if not np.isfinite(value[best]):
                    break
                bar.advance()
                tried = w.copy()
                tried[best % len(w)] += _weight(value[best]) * (1 if best < len(w) else -1)
                scores = scorer.per_query(X @ tried)[defined]
                if rounds and scores.mean() <= reached:
                    aside[best] = -np.inf
                    continue
                w, reached, rounds = tried, float(scores.mean()), rounds + 1
                aside[:] = 0.0
                share = np.exp(-scores) / np.exp(-scores).sum()
                if watch is not None and held_out is not None and watch.see(held_out @ w, w.copy):
                    break
        self.coef_ = w if watch is None else watch.best
        self.training_score_ = reached
        self._stopped(watch, rounds)

    def _weak_rankers(self, X: Floats, scorer: QueryScorer) -> Floats:
        """Queries × (features up, features down): how each single feature ranks each query."""
        up = [scorer.per_query(X[:, f]) for f in range(X.shape[1])]
        down = [scorer.per_query(-X[:, f]) for f in range(X.shape[1])]
        return np.array(up + down).T


def _weight(value: float) -> float:
    """α = ½ ln((1 + E) / (1 − E)), for the mean value E of a feature over the weighted queries."""
    mean = float(np.clip(value, -1 + 1e-9, 1 - 1e-9))
    return 0.5 * float(np.log((1 + mean) / (1 - mean)))
