"""Score predictions by any measure of the catalog, many times over the same labels.

Early stopping, AdaRank and the experiments score thousands of predictions for the same documents. What depends on the
labels alone is computed once; linear measures and AP are then one sort and one sum. Predictions that tie are put in an
order drawn once from a seed, so that a constant prediction scores like a random ranking and not like the file's order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import MeasureError
from dissensus.measures.catalog import measure as find
from dissensus.measures.families.average import AP
from dissensus.measures.families.gain import nDCG
from dissensus.measures.measure import Measure, Ratio, cut
from dissensus.tables.scale import Scale
from dissensus.work.seeds import generator

Bounds = NDArray[np.int64]


class QueryScorer:
    """`scorer(predictions)` is the mean over queries; `scorer.per_query(predictions)` has NaN where it is undefined.

    >>> scorer = QueryScorer("nDCG@10", np.array([2.0, 0.0, 1.0]), np.array([0, 3]))
    >>> round(scorer(np.array([3.0, 2.0, 1.0])), 4)
    0.9502

    `labels` may be fractions of grades for nDCG; other measures need whole grades. `topics` names the queries, for
    measures that treat topics differently (`nMCG(classes=…)`).
    """

    def __init__(
        self,
        measure: str | Measure,
        labels: Floats,
        bounds: Bounds,
        *,
        topics: Sequence[str] | None = None,
        scale: Scale | None = None,
        seed: int = 0,
    ) -> None:
        self.measure = find(measure)
        self.bounds = bounds
        self._query = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        tie = generator(seed).permutation(len(labels))
        self._drawn = np.lexsort((tie, self._query))  # the order of equal predictions
        self._rank = np.arange(len(labels)) - bounds[self._query]
        self._labels = labels
        graded = bool((labels == np.floor(labels)).all())
        if not graded and not isinstance(self.measure, nDCG):
            raise MeasureError(
                f"{self.measure} needs whole grades, and some labels lie in between.", "Score fractions with nDCG@10."
            )
        self._scale = scale or Scale.range(0, max(int(np.ceil(labels.max(initial=1))), 1))
        self._score: Callable[[NDArray[np.int64]], Floats]
        if isinstance(self.measure, nDCG) and self.measure.gains is None:
            self._score = self._gain(self.measure)
        elif isinstance(self.measure, AP):
            self._score = self._average_precision(self.measure)
        elif self._is_linear():
            self._score = self._weighted(topics)
        else:
            self._score = self._by_definition(topics)

    def order(self, predictions: Floats) -> NDArray[np.int64]:
        """Rows by query, best prediction first."""
        return self._drawn[np.lexsort((-predictions[self._drawn], self._query))]

    def per_query(self, predictions: Floats) -> Floats:
        """The score of each query; NaN where the measure is undefined."""
        return self._score(self.order(predictions))

    def __call__(self, predictions: Floats) -> float:
        return self.of_order(self.order(predictions))

    def of_order(self, order: NDArray[np.int64]) -> float:
        """The mean over queries of rows in this order; scorers of the same queries share one."""
        scores = self._score(order)
        defined = ~np.isnan(scores)
        return float(scores[defined].mean()) if defined.any() else float("nan")

    def _is_linear(self) -> bool:
        """Is every score a weighted sum over grades, all of which are on the scale?"""
        own = isinstance(self.measure, Ratio) and type(self.measure).compute is Ratio.compute
        return own and bool((self._labels >= self._scale.low).all() and (self._labels <= self._scale.top).all())

    # ── four ways ──
    def _weighted(self, topics: Sequence[str] | None) -> Callable[[NDArray[np.int64]], Floats]:
        """Σ weight of the rank × value of the grade, with the pool's denominator in the weights."""
        grade = self._labels.astype(np.int64) - self._scale.low
        weight, value = np.empty(len(grade)), np.empty(len(grade))
        for q, (a, b) in enumerate(pairwise(self.bounds.tolist())):
            own = self.measure if topics is None else self.measure.for_topic(topics[q])
            counts = np.bincount(grade[a:b], minlength=len(self._scale))
            form = own.linear_form(counts, b - a, self._scale)
            assert form is not None
            weight[a:b], value[a:b] = form[0], form[1][grade[a:b]]
        return lambda order: np.add.reduceat(weight * value[order], self.bounds[:-1])

    def _gain(self, measure: nDCG) -> Callable[[NDArray[np.int64]], Floats]:
        gain = np.exp2(self._labels) - 1 if measure.dcg.startswith("exp-") else self._labels
        weight = cut(measure.weights(int(self._rank.max(initial=0)) + 1), measure.cutoff)[self._rank]
        best = np.lexsort((-gain, self._query))
        ideal = np.add.reduceat(weight * gain[best], self.bounds[:-1])
        ideal[ideal <= 0] = np.nan
        return lambda order: np.add.reduceat(weight * gain[order], self.bounds[:-1]) / ideal

    def _average_precision(self, measure: AP) -> Callable[[NDArray[np.int64]], Floats]:
        relevant = (self._labels >= measure.rel).astype(np.float64)
        base = np.add.reduceat(relevant, self.bounds[:-1])
        before = np.concatenate([[0.0], np.cumsum(base)])[self._query]
        base[base == 0] = np.nan
        seen = np.ones_like(relevant) if measure.cutoff is None else (self._rank < measure.cutoff).astype(np.float64)

        def score(order: NDArray[np.int64]) -> Floats:
            hit = relevant[order]
            precision = (np.cumsum(hit) - before) / (self._rank + 1)
            out: Floats = np.add.reduceat(hit * seen * precision, self.bounds[:-1]) / base
            return out

        return score

    def _by_definition(self, topics: Sequence[str] | None) -> Callable[[NDArray[np.int64]], Floats]:
        grades = self._labels.astype(np.int8)
        spans = [slice(a, b) for a, b in zip(self.bounds[:-1], self.bounds[1:], strict=True)]
        pools = [grades[s] for s in spans]
        own = [self.measure] * len(spans) if topics is None else [self.measure.for_topic(t) for t in topics]

        def score(order: NDArray[np.int64]) -> Floats:
            ranked = grades[order]
            return np.array([m.compute(ranked[s], p, self._scale) for m, s, p in zip(own, spans, pools, strict=True)])

        return score
