"""An audit followed label by label: labels go in, the ruling set and what it decides come out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dissensus.errors import Fix, InputError, JudgmentError, Option
from dissensus.inference.comparison.claims import where_of
from dissensus.inference.sequential.closing import (
    Closing,
    assessors_part,
    between_assessors,
    closing,
    fixed_look,
    model_se,
    topic_variance,
    topics_part,
)
from dissensus.inference.sequential.layout import lay_along
from dissensus.inference.sequential.many import ManyPairs
from dissensus.inference.sequential.order import check_covers, commit, rates, whole_order
from dissensus.inference.sequential.questions import Target, ask
from dissensus.inference.sequential.result import SequentialResult, Verdicts, details_of, table_of
from dissensus.inference.sequential.several import PairRow, Several
from dissensus.inference.sequential.stop import Kind, Question, Track, Verdict
from dissensus.inference.sequential.wealth import LabelSequence
from dissensus.measures.catalog import measure as named
from dissensus.measures.measure import Measure
from dissensus.stats.intervals import quantile
from dissensus.tables.coercion import as_judgments, as_runs
from dissensus.tables.columns import as_polars
from dissensus.tables.drawn_order import DrawnOrder, drawn_order
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale, as_scale
from dissensus.windows.notebook import summary_html

if TYPE_CHECKING:
    import polars as pl


class Sequential:
    """An audit followed label by label: `add` a label, then ask `table`, `decided_at`, `verdict`, `forecast`, `next`.

    `systems`: two for their difference, one for its score, more (or none: all) for all pairs by e-Holm; `scores=True`
    follows single scores instead. `margin` asks for equivalence, too (`question="equivalence"`: only for that); for
    single scores it is the half width wanted. `assessors`: one of them is drawn for each document, with the order;
    `mean_assessor=True` widens the set to what the mean of all of them would say. `scale` is the gold scale, if it is
    not that of the judgments. `order` is an order committed before (that of `ds.plan(…, order=True)` or of an earlier
    `Sequential`, as a frame or as `Audit.order`); without it `seed` makes one.
    """

    def __init__(
        self,
        runs: Runs,
        judgments: Judgments,
        measure: str | Measure,
        systems: Sequence[str] | str | None = None,
        assessor: str | None = None,
        level: float = 0.95,
        kind: Kind = "asymptotic",
        margin: float | None = None,
        target: Target = "these_topics",
        *,
        seed: int = 0,
        order: object = None,
        assessors: Sequence[str] = (),
        mean_assessor: bool = False,
        scores: bool = False,
        question: Question | None = None,
        scale: Scale | Sequence[str] | str | None = None,
    ) -> None:
        runs, judgments = as_runs(runs), as_judgments(judgments)
        self.asked = ask(
            runs, systems, scores=scores, question=question, margin=margin, level=level, kind=kind, target=target,
            mean_assessor=mean_assessor,
        )  # fmt: skip
        self.measure = named(measure)
        gold, given = as_scale(scale), _given_order(order)
        lay = partial(lay_along, runs, judgments, self.measure, assessor=assessor, scale=gold)
        planned = None if given is None else whole_order(given, partial(lay, runs.systems))
        self.layout = lay(self.asked.systems, extra=() if planned is None else planned.names)
        if target == "population" and len(self.layout.topics) < 2:
            raise InputError(
                "there is one topic only: nothing can be said about all topics like it.",
                Fix("Ask about this one with ", Option("target", "these_topics"), "."),
            )
        contrasts = self.asked.contrasts
        if planned is None:
            self._order = commit(rates(self.layout, contrasts), seed, tuple(assessors))
        else:
            self._order = planned.placed(self.layout)
        check_covers(self._order, self.layout, contrasts)
        names = self.layout.names()
        self._documents = [names[i] for i in self._order.item.tolist()]
        self._draw = {name: t for t, name in enumerate(self._documents)}
        self._grades: dict[int, object] = {}
        self._others: dict[int, list[float]] = {}
        self._value: list[float] = []
        self._follower = self._follow()

    def _follow(self) -> Track | Several:
        """A follower before the first label: of one contrast, or of several with their shares of the error."""
        asked = self.asked
        k = len(asked.contrasts)
        alpha = asked.alpha / (k * asked.parts)
        if k == 1:
            return self._track(alpha, 0)
        many = None
        if asked.question == "difference" and asked.parts == 1:
            item = self._order.item
            weight, pairs = self.layout.dense()[:, item], np.array(asked.contrasts, np.int64)
            alone = np.bincount(self.layout.system, self.layout.weight, len(asked.systems)) * self.layout.lowest
            base = alone[pairs[:, 0]] - alone[pairs[:, 1]]
            many = ManyPairs(
                weight, self._order.rate, self.layout.label[item], self.layout.prior, pairs, asked.alpha, base
            )
        return Several(self._names(), asked.level, partial(self._track, alpha), many, self._where)

    @property
    def _where(self) -> str:
        return where_of(self.asked.target, len(self.layout.topics))

    def _names(self) -> list[tuple[str, str | None]]:
        return [self.asked.names(k) for k in range(len(self.asked.contrasts))]

    def _track(self, alpha: float, k: int) -> Track:
        a, b = self.asked.contrasts[k]
        item = self._order.item
        c = self.layout.contrast(a, b)
        walk = LabelSequence(c[item], self._order.rate, self.layout.label[item], self.layout.prior)
        asked = self.asked
        return Track(
            walk,
            asked.names(k),
            alpha=alpha,
            level=asked.level,
            kind=asked.kind if len(asked.contrasts) == 1 else "exact",
            question=asked.question,
            margin=asked.margin,
            base=self.layout.base(c),
            extra=partial(self._extra, walk, alpha),
            where=self._where,
        )

    def _extra(self, walk: LabelSequence, alpha: float, t: int) -> tuple[float, float]:
        """(what new topics add, what assessors add) to either side after t labels."""
        topics = assessors = 0.0
        if self.asked.target == "population":
            n = len(self.layout.topics)
            pi = self._order.inclusion(t)
            value = np.array(self._value[:t])
            codes = self.layout.topic[self._order.item]
            s2 = topic_variance(walk, codes, n, value, pi, self.layout.bronze)
            topics = topics_part(s2, n, alpha)
        if self.asked.mean_assessor:
            pairs = [(self._given(d), v) for d, values in self._others.items() for v in values if d < t]
            clean = [(x, y) for x, y in pairs if not np.isnan(x)]
            assessors = assessors_part(walk.c, between_assessors(clean), alpha)
        return topics, assessors

    # ── what comes in ──
    def add(self, topic: str, doc: str, grade: object, assessor: str | None = None) -> None:
        """One label. `grade=None`: no assessor can judge this document, which is then bounded, never dropped.

        Labels may arrive in any order; only the completed prefix of the committed order counts, the others wait. Where
        assessors were drawn, the drawn one's grade counts, and another's serves the variance between assessors.
        """
        t = self._place(topic, doc)
        drawn = self._order.assessor[t] if self._order.assessor else None
        if assessor is not None and drawn is not None and assessor != drawn:
            if grade is not None:
                self._others.setdefault(t, []).append(self._worth(grade))
            return
        if t in self._grades:
            if _same(self._grades[t], grade):
                return
            raise JudgmentError(
                f"topic {topic}, document {doc} has the grade {self._grades[t]} already, and now {grade}.",
                "To replace it, call change(topic, doc, grade).",
            )
        if grade is not None:
            self._worth(grade)
        self._grades[t] = grade
        self._advance()

    def fill(self, order: DrawnOrder) -> None:
        """Add all labels of an order's completed prefix at once; a grade below zero means "cannot judge"."""
        for t in range(order.completed):
            grade = order.grade[t]
            self._grades[t] = None if _below_zero(grade) else grade
            if grade is not None and not _below_zero(grade):
                self._worth(grade)
            other = order.second[t] if order.second else None
            if other is not None and not _below_zero(other):
                self._others.setdefault(t, []).append(self._worth(other))
        self._advance()

    def change(self, topic: str, doc: str, grade: object) -> None:
        """Replace a grade that was given before; the whole sequence is followed again."""
        t = self._place(topic, doc)
        if grade is not None:
            self._worth(grade)
        self._grades[t] = grade
        self._value, self._follower = [], self._follow()
        self._advance()

    def _place(self, topic: str, doc: str) -> int:
        t = self._draw.get((str(topic), str(doc)))
        if t is None:
            raise JudgmentError(
                f"topic {topic}, document {doc} is not in the committed order.",
                "Label the documents that next() gives, in that order.",
            )
        return t

    def _worth(self, grade: object) -> float:
        """The value of a gold grade, from 0 to 1."""
        return float(self.layout.values[self.layout.scale.grade(grade) - self.layout.scale.low])

    def _given(self, t: int) -> float:
        return float("nan") if self._grades[t] is None else self._worth(self._grades[t])

    def _advance(self) -> None:
        while (t := len(self._value)) in self._grades:
            self._value.append(self._given(t))
        self._follower.advance(np.array(self._value))

    # ── what comes out ──
    def _repr_html_(self) -> str:
        facts = (("measure", str(self.measure)), ("systems", ", ".join(self.asked.systems)), ("labels", self.labels))
        return summary_html("Sequential", facts)

    @property
    def labels(self) -> int:
        """Labels of the completed prefix: those that count."""
        return len(self._value)

    @property
    def waiting(self) -> int:
        """Labels beyond the first document without one: they count when the gap is closed."""
        return len(self._grades) - len(self._value)

    def next(self, n: int = 1) -> list[tuple[str, str]]:
        """The next `n` documents to label, as (topic, document), in the committed order."""
        out: list[tuple[str, str]] = []
        for t in range(len(self._value), len(self._documents)):
            if len(out) == n:
                break
            if t not in self._grades:
                out.append(self._documents[t])
        return out

    @property
    def order(self) -> pl.DataFrame:
        """The committed order: topic, doc, grade (empty), draw, rate, next_key, and assessor where one was drawn."""
        return self._order.to_frame(self.layout)

    @property
    def table(self) -> pl.DataFrame:
        """labels, a, b, estimate, low, high, decided: every look of one pair; of several, every tenth and deciding."""
        return table_of(self._rows(), self._names())

    def looks(self, number: int = 0) -> list[dict[str, float]]:
        """labels, estimate, low, high of one of the numbers that are followed, in the order of `verdict.each`."""
        one = self._follower
        if not 0 <= number < len(self.asked.contrasts) or not self._value:
            return []
        looks = one.looks(number) if isinstance(one, Several) else one.looks
        return [{"labels": x.labels, "estimate": x.estimate, "low": x.low, "high": x.high} for x in looks]

    @property
    def decided_at(self) -> int | None:
        """The labels after which what was asked was decided; None while it is open."""
        one = self._follower
        return one.decided_at if isinstance(one, Track) else one.all_decided_at()

    @property
    def verdict(self) -> Verdict | Verdicts:
        """What may be said after the labels so far."""
        one = self._follower
        return one.verdict() if isinstance(one, Track) else Verdicts(one.verdicts())

    @property
    def forecast(self) -> int | None:
        """Labels in all after which it is expected to be decided; None where no number of labels will decide it."""
        return self._follower.forecast()

    @property
    def forecast_if_half(self) -> int | None:
        """The same if the difference is half as large as it looks now."""
        return self._follower.forecast(0.5)

    def _rows(self) -> list[PairRow]:
        one = self._follower
        if isinstance(one, Several):
            return one.rows()
        at = one.decided_at
        return [PairRow(0, look, at is not None and look.labels >= at) for look in one.looks]

    def closing(self, a: str | None = None, b: str | None = None, *, stopped: bool = True) -> Closing:
        """The ordinary estimate of a − b (of a alone without b) after the labels so far.

        `stopped=True`: the labels decided when to stop, so m_t takes the place of the normal quantile; False: the
        number of labels was fixed before the first one.
        """
        names = self._names()
        wanted = names[0] if a is None else (a, b)
        if wanted not in names:
            raise InputError(
                f"{wanted[0]} and {wanted[1]} are not among what is followed.",
                f"Followed are {', '.join(x if y is None else f'{x} and {y}' for x, y in names[:5])}.",
            )
        if not self._value or np.isnan(self._order.threshold(len(self._value))):
            raise InputError(
                "there is no closing look without a label, or without the column next_key of the order.",
                "Label at least one document, and keep all columns of the order in the file.",
            )
        asked, k = self.asked, names.index(wanted)
        track = self._track(asked.alpha / (len(names) * asked.parts), k)
        value = np.array(self._value)
        pi = self._order.inclusion(len(value))
        multiplier = track.peek(value).multiplier if stopped else quantile(asked.level)
        c, unknown = track.walk.c[: len(value)], np.isnan(value)
        ends = []
        for worst in (c < 0, c > 0):  # documents that no assessor could judge, at the lower and at the upper end
            filled = np.where(unknown, worst.astype(np.float64), value)
            estimate, se = fixed_look(track.walk, filled, pi)
            ends.append((estimate + track.base, max(se, model_se(track.walk, filled, pi))))
        return closing(ends[0], ends[1], len(value), multiplier)

    def result(self) -> SequentialResult:
        """All of it as one value."""
        rows, names = self._rows(), self._names()
        last = None
        if len(names) == 1 and self._value and not np.isnan(self._order.threshold(len(self._value))):
            last = self.closing()
        return SequentialResult(
            table_of(rows, names), self.decided_at, self.verdict, self.forecast,
            self.forecast_if_half, str(self.measure), self.asked.level,
            self.labels, details_of(rows, names), last, tuple(self.notes()),
        )  # fmt: skip

    def notes(self) -> list[str]:
        """What was done to the labels, and on what the set rests."""
        out = []
        if self.waiting:
            topic, doc = self.next()[0]
            out.append(f"{self.waiting:,} labels wait for topic {topic}, document {doc} (draw {self.labels + 1:,}).")
        unknown = int(np.isnan(np.array(self._value)).sum()) if self._value else 0
        if unknown:
            out.append(f"{unknown:,} documents that no assessor could judge are counted at both ends of the scale.")
        one = self._follower
        if isinstance(one, Track) and one.exact.empty_at is not None:
            out.append(
                f"the betting set is empty since label {one.exact.empty_at:,}, which has a probability of at most "
                f"{one.alpha:.3g}: the interval is what is certain. Were the labels given without regard to it?"
            )
        if self.asked.target == "population":
            out.append("the set of these topics and the spread of topics are added, each with half of the error.")
        return out


def _given_order(order: object) -> DrawnOrder | None:
    if order is None or isinstance(order, DrawnOrder):
        return order

    read = drawn_order(as_polars(order), "the order")
    if read is None:
        raise InputError(
            "the order has no columns draw and rate.", "Give the sample of ds.plan(…, order=True), or Sequential.order."
        )
    return read


def _below_zero(grade: str | None) -> bool:
    return grade is not None and grade.startswith("-") and grade[1:].isdigit()


def _same(old: object, new: object) -> bool:
    return (old is None and new is None) or (old is not None and new is not None and str(old) == str(new))
