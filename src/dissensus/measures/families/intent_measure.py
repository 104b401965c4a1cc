"""What measures of novelty and diversity share: they see, for every document, which intents it is relevant to.

They need judgments per intent (`read_judgments(…, intent="column")`, `--intent-column`). M, the number of intents of a
topic, counts those with at least one relevant document; a topic without any is undefined.

One ranking is scored from the intents of its documents:

    >>> from dissensus.measures.catalog import measure
    >>> pool = [{1, 2}, {1}, {3}, set(), {2}]  # documents a to e
    >>> ranking = [{1}, set(), {1, 2}, None, {3}]  # b, d, a, an unjudged document, c
    >>> round(measure("alpha_nDCG@5").score(ranking, pool), 6)
    0.690138
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Bools, Floats
from dissensus.engine.sparse_walks import worth_sums
from dissensus.errors import Fix, InputError, MeasureError, Option
from dissensus.measures.linear import relevant_lists, walk
from dissensus.measures.measure import Binary, Grades
from dissensus.tables.scale import UNJUDGED, Scale

if TYPE_CHECKING:
    from dissensus.tables.collection import Joined
    from dissensus.tables.intents import Intents

Lists = tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64]]


@dataclass(frozen=True)
class IntentMeasure(Binary):
    """Base of the measures that need judgments per intent."""

    needs_relevant = True
    further_input = ("judgments per intent",)
    #: True: a mean over intents of a number per intent, so that bounds are exact
    mean_of_intents: ClassVar[bool] = True
    #: True: one more relevant document never lowers an intent's number
    more_is_more: ClassVar[bool] = True

    def of_ranking(self, ranking: Bools, pool: Bools) -> float:
        """The score of one ranking: documents × intents, true where relevant; the same for the pool, ids ascending."""
        raise NotImplementedError(f"{type(self).__name__} must define of_ranking()")

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        raise self._without_intents()

    def score(  # type: ignore[override]
        self,
        ranking: Sequence[Collection[object] | None],
        pool: Sequence[Collection[object]] | None = None,
        scale: object = None,
    ) -> float:
        """Score one ranking from the intents that each document is relevant to; None for an unjudged document.

        `pool` holds the same for all judged documents in ascending order of their ids (the greedy ideal ranking takes
        the larger id where documents are worth the same).
        """
        own = [d for d in ranking if d is not None]
        judged = own if pool is None else list(pool)
        if any(isinstance(d, str) or not isinstance(d, Collection) for d in (*own, *judged)):
            raise InputError(
                f"{self}: give the intents that each document is relevant to, for example [{{1, 2}}, set(), None]."
            )
        names = list(dict.fromkeys(i for d in (*judged, *own) for i in d))

        def matrix(docs: Sequence[Collection[object] | None]) -> Bools:
            return np.array([[d is not None and i in d for i in names] for d in docs], bool).reshape(len(docs), -1)

        return self.defined(matrix(ranking), matrix(judged))

    def defined(self, ranking: Bools, pool: Bools) -> float:
        """`of_ranking` with the intents that have a relevant document; NaN where there are none."""
        some = pool.any(axis=0)
        return self.of_ranking(ranking[:, some], pool[:, some]) if some.any() else float("nan")

    def intents_of(self, joined: Joined) -> Intents:
        """The labels per intent; an error where the judgments have none."""
        if joined.intents is None:
            raise self._without_intents()
        return joined.intents

    def _without_intents(self) -> MeasureError:
        return MeasureError(
            f"{self} needs judgments per intent (subtopic) of a topic, and these have none.",
            Fix(
                "Read them with ",
                Option("intent", "column"),
                ": column 2 of qrels files, the column `intent` of tables.",
            ),
        )

    def bounds(self, joined: Joined) -> dict[str, Floats]:
        if not self.mean_of_intents:
            plain = {"alpha_nDCG": "alpha_DCG", "nERR_IA": "ERR_IA", "nNRBP": "NRBP"}.get(self.name, "alpha_DCG")
            raise MeasureError(
                f"{self}: its ideal ranking moves with every missing label, so there are no exact bounds.",
                f"Ask for those of {plain}, or leave it out.",
            )
        return intent_bounds(self, joined)

    def relevant_lists(self, joined: Joined) -> Lists:
        """(start, columns: the intents item i is relevant to are columns[start[i]:start[i + 1]]; owner of columns)."""
        intents = self.intents_of(joined)
        return *relevant_lists(intents.labels, self.rel), np.asarray(intents.owner)

    def intent_sums(
        self, joined: Joined, lists: Lists, delta: Floats, kept: float = 1.0, step: float = 0.0,
        share: Floats | None = None,
    ) -> Floats:  # fmt: skip
        """Σ_r delta[r − 1]·Σ over intents of share·worth down to the cut-off, (segment, assessor).

        The first document about an intent is worth 1, each further one kept·worth + step of the one before;
        `share[topic, column]` weighs the intents, 1 each if not given.
        """
        if share is None:
            share = np.ones((len(joined.topics), len(lists[2])))
        return walk(
            joined, worth_sums, joined.hit_rank, joined.hit_item, *lists, joined.segment_topic, share, delta, kept,
            step, cutoff=self.cutoff,
        )  # fmt: skip

    def intent_counts(self, joined: Joined) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(relevant documents per topic and column, M per topic and assessor)."""
        intents = self.intents_of(joined)
        topics = itertools.pairwise(joined.topic_bounds)
        counts = np.array([(intents.labels[a:b] >= self.rel).sum(axis=0) for a, b in topics], np.int64)
        number = np.zeros((len(joined.topics), len(joined.assessors)), np.int64)
        np.add.at(number.T, intents.owner, (counts > 0).T)
        return counts, number


# ── how far a score can move with labels that are missing ──
def intent_bounds(measure: IntentMeasure, joined: Joined) -> dict[str, Floats]:
    """`low` and `high` of every ranking under every assessor: exact, where a score is a mean over intents.

    alpha_DCG, ERR_IA, NRBP, P_IA, StRecall and AP_IA are means over the M relevant intents of a number per intent, so
    each intent's missing labels (of retrieved documents, whether the document or only this intent of it was not judged)
    are chosen apart from the others'. For all but AP_IA more relevant documents never lower that number: none of the
    missing ones relevant, or all of them. For AP the m highest-ranked, and the m lowest, for some m. An intent that is
    listed but has no relevant document may gain one, and then joins the mean: those that help most join, best first.
    NaN where the score is undefined.
    """
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
