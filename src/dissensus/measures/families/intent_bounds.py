"""How far a diversity score can move with labels that are missing: exact, where it is a mean over intents.

alpha_DCG, ERR_IA, NRBP, P_IA, StRecall and AP_IA are means over the M relevant intents of a number per intent, so each
intent's missing labels (of retrieved documents, whether the document or only this intent of it was not judged) are
chosen apart from the others'. For all but AP_IA more relevant documents never lower that number: none of the missing
ones relevant, or all of them. For AP the m highest-ranked, and the m lowest, for some m. An intent that is listed but
has no relevant document may gain one, and then joins the mean: those that help most join, best first.

The measures over a greedy ideal are not among them: the ideal moves with every label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.data.tables.scale import UNJUDGED
from dissensus.measures.measure import Floats

if TYPE_CHECKING:
    from dissensus.data.tables.collection import Joined
    from dissensus.measures.families.intent_measure import IntentMeasure

Grades = NDArray[np.int8]


def intent_bounds(measure: IntentMeasure, joined: Joined) -> dict[str, Floats]:
    """`low` and `high` of every ranking under every assessor, NaN where the score is undefined."""
    intents = measure.intents_of(joined)
    low, high = np.full(joined.shape, np.nan), np.full(joined.shape, np.nan)
    for a, t in np.ndindex(joined.shape[0], joined.shape[2]):
        own = np.flatnonzero(intents.owner == a)
        pool = intents.labels[joined.topic_bounds[t] : joined.topic_bounds[t + 1]][:, own]
        listed = (pool > UNJUDGED).any(axis=0)
        relevant = (pool >= measure.rel).sum(axis=0)
        if not relevant.any():
            continue
        for s in range(joined.shape[1]):
            labels = _ranked(joined, intents.labels, own, int(joined.segment_of[s, t]))
            low[a, s, t], high[a, s, t] = one_ranking(measure, labels[:, listed], relevant[listed])
    return {"low": low, "high": high}


def _ranked(joined: Joined, labels: Grades, columns: NDArray[np.int64], segment: int) -> Grades:
    """Labels by rank and intent of one ranking, UNJUDGED where there is none."""
    out = np.full((0 if segment < 0 else int(joined.length[segment]), len(columns)), UNJUDGED, np.int8)
    if segment >= 0:
        hits = slice(int(joined.hits[segment]), int(joined.hits[segment + 1]))
        out[joined.hit_rank[hits] - 1] = labels[joined.hit_item[hits]][:, columns]
    return out


def one_ranking(measure: IntentMeasure, labels: Grades, relevant: NDArray[np.int64]) -> tuple[float, float]:
    """(low, high) from labels ranks × intents and the relevant documents of each intent in the pool."""
    ends: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for j, count in enumerate(relevant.tolist()):
        column = labels[:, j] >= measure.rel
        missing = np.flatnonzero(labels[:, j] < 0)
        if count or len(missing):
            ends[bool(count)].append(_one_intent(measure, column, missing, count))
    known, further = ends[True], ends[False]
    low = _means([x for x, _ in known], sorted(x for x, _ in further)).min()
    high = _means([x for _, x in known], sorted((x for _, x in further), reverse=True)).max()
    return float(low), float(high)


def _one_intent(
    measure: IntentMeasure, column: NDArray[np.bool_], missing: NDArray[np.int64], count: int
) -> tuple[float, float]:
    """The least and the most one intent can contribute; one without relevant documents gains at least one of them."""
    least, most = (0, len(missing)) if count else (1, len(missing))
    sizes = [least, most] if measure.more_is_more else list(range(least, most + 1))

    def value(chosen: NDArray[np.int64]) -> float:
        with_them = column.copy()
        with_them[chosen] = True
        return measure.of_ranking(with_them[:, None], np.ones((count + len(chosen), 1), bool))

    lows = [value(missing[len(missing) - m :]) for m in sizes]
    highs = [value(missing[:m]) for m in sizes]
    return min(lows), max(highs)


def _means(known: list[float], further: list[float]) -> Floats:
    """Means of the known values alone, and joined by the first 1, 2, … of the further ones."""
    sums = np.cumsum(np.array([sum(known), *further]))
    return np.asarray(sums / np.arange(len(known), len(known) + len(sums)), np.float64)
