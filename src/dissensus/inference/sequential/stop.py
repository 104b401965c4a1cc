"""When it is decided: the ruling set of one contrast, look by look, and what may be said of it.

The asymptotic set rules where it may (`asymptotic`), at every other look the betting set does. A sign is decided when
the ruling set lies on one side of 0, equivalence when it lies within ±margin, a single score when it is not wider than
±margin. Equivalence asked for alone needs no set: up(−margin) ≥ 1/α and down(margin) ≥ 1/α, each at some look.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dissensus.arrays import Floats
from dissensus.inference.comparison.claims import Claim, minus
from dissensus.inference.sequential.asymptotic import Asymptotic, asymptotic, labels_needed
from dissensus.inference.sequential.wealth import ExactSet, LabelSequence, Steps, log_wealth_of, predictions
from dissensus.wording import counted

Kind = Literal["asymptotic", "exact"]
Question = Literal["difference", "equivalence", "both", "score"]
State = Literal["better", "equivalent", "tied", "precise", "open"]
EVEN = 0.5  # the error of the set that must exclude 0 before anything is said to lean
TIE = 1e-12  # of Σ|c|: what rounding may leave of a difference of 0


@dataclass(frozen=True)
class Verdict:
    """What may be said of one pair (or one score): `state`, and where it is "better" the `winner` and `loser`.

    `labels` are those after which it was decided, or, while it is open, those seen so far; `leaning` is then the system
    that is ahead where even a 50% set (valid at every look, too) excludes 0.
    """

    state: State
    a: str
    b: str | None
    labels: int
    low: float
    high: float
    level: float
    winner: str | None = None
    loser: str | None = None
    leaning: str | None = None
    margin: float | None = None
    estimate: float = math.nan  # of a − b, at the look that decided
    where: str = ""  # the topics that it is about

    @property
    def claim(self) -> Claim:
        """What is claimed of a pair: better, within ± margin, or undecided."""
        assert self.b is not None
        values = {"difference": self.estimate, "low": self.low, "high": self.high}
        if math.isnan(self.estimate):
            values = {}
        if self.state == "better":
            winner, loser = str(self.winner), str(self.loser)
            if values and winner == self.b:
                values = {"difference": -self.estimate, "low": -self.high, "high": -self.low}
            return Claim("better", (winner,), (loser,), values=values, where=self.where)
        if self.state == "equivalent":
            values["margin"] = math.nan if self.margin is None else self.margin
            return Claim("within", (self.a,), (self.b,), values=values, where=self.where)
        return Claim("undecided", (self.a,), (self.b,), values=values, where=self.where)

    def __str__(self) -> str:
        after, valid = f"after {counted(self.labels, 'label')}", f"valid at every look at {self.level:.0%}"
        if self.b is None:
            known = "is known to within" if self.state == "precise" else "is not yet known to within"
            ends = "" if math.isnan(self.low) else f" [{minus(f'{self.low:.3f}')}, {minus(f'{self.high:.3f}')}]"
            near = "" if self.margin is None else f" {self.margin:g}"
            return f"{self.a} {known}{near} {after}:{ends}, {valid}."
        if self.state == "tied":
            return f"{self.a} and {self.b} score the same: all {self.labels:,} documents are labelled."
        text = str(self.claim).rstrip(".")
        if self.state != "open":
            return f"{text}. Decided {after}, {valid}."
        lean = f" It leans to {self.leaning}." if self.leaning else ""
        return f"{text}. Not decided {after}, {valid}.{lean}"


@dataclass(frozen=True)
class Look:
    """One look at one contrast: the estimate, the ruling set, which set ruled, and m_t."""

    labels: int
    estimate: float
    low: float
    high: float
    rule: Kind
    multiplier: float
    effective: float
    topics: float  # what new topics add to either side
    assessors: float  # what the choice of assessors adds to either side


class Track:
    """One contrast followed along the order.

    `alpha` is the share of the error that the audit's own set gets; `extra(t)` gives what new topics and assessors add
    to either side after t labels.
    """

    def __init__(
        self,
        walk: LabelSequence,
        names: tuple[str, str | None],
        *,
        alpha: float,
        level: float,
        kind: Kind = "asymptotic",
        question: Question = "difference",
        margin: float | None = None,
        base: float = 0.0,
        extra: Callable[[int], tuple[float, float]] = lambda t: (0.0, 0.0),
        where: str = "",
    ) -> None:
        self.where = where
        self.walk, self.names, self.alpha, self.level = walk, names, alpha, level
        self.kind, self.question, self.margin, self.base, self.extra = kind, question, margin, base, extra
        self.looks: list[Look] = []
        self.state: State = "open"
        self.decided_at: int | None = None
        self.winner: int | None = None  # 0: a, 1: b
        self.exact = ExactSet(alpha)
        self.value: Floats = np.empty(0)
        self.steps: Steps = walk.steps(self.value)
        self._near = TIE * float(np.abs(walk.c).sum())
        self._lean: tuple[int, int] = (-1, 0)  # labels, and which side of 0 the 50% set lies on then
        self._above = self._below = -math.inf  # running maxima of ln up(−margin), ln down(margin)

    def advance(self, value: Floats, every: int = 1) -> None:
        """Look at the labels that came since the last look, at every `every`-th; `value` holds the whole prefix."""
        start = self.looks[-1].labels if self.looks else 0
        if len(value) // every * every <= start:
            self.value = value
            return
        self.value, self.steps = value, self.walk.steps(value)
        wide = asymptotic(self.steps, self.alpha)
        for t in range((start // every + 1) * every, len(value) + 1, every):
            here = self.steps.head(t)
            self.looks.append(self._look(here, wide, t, *self.exact.look(here)))
            if self.state == "open":
                self._decide(here, t)

    def peek(self, value: Floats) -> Look:
        """A look at a prefix that changes nothing for later looks."""
        steps = self.walk.steps(value)
        return self._look(steps, asymptotic(steps, self.alpha), len(value), *self.exact.peek(steps))

    def _look(self, here: Steps, wide: Asymptotic, t: int, low: float, high: float) -> Look:
        rule: Kind = "exact"
        if self.kind == "asymptotic" and wide.rules[t - 1]:
            rule = "asymptotic"
            low = max(float(wide.centre_low[t - 1] - wide.half[t - 1]), float(here.floor[-1]))
            high = min(float(wide.centre_high[t - 1] + wide.half[t - 1]), float(here.ceiling[-1]))
            if low > high:  # the set lies outside what is possible: all that is certain is what is possible
                low, high = float(here.floor[-1]), float(here.ceiling[-1])
        topics, assessors = self.extra(t)
        more = topics + assessors
        return Look(
            t, float(wide.estimate[t - 1]) + self.base, low - more + self.base, high + more + self.base, rule,
            float(wide.multiplier[t - 1]), float(wide.effective[t - 1]), topics, assessors,
        )  # fmt: skip

    # ── deciding ──
    def _decide(self, here: Steps, t: int) -> None:
        look, near, done = self.looks[-1], self._near, False
        if self.question == "score":
            done = self.margin is not None and look.high - look.low <= 2 * self.margin
            self.state = "precise" if done else "open"
        elif self.question == "equivalence":
            done = self._equivalent(here)
            self.state = "equivalent" if done else "open"
        elif look.low > near or look.high < -near:
            self.winner, self.state, done = (0 if look.low > near else 1), "better", True
        elif self.margin is not None and look.low > -self.margin and look.high < self.margin:
            self.state, done = "equivalent", True
        elif t == len(self.walk.c) and look.topics == look.assessors == 0 and bool(here.sure[-1]):
            self.state, done = "tied", True
        self.decided_at = t if done else None

    def _equivalent(self, here: Steps) -> bool:
        """Both one-sided nulls, Δ ≤ −margin and Δ ≥ margin, refuted at some look."""
        assert self.margin is not None
        look, m = self.looks[-1], self.margin
        floor, ceiling = float(here.floor[-1]) + self.base, float(here.ceiling[-1]) + self.base
        more = look.topics + look.assessors
        # what is impossible is refuted, and there the bets are not defined
        self._above = math.inf if floor - more > -m else max(self._above, self._bet(here, more - m - self.base, 0))
        self._below = math.inf if ceiling + more < m else max(self._below, self._bet(here, m - more - self.base, 1))
        limit = -math.log(self.alpha)
        return self._above >= limit and self._below >= limit

    @staticmethod
    def _bet(here: Steps, m: float, side: int) -> float:
        if not float(here.low.max()) < m < float(here.high.min()):
            return -math.inf
        return log_wealth_of(here, m)[side]

    # ── saying ──
    def verdict(self) -> Verdict:
        """What may be said after the labels seen so far; a decision stays."""
        a, b = self.names
        if not self.looks:
            floor, ceiling = float(self.walk.down[0]) + self.base, float(self.walk.up[0]) + self.base
            return Verdict("open", a, b, 0, floor, ceiling, self.level, margin=self.margin, where=self.where)
        at = self.decided_at or self.looks[-1].labels
        look = next(x for x in self.looks if x.labels == at)
        winner = None if self.winner is None else (a, b)[self.winner]
        loser = None if self.winner is None else (b, a)[self.winner]
        leaning = self.leaning() if self.state == "open" else None
        return Verdict(
            self.state, a, b, look.labels, look.low, look.high, self.level, winner, loser, leaning, self.margin,
            look.estimate, self.where,
        )  # fmt: skip

    def leaning(self) -> str | None:
        """The system on whose side of 0 the 50% set of the labels so far lies."""
        a, b = self.names
        if b is None or not len(self.value):
            return None
        if self._lean[0] != len(self.value):
            here = self.walk.steps(self.value)
            look = self._look(here, asymptotic(here, EVEN), len(self.value), *ExactSet(EVEN).look(here))
            side = 1 if look.low > self._near else -1 if look.high < -self._near else 0
            self._lean = (len(self.value), side)
        return {1: a, -1: b}.get(self._lean[1])

    def forecast(self, part: float = 1.0) -> int | None:
        """Labels in all after which it is likely to be decided: the whole order if no sooner; None if new topics or
        assessors alone leave it open. `part`: if the difference is this part of what it looks like now."""
        if self.decided_at is not None:
            return self.decided_at
        t = len(self.value)
        estimate = self.looks[-1].estimate if self.looks else self.walk.estimate_without_labels() + self.base
        f = predictions(self.value, self.walk.label[:t], self.walk.prior)[-1]
        share = self.walk.rate[t:] / max(float(self.walk.rate[t:].sum()), 1e-300)
        own = f[self.walk.label[t:]]
        model = float((share * (self.walk.c[t:] / self.walk.rate[t:]) ** 2 * own * (1 - own)).sum())
        e = self.steps.error
        shown = float(e.var()) if len(e) >= 10 else 0.0
        last = self.looks[-1] if self.looks else None
        more = last.topics + last.assessors if last else 0.0
        gap = self._target(estimate * part if self.question != "score" else estimate) - more
        if more > 0 and gap <= 0:
            return None
        half = 0.0
        if last is not None:  # the side that must give way for a decision
            half = (last.high - last.estimate if estimate < 0 else last.estimate - last.low) - more
        return labels_needed(self.walk.left, max(model, shown), gap, self.alpha, t, half)

    def _target(self, estimate: float) -> float:
        """How small the half width must become."""
        if self.question == "score":
            return self.margin if self.margin is not None else 0.0
        inside = 0.0 if self.margin is None else max(self.margin - abs(estimate), 0.0)
        return inside if self.question == "equivalence" else max(abs(estimate), inside)
