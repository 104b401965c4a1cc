"""AdaRank: single features added up, each chosen for the queries that are still ranked badly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError, MeasureError
from dissensus.learning.queries import Queries
from dissensus.learning.rankers.linear import LinearRanker
from dissensus.learning.rankers.ranker import MEASURE, positive
from dissensus.learning.scoring import QueryScorer

Floats = NDArray[np.float64]
TURNS = 5  # how often in a row one feature may be chosen before it is left out for a round


class AdaRank(LinearRanker):
    """f_t = f_{t−1} + α_t·(± one feature), boosting a measure of whole rankings (Xu & Li, SIGIR 2007).

    Each round takes the feature, up or down, that maximises Σ_q P_q·E(q, feature), weighs it by
    α = ½ ln(Σ P_q(1 + E) / Σ P_q(1 − E)), and gives the queries weights P_q ∝ exp(−E(q, f_t)). E is any bounded measure
    of the catalog where more is better. The round that ranks the training queries (or `validation`) best is kept; a
    feature chosen five times in a row is left out of the next round, which keeps the weights from going in circles.
    Features are standardised, so that weights can be compared.

    >>> import numpy as np
    >>> X = np.array([[0.0, 5.0], [1.0, 4.0], [2.0, 4.0], [3.0, 5.0]])
    >>> AdaRank("AP", rounds=5).fit(X, [0, 0, 1, 1], group=[4]).coef_.round(2).tolist()[1]
    0.0

    Weak where no single feature ranks well, and blind to anything that is not a weighted sum.
    """

    def __init__(self, measure: str = MEASURE, rounds: int = 200, patience: int = 30, seed: int = 0) -> None:
        self.measure = measure
        self.rounds = rounds
        self.patience = patience
        self.seed = seed

    def _check_parameters(self) -> None:
        positive(self, "rounds", "patience", whole=True)

    def _learn(self, data: Queries, validation: Queries | None, label: str | None) -> None:
        from dissensus.work.progress import Progress

        X = self._standardise(data)
        scorer = QueryScorer(self.measure, data.y, data.bounds, seed=self.seed)
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
        held_out = data if validation is None else validation
        held_scaled = X if validation is None else self._scaled(validation.X)
        watch = self._watch(held_out, self.measure, self.patience)
        assert watch is not None
        w, share = np.zeros(X.shape[1]), np.full(len(weak), 1 / len(weak))
        run, last = 0, -1
        with Progress(label, self.rounds) as bar:
            for _ in range(self.rounds):
                value = share @ weak
                if run >= TURNS:
                    value[[last, last + X.shape[1] if last < X.shape[1] else last - X.shape[1]]] = -np.inf
                best = int(value.argmax())
                run, last = (run + 1 if best == last else 1), best
                reached = float(np.clip(value[best], -1 + 1e-9, 1 - 1e-9))
                alpha = 0.5 * float(np.log((1 + reached) / (1 - reached)))
                w[best % X.shape[1]] += alpha if best < X.shape[1] else -alpha
                bar.advance()
                if watch.see(held_scaled @ w, w.copy):
                    break
                power = np.exp(-scorer.per_query(X @ w)[defined])
                share = power / power.sum()
        self.coef_ = watch.best
        self._stopped(watch, len(watch.history))
        if validation is None:
            self.training_score_ = watch.best_score
            del self.validation_score_, self.validation_history_

    def _weak_rankers(self, X: Floats, scorer: QueryScorer) -> Floats:
        """Queries × (features up, features down): how each single feature ranks each query."""
        up = [scorer.per_query(X[:, f]) for f in range(X.shape[1])]
        down = [scorer.per_query(-X[:, f]) for f in range(X.shape[1])]
        return np.array(up + down).T
