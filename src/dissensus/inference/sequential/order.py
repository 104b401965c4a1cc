"""One random order of all documents, committed before the first label.

Document d has the rate r_d = (|c_d|, or the standard deviation of its weights over systems)·s_J, s_J = √(p_J(1 − p_J))
floored at a quarter of its maximum, p_J = 0.1 + 0.8·v(J), 0.5 without a bronze label. Its key is E_d/r_d, E_d ~ Exp(1)
from the seed; keys ascending are the order. Read from the top this is successive sampling: the next document is d with
probability r_d/Σ_unseen r. Stopped after a number of labels fixed in advance, each document had the probability
π_d = 1 − exp(−r_d·τ), τ the key of the next one, which is why the file of the order holds `rate` and `next_key`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from dissensus.arrays import Floats, Ints
from dissensus.errors import InputError
from dissensus.inference.sequential.layout import SampleLayout, lay_along
from dissensus.measures.measure import Measure
from dissensus.tables.columns import names_of
from dissensus.tables.design import Coverage
from dissensus.tables.drawn_order import DrawnOrder
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.work.seeds import Seed, generator

FLOOR = 0.25  # of the largest doubt: a label that seems sure is still looked at
CLOSE = 1e-6  # relative: what writing numbers to a file may change
Contrasts = list[tuple[int, int | None]]


@dataclass(frozen=True, eq=False)
class Order:
    """Which document comes when: `item[t]` is document number of draw t + 1; `rate` and `key` by draw, too.

    `key` is NaN where it is not known (a file without `next_key`). `assessor` is the drawn one, by draw.
    """

    item: Ints
    rate: Floats
    key: Floats
    assessor: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.item)

    def threshold(self, t: int) -> float:
        """τ after t labels: the key of the next document, infinite after the last."""
        return float(self.key[t]) if t < len(self.key) else float("inf")

    def inclusion(self, t: int) -> Floats:
        """π of every document, by draw, if the audit closes after t labels."""
        tau = self.threshold(t)
        return np.ones(len(self)) if np.isinf(tau) else -np.expm1(-self.rate * tau)

    def to_frame(self, layout: SampleLayout) -> pl.DataFrame:
        """Polars frame topic, doc, grade (empty), draw, rate, next_key, and assessor where one was drawn."""
        columns: dict[str, object] = {
            "topic": names_of(layout.topics, layout.topic[self.item]),
            "doc": names_of(layout.doc, self.item),
            "grade": pl.Series([None] * len(self), dtype=pl.String),
            "draw": np.arange(1, len(self) + 1),
            "rate": self.rate,
            "next_key": np.append(self.key[1:], np.inf) if len(self) else self.key,
        }
        if self.assessor:
            columns["assessor"] = pl.Series(self.assessor, dtype=pl.String)
        return pl.DataFrame(columns)


def doubt(prior: Floats) -> Floats:
    """s_J: how much a bronze label leaves open.

    >>> doubt(np.array([0.1, 0.9, 0.5, 0.0])).round(3).tolist()
    [0.3, 0.3, 0.5, 0.125]
    """
    s = np.sqrt(prior * (1 - prior))
    return np.asarray(np.maximum(s, FLOOR * s.max()), np.float64)


def rates(layout: SampleLayout, contrasts: Contrasts) -> Floats:
    """r of every document: 0 where no contrast depends on it.

    One contrast: |c|·s. Differences of several systems: sd over systems. Single scores: the root mean square.
    """
    if len(contrasts) == 1:
        spread = np.abs(layout.contrast(*contrasts[0]))
    else:
        used = sorted({s for pair in contrasts for s in pair if s is not None})
        keep = np.isin(layout.system, used)
        n, total = len(used), np.zeros(len(layout.doc))
        square = np.bincount(layout.item[keep], layout.weight[keep] ** 2, len(layout.doc)) / n
        if all(b is not None for _, b in contrasts):
            total = np.bincount(layout.item[keep], layout.weight[keep], len(layout.doc)) / n
        spread = np.sqrt(np.maximum(square - total**2, 0.0))
        spread[spread < 1e-9 * np.sqrt(square)] = 0.0  # equal for all systems, but for rounding
    return np.asarray(spread * doubt(layout.prior)[layout.label], np.float64)


def commit(rate: Floats, seed: Seed, assessors: tuple[str, ...] = ()) -> Order:
    """The order that `seed` gives; `assessors`: one of them is drawn for each document, by the same seed."""
    return ordered(rate, generator(seed).exponential(size=len(rate)), seed, assessors)


def ordered(rate: Floats, clock: Floats, seed: Seed = 0, assessors: tuple[str, ...] = ()) -> Order:
    """The order for given E (`clock`); documents of rate 0 are not in it."""
    if not (rate > 0).any():
        raise InputError(
            "no document can change these differences: the systems rank the same documents equally.",
            "Compare other systems, or ask for a deeper measure.",
        )
    drawn = np.flatnonzero(rate > 0)
    key = clock[drawn] / rate[drawn]
    sequence = np.argsort(key, kind="stable")
    who: tuple[str, ...] = ()
    if assessors:
        who = tuple(assessors[i] for i in generator(seed, 1).integers(len(assessors), size=len(drawn)).tolist())
    return Order(drawn[sequence], rate[drawn][sequence], key[sequence], who)


def check_covers(order: Order, layout: SampleLayout, contrasts: Contrasts) -> None:
    """Refuse an order in which a document that matters can never be drawn."""
    out = np.ones(len(layout.doc), bool)
    out[order.item] = False
    left = np.flatnonzero(out)
    weight = layout.dense()[:, left]
    for a, b in contrasts:
        c = weight[a] if b is None else weight[a] - weight[b]
        lost = left[np.abs(c) > 1e-15]
        if len(lost):
            topic, doc = layout.names()[int(lost[0])]
            what = layout.systems[a] if b is None else f"{layout.systems[a]} and {layout.systems[b]}"
            raise InputError(
                f"the order leaves out {len(lost):,} documents that count for {what}, for example topic {topic}, "
                f"document {doc}.",
                "Plan the order with the systems, the measure and the purpose that the audit is to answer.",
            )


# ── the sample of a plan ─────────────────────────────────────────────────────────────────────────────────────────────
def ordered_sample(
    runs: Runs,
    judgments: Judgments,
    measure: Measure,
    systems: Sequence[str],
    assessor: str | None,
    *,
    scores: bool,
    seed: int,
    covers: Coverage,
) -> tuple[pl.DataFrame, list[str]]:
    """(topic, doc, grade, draw, rate, next_key, covers; notes): the order that `seed` commits to, for `ds.plan`.

    `scores`: single scores are to be followed, so that documents which all systems rank equally are drawn, too.
    """
    layout = lay_along(runs, judgments, measure, tuple(systems), assessor, None)
    n = len(layout.systems)
    contrasts: Contrasts = [(i, None) for i in range(n)]
    if not scores and n > 1:
        contrasts = list(combinations(range(n), 2))
    order = commit(rates(layout, contrasts), seed)
    frame = order.to_frame(layout).with_columns(**{name: pl.lit(value) for name, value in covers.columns().items()})
    notes = [
        f"the order of all {len(order):,} documents that count is committed: grade them from draw 1, without gaps, and "
        "look as often as you like with sequential.",
        "keep the rows that have no grade: their rates belong to the calculation.",
    ]
    return frame, notes


# ── an order read back from a file ───────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, eq=False)
class WholeOrder:
    """An order by names, to its end; keys are NaN where they are not known."""

    names: list[tuple[str, str]]
    rate: Floats
    key: Floats
    assessor: tuple[str, ...]

    def placed(self, layout: SampleLayout) -> Order:
        """The same in terms of a layout's documents."""
        number = {name: i for i, name in enumerate(layout.names())}
        for topic, doc in self.names:
            if (topic, doc) not in number:
                raise InputError(
                    f"topic {topic} of the order is not among the topics that runs and judgments share.",
                    "Give the runs and judgments for which the order was planned.",
                )
        return Order(np.array([number[n] for n in self.names], np.int64), self.rate, self.key, self.assessor)


def whole_order(given: DrawnOrder, everyone: Callable[[], SampleLayout]) -> WholeOrder:
    """The order to its end; `everyone()` lays out all systems of the runs, if that is needed.

    A file with the whole order needs nothing else. One with its beginning only leaves open at which rates the others
    wait: rates follow from the weights, the bronze labels and what the order was planned for (a difference, differences
    of all, scores), so they are computed for each of these, and the one that gives the rates in the file is taken. None
    of them: the order was planned for other runs, labels or another measure, and is refused.
    """
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


def _others(
    given: DrawnOrder, names: list[tuple[str, str]], layout: SampleLayout
) -> tuple[list[tuple[str, str]], Floats]:
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
