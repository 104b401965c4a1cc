"""A question is a pair of documents that an assessor was asked about, in one order or in both, once or more often.

Whoever asks an LLM asks in both orders, because it leans to one place. Both answers are then one opinion:

- *a* or *b*: the answers lean to that document (it won both times, or once with "same").
- *same*: "same" both times.
- *flipped*: the answer follows the place, so that it says nothing of the documents.

The `value` of a question is the share of its answers for the first document, "same" being ½. Both orders count alike,
however often each was asked, so a liking for a place cancels out. A question that was asked in one order keeps this
order in its kind: "a, shown first" is other evidence than "a, shown second".

    >>> rows = [("q", "x", "y", "llm", "a", "ab"), ("q", "y", "x", "llm", "a", "ab"), ("r", "x", "y", "llm", "a", "ab")]
    >>> asked = questions(Preferences.from_rows(rows))
    >>> asked.value.tolist(), [KINDS[k] for k in asked.kind]
    ([0.5, 1.0], ['flipped', 'a, a first'])
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.judging.preferences.table import Preferences

BOTH = ("b", "same", "a", "flipped")
KINDS = (*BOTH, *(f"{answer}, {order}" for answer in BOTH[:3] for order in ("b first", "order unknown", "a first")))


@dataclass(frozen=True, eq=False)
class Questions:
    """One entry per assessor and pair: `value`, `kind` (a place in `KINDS`), `answers`, and the variance of the value
    that comes from the votes' disagreement (NaN for a single vote)."""

    assessor: Ints
    pair: Ints
    topic: Ints
    first: Ints
    second: Ints
    value: Floats
    kind: Ints
    answers: Ints
    noise: Floats
    both: NDArray[np.bool_]  # asked in both orders
    changed: NDArray[np.bool_]  # the order changed the answer

    def __len__(self) -> int:
        return len(self.pair)

    def of(self, keep: NDArray[np.bool_] | Ints) -> Questions:
        """Some of the questions."""
        return Questions(*(getattr(self, name)[keep] for name in self.__dataclass_fields__))


def questions(given: Preferences) -> Questions:
    """All questions of preferences, by assessor and pair."""
    rows = given.assessor * (int(given.pair.max(initial=0)) + 1) + given.pair
    small = len(given.assessors) * (int(given.pair.max(initial=0)) + 1) < 2**62  # else the product has no room
    order = np.argsort(rows, kind="stable") if small else np.lexsort((given.pair, given.assessor))
    who, pair = given.assessor[order], given.pair[order]
    new = np.ones(len(order), bool)
    new[1:] = (who[1:] != who[:-1]) | (pair[1:] != pair[:-1])
    place, first = np.cumsum(new) - 1, order[new]
    n, answer, shown = len(first), given.answer[order], given.shown[order]
    number = np.bincount(place, minlength=n)
    mean = np.bincount(place, answer, n) / number
    by_order = {s: _mean_where(place, answer, shown == s, n) for s in (1, -1)}
    both = np.isfinite(by_order[1]) & np.isfinite(by_order[-1])
    value = np.where(both, (by_order[1] + by_order[-1]) / 2, mean)
    changed = both & (by_order[1] != by_order[-1])
    side = np.sign(np.round(value - 0.5, 12)).astype(np.int64) + 1
    one_order = np.where(np.isfinite(by_order[1]), 2, np.where(np.isfinite(by_order[-1]), 0, 1))
    one_order[~both & (np.bincount(place, shown == 0, n) > 0)] = 1
    kind = np.where(
        both, np.where(changed & (side == 1), BOTH.index("flipped"), side), len(BOTH) + 3 * side + one_order
    )
    spread = np.bincount(place, (answer - mean[place]) ** 2, n)
    noise = np.divide(spread, (number - 1) * number, out=np.full(n, np.nan), where=number > 1)
    return Questions(
        given.assessor[first], given.pair[first], given.topic[first], given.first[first], given.second[first], value,
        kind, number, noise, both, changed,
    )  # fmt: skip


def _mean_where(place: Ints, answer: Floats, kept: NDArray[np.bool_], n: int) -> Floats:
    number = np.bincount(place[kept], minlength=n)
    total = np.bincount(place[kept], answer[kept], n)
    return np.asarray(np.divide(total, number, out=np.full(n, np.nan), where=number > 0))
