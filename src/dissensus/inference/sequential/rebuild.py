"""An order read back from a file, and the documents that the file does not hold.

A file with the whole order needs nothing else. One with its beginning only leaves open at which rates the others wait:
rates follow from the weights, the bronze labels and what the order was planned for (a difference, differences of all,
scores), so they are computed for each of these, and the one that gives the rates in the file is taken. None of them:
the order was planned for other runs, labels or another measure, and is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dissensus.data.tables.drawn_order import DrawnOrder
from dissensus.errors import InputError
from dissensus.inference.sequential.layout import Floats, Layout
from dissensus.inference.sequential.order import Order, rates

CLOSE = 1e-6  # relative: what writing numbers to a file may change
Contrasts = list[tuple[int, int | None]]


@dataclass(frozen=True, eq=False)
class WholeOrder:
    """An order by names, to its end; keys are NaN where they are not known."""

    names: list[tuple[str, str]]
    rate: Floats
    key: Floats
    assessor: tuple[str, ...]

    def placed(self, layout: Layout) -> Order:
        """The same in terms of a layout's documents."""
        number = {name: i for i, name in enumerate(layout.names())}
        for topic, doc in self.names:
            if (topic, doc) not in number:
                raise InputError(
                    f"topic {topic} of the order is not among the topics that runs and judgments share.",
                    "Give the runs and judgments for which the order was planned.",
                )
        return Order(np.array([number[n] for n in self.names], np.int64), self.rate, self.key, self.assessor)


def whole_order(given: DrawnOrder, everyone: Callable[[], Layout]) -> WholeOrder:
    """The order to its end; `everyone()` lays out all systems of the runs, if that is needed."""
    names = list(zip(given.topic, given.doc, strict=True))
    if len(set(names)) < len(names):
        topic, doc = next(n for i, n in enumerate(names) if n in names[:i])
        raise InputError(f"topic {topic}, document {doc} has two draws in the order.", "Give the file as planned.")
    key = np.append(np.nan, given.next_key[:-1])
    if given.complete or np.isnan(given.next_key).any():
        return WholeOrder(names, given.rate, key, given.assessor)
    rest, rate = _others(given, names, everyone())
    after = np.append(given.next_key[-1], np.full(len(rest), np.nan))[: len(rest)]
    return WholeOrder([*names, *rest], np.append(given.rate, rate), np.append(key, after), given.assessor)


def _others(given: DrawnOrder, names: list[tuple[str, str]], layout: Layout) -> tuple[list[tuple[str, str]], Floats]:
    """(documents that wait beyond the file, their rates), largest rate first."""
    every = layout.names()
    number = {name: i for i, name in enumerate(every)}
    item = np.array([number.get(name, -1) for name in names], np.int64)
    if (item >= 0).all():
        for contrasts in _purposes(len(layout.systems)):
            rate = rates(layout, contrasts)
            if np.allclose(rate[item], given.rate, rtol=CLOSE, atol=0):
                waiting = np.setdiff1d(np.flatnonzero(rate > 0), item)
                waiting = waiting[np.argsort(-rate[waiting], kind="stable")]
                return [every[i] for i in waiting.tolist()], rate[waiting]
    raise InputError(
        "the file holds the beginning of an order, but its rates do not follow from these runs, labels and measure.",
        "Give the runs, the judgments and the measure for which the order was planned.",
        "Give the whole order (all rows of the plan's sample), with grades as far as they are known.",
    )


def _purposes(n: int) -> list[Contrasts]:
    """What an order can have been planned for: all differences, all scores, one difference, one or two scores."""
    pairs: Contrasts = list(combinations(range(n), 2))
    singles: Contrasts = [(i, None) for i in range(n)]
    both: list[Contrasts] = [[(i, None), (j, None)] for i, j in combinations(range(n), 2)]
    return [pairs, singles, *([p] for p in pairs), *([s] for s in singles), *both]
