"""RankBoost: many yes-or-no questions about single features, added up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import InputError
from dissensus.learning.queries import Queries
from dissensus.learning.rankers.model_file import numbers
from dissensus.learning.rankers.ranker import MEASURE, Ranker, positive
from dissensus.work.progress import Progress


@dataclass(eq=False, repr=False)
class RankBoost(Ranker):
    """H(x) = Σ_t α_t·[x_{f_t} > θ_t], each question chosen for the pairs still in the wrong order.

    A pair that should be (i above j) weighs exp(H_j − H_i). Each round takes the question with the largest
    |r| = |Σ pairs weight·(h_i − h_j)| and α = ½ ln((1 + r)/(1 − r)) (Freund, Iyer, Schapire & Singer, JMLR 2003,
    §3.3). Pair weights split into a factor per document, so a round costs O(documents × features), not pairs.
    Thresholds lie between at most `bins` groups of equal size of each feature.

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> RankBoost(rounds=10).fit(X, [0, 0, 1, 2], group=[4]).predict(X).argmax()
    np.int64(3)

    Exponential weights: a few mislabelled pairs can take over; watch it when labels are noisy.
    """

    rounds: int = 300
    bins: int = 64
    measure: str = MEASURE
    patience: int = 50
    seed: int = 0

    def _check_parameters(self) -> None:
        positive(self, "rounds", "bins", "patience", whole=True)
        if not 2 <= self.bins <= 256:
            raise InputError(f"RankBoost(bins={self.bins}): from 2 to 256 bins per feature.")

    def _learn(self, data: Queries, validation: Queries | None, label: str | None) -> None:
        from dissensus.engine.learning.rankboost import best_threshold, preference_weights

        edges, bins, n_bins = binned(data.X, self.bins)
        order = np.lexsort((data.y, data.query))
        score, net_weight = np.zeros(len(data.y)), np.empty(len(data.y))
        watch = self._watch(validation, self.measure, self.patience)
        held_out = None if validation is None else np.zeros(len(validation.y))
        chosen: list[tuple[int, float, float]] = []
        with Progress(label, self.rounds) as bar:
            for _ in range(self.rounds):
                total = preference_weights(score, data.y, order, data.bounds, net_weight)
                feature, bin_, r = best_threshold(bins, n_bins, net_weight)
                r = float(np.clip(r / total, -1 + 1e-9, 1 - 1e-9))
                if abs(r) < 1e-9:  # no question agrees with any pair: nothing more to learn
                    break
                alpha = 0.5 * float(np.log((1 + r) / (1 - r)))
                threshold = float(edges[feature][bin_])
                chosen.append((feature, threshold, alpha))
                score += alpha * (bins[feature] > bin_)
                bar.advance()
                if watch is not None and validation is not None and held_out is not None:
                    held_out += alpha * (validation.X[:, feature] > threshold)
                    if watch.see(held_out, lambda: len(chosen)):
                        break
        self._stopped(watch, len(chosen))
        kept = chosen[: self.n_rounds_]
        self.feature_ = np.array([f for f, _, _ in kept], np.int64)
        self.threshold_ = np.array([t for _, t, _ in kept], np.float64)
        self.alpha_ = np.array([a for _, _, a in kept], np.float64)

    def _score(self, X: Floats) -> Floats:
        out = np.zeros(len(X))
        for f in np.unique(self.feature_):  # questions about one feature together: a step function of it
            here = self.feature_ == f
            order = np.argsort(self.threshold_[here], kind="stable")
            steps = np.concatenate([[0.0], np.cumsum(self.alpha_[here][order])])
            out += steps[np.searchsorted(self.threshold_[here][order], X[:, f], side="left")]
        return out

    def _model(self) -> dict[str, object]:
        return {
            "feature": self.feature_.tolist(),
            "threshold": self.threshold_.tolist(),
            "alpha": self.alpha_.tolist(),
        }

    def _restore(self, model: dict[str, object]) -> None:
        self.feature_ = numbers(model, "feature", whole=True)
        self.threshold_ = numbers(model, "threshold", length=len(self.feature_))
        self.alpha_ = numbers(model, "alpha", length=len(self.feature_))
        if ((self.feature_ < 0) | (self.feature_ >= self.n_features_in_)).any():
            raise ValueError(f"feature goes beyond the {self.n_features_in_} it was trained on")


def binned(X: Floats, bins: int) -> tuple[list[Floats], NDArray[np.uint8], NDArray[np.int64]]:
    """(edges per feature, bin of each value as features × documents, number of bins per feature).

    A value lies in bin i when exactly i edges are below it; edges lie midway between neighbouring values.
    """
    edges: list[Floats] = []
    out = np.zeros((X.shape[1], len(X)), np.uint8)
    for f in range(X.shape[1]):
        values = np.unique(X[:, f])
        if len(values) > bins:
            picked = np.unique(np.quantile(X[:, f], np.linspace(0, 1, bins + 1)[1:-1], method="lower"))
            at = np.unique(np.minimum(np.searchsorted(values, picked), len(values) - 2))
        else:
            at = np.arange(len(values) - 1)
        middle = values[at] + (values[at + 1] - values[at]) / 2
        edges.append(middle)
        out[f] = np.searchsorted(middle, X[:, f], side="left")
    return edges, out, np.array([len(e) + 1 for e in edges], np.int64)
