"""What an audit in order is about: every retrieved document that weighs something, its weights and its bronze label.

Other than in `correct`, documents without a bronze label belong to it: they are drawn like all others, so nothing has
to be assumed of them. Weights are divided by the number of topics, so that Σ_d w_d v_d is a mean over topics.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.errors import InputError
from dissensus.inference.correction.design import one_judge
from dissensus.measures.measure import Linear, Measure
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale


@dataclass(frozen=True, eq=False)
class SampleLayout:
    """Documents 0…N−1, sorted by topic and id; entry e: system `system[e]` gives `item[e]` the weight `weight[e]`.

    Values are scaled to [0, 1]: a score is `base` + Σ w·v per unit of weight (`base` is 0 where the lowest grade is
    worth 0). `label` is a bronze level, the last one meaning "no bronze label"; `prior` is p_J.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    topic: Ints
    doc: tuple[str, ...]
    system: Ints
    item: Ints
    weight: Floats
    label: Ints
    prior: Floats
    scale: Scale
    values: Floats  # of the gold grades, scaled to [0, 1]
    lowest: float  # what the lowest value was before
    bronze: Floats  # value of each bronze label, scaled likewise

    def row(self, system: int) -> Floats:
        """One system's weights of all documents."""
        out = np.zeros(len(self.doc))
        mine = self.system == system
        out[self.item[mine]] = self.weight[mine]
        return out

    def dense(self) -> Floats:
        """Systems × documents."""
        out = np.zeros((len(self.systems), len(self.doc)))
        out[self.system, self.item] = self.weight
        return out

    def contrast(self, a: int, b: int | None) -> Floats:
        """c of "a − b", or of a alone."""
        return self.row(a) if b is None else self.row(a) - self.row(b)

    def base(self, c: Floats) -> float:
        """What a contrast is worth when every document has the lowest grade."""
        return float(c.sum()) * self.lowest

    def names(self) -> list[tuple[str, str]]:
        """(topic, document) of all."""
        return [(self.topics[t], d) for t, d in zip(self.topic.tolist(), self.doc, strict=True)]


def lay_along(
    runs: Runs,
    judgments: Judgments,
    measure: Measure,
    systems: tuple[str, ...],
    assessor: str | None,
    scale: Scale | None,
    extra: Iterable[tuple[str, str]] = (),
) -> SampleLayout:
    """The layout of a linear measure; others are refused with what can be done instead.

    `extra`: documents of an order that was planned for more systems; they weigh nothing here, but are drawn.
    """
    if not isinstance(measure, Linear):
        raise InputError(
            f"{measure} is not linear in the labels, so no valid interval can be followed label by label.",
            "Use a linear measure (P@k, DCG@k, RBP …) to decide when to stop.",
            f"Audit whole topics, and correct {measure} from them.",
            f"Fix the number of labels in advance, and look at {measure} once, at closing.",
        )
    judge = one_judge(judgments, assessor)
    gold = judge.scale if scale is None else scale
    measure.check_scale(gold)
    topics = tuple(t for t in judge.topics if t in set(runs.topics))
    if not topics:
        raise InputError("no topic of the runs was judged.", "Check that runs and judgments use the same topic ids.")
    values = np.asarray(measure.values(gold), np.float64)
    span = float(values.max() - values.min())
    if span == 0:
        raise InputError(f"every grade of the scale {gold} is worth the same to {measure}.", "Take another measure.")
    system, place, weight = _entries(runs, measure, gold, systems, topics)
    code = {t: i for i, t in enumerate(topics)}
    places = sorted({*place, *((code[t], d) for t, d in extra if t in code)})
    number = {p: i for i, p in enumerate(places)}
    label, bronze = _bronze(judge, measure, places, topics)
    prior = 0.1 + 0.8 * bronze
    prior[-1] = 0.5
    return SampleLayout(
        systems, topics, np.array([t for t, _ in places], np.int64), tuple(d for _, d in places), system,
        np.array([number[p] for p in place], np.int64), weight * span / len(topics), label, prior, gold,
        (values - values.min()) / span, float(values.min()) / span, bronze,
    )  # fmt: skip


def _entries(
    runs: Runs, measure: Linear, scale: Scale, systems: tuple[str, ...], topics: tuple[str, ...]
) -> tuple[Ints, list[tuple[int, str]], Floats]:
    """(system, (topic, document), weight) of every retrieved document that counts."""
    row = {runs.systems.index(s): i for i, s in enumerate(systems)}
    column = {runs.topics.index(t): i for i, t in enumerate(topics)}
    counts = np.zeros(len(scale), np.int64)
    by_length: dict[int, Floats] = {}
    system: list[int] = []
    place: list[tuple[int, str]] = []
    weight: list[float] = []
    for s, (i, j) in enumerate(zip(runs.segment_system.tolist(), runs.segment_topic.tolist(), strict=True)):
        start, length = int(runs.bounds[s]), int(runs.bounds[s + 1] - runs.bounds[s])
        if i not in row or j not in column or not length:
            continue
        if length not in by_length:
            by_length[length] = np.asarray(measure.linear_form(counts, length, scale)[0], np.float64)
        w = by_length[length]
        ranks = np.flatnonzero(w)
        place += [(column[j], d) for d in runs.ids.strings(start + ranks)]
        system += [row[i]] * len(ranks)
        weight += w[ranks].tolist()
    return np.array(system, np.int64), place, np.array(weight)


def _bronze(
    judge: Judgments, measure: Linear, places: list[tuple[int, str]], topics: tuple[str, ...]
) -> tuple[Ints, Floats]:
    """(bronze label of every document, value of every bronze label from 0 to 1)."""
    n = len(judge.scale)
    level = judge.matrix()[:, 0].astype(np.int64) - judge.scale.low
    column = {judge.topics.index(t): i for i, t in enumerate(topics)}
    given = {
        (column[t], d): v if 0 <= v < n else n
        for t, d, v in zip(judge.item_topic.tolist(), judge.doc_ids(), level.tolist(), strict=True)
        if t in column
    }
    label = np.array([given.get(p, n) for p in places], np.int64)
    rel: Any = getattr(measure, "rel", None)
    reach: Any = measure
    used = judge.scale.low + int(level[(level >= 0) & (level < n)].max(initial=0))
    if isinstance(rel, int) and rel > used > judge.scale.low:  # a binary judge and P(rel=2): its 1 is its "relevant"
        reach = replace(reach, rel=used)
    value = np.asarray(reach.values(judge.scale), np.float64)
    span = float(value.max() - value.min())
    scaled = (value - value.min()) / span if span > 0 else np.full(n, 0.5)
    return label, np.append(scaled, 0.5)
