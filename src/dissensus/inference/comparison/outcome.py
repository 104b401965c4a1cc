"""What is concluded about systems: one value, computed once by one function, and shown by every window.

Estimates, differences, order, best set, claims, a recommendation, and what the judge is worth, for one measure under
one judge. The rules are few:

- *The* score of a system is pooled where that is offered, else corrected, else naive. It orders every table and chart.
- Differences are of corrected scores (naive ones without an audit), and their intervals hold together. Rank sets,
  letters and the best set B come from these alone. B holds the true best as surely as the intervals hold together.
- A pair that no audited document tells apart is undecided. Its systems keep their places and ranks.
- Where a shown difference contradicts the pooled order, or the audit contradicts a pooled score (|t| > 2), the
  systems take their corrected numbers. There is no "probably" about them.

    >>> from dissensus.inference.comparison.difference import Difference
    >>> def pair(a, b, gap, p):
    ...     return Difference(a, b, "AP", gap, 0.01, (gap - 0.03, gap + 0.03), p, 0.95, "t", "max-t", 3)
    >>> pairs = [pair("A", "B", 0.01, 0.9), pair("A", "C", 0.09, 0.001), pair("B", "C", 0.08, 0.002)]
    >>> scores = {"naive": {"A": (0.5, 0.4, 0.6), "B": (0.49, 0.4, 0.6), "C": (0.41, 0.3, 0.5)}}
    >>> found = conclude(Evidence("AP", "nist", tuple("ABC"), tuple(pairs), scores, topics=30))
    >>> found.headline.kind, found.order, found.best
    ('few', ('A', 'B', 'C'), ('A', 'B'))
    >>> print(found.claims[0])  # doctest: +ELLIPSIS
    If nist's labels are right: A or B is the best for topics like these. The other one is worse than at least one ...
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl

from dissensus.inference.comparison.brief import Card, cards, limits
from dissensus.inference.comparison.by_group import ByGroup
from dissensus.inference.comparison.claims import Claim, names
from dissensus.inference.comparison.decision import Decision, decide
from dissensus.inference.comparison.difference import Difference, Standing
from dissensus.inference.comparison.evidence_value import Evidence, Interval, JudgeSentences, Kind
from dissensus.inference.comparison.headline import headline, judge_alone, same_conclusion
from dissensus.inference.comparison.ranks import bounds
from dissensus.inference.comparison.the_scores import KINDS, order_by, score_kinds

SCHEMA = 1  # of the object `outcome` in JSON
SILENT = ("alone", "no-answer")  # headlines with nothing below them
NAMED = 3  # systems of another best set that are named


@dataclass(frozen=True, eq=False)
class Outcome:
    """The conclusion about systems by one measure under one judge.

    `order` is by *the* scores, best first; `best` are the systems that could be the best; `kinds` which score each
    system has. `pairs` and `pooled` are the differences behind it. `decision` is None where none can be made.
    """

    measure: str
    judge: str
    target: str
    topics: int
    audited: bool
    order: tuple[str, ...]
    best: tuple[str, ...]
    headline: Claim
    alone: Claim | None
    probable: tuple[Claim, ...]
    identical: tuple[tuple[str, ...], ...]
    kinds: Mapping[str, Kind]
    evidence: Evidence = field(repr=False)
    groups: tuple[tuple[str, ...], ...] = ()
    by: ByGroup | None = None  # the same within groups of topics, where some were named
    also: Callable[[], Sequence[Outcome]] = field(default=lambda: (), repr=False)  # by other measures, other judges

    # ── numbers ──
    @property
    def pairs(self) -> tuple[Difference, ...]:
        """The differences of all pairs, with intervals that hold together."""
        return self.evidence.pairs

    @property
    def where(self) -> str:
        """The target in words."""
        return self.evidence.where

    @property
    def kind(self) -> str:
        """Which score is *the* score: pooled, corrected, naive, or "behind": differences only."""
        if not self.evidence.level_known:
            return "behind"
        return next((k for k in KINDS if k in self.kinds.values()), "naive")

    @cached_property
    def scores(self) -> dict[str, Interval]:
        """*The* score of every system with its interval; empty where only differences are known."""
        if not self.evidence.level_known:
            return {}
        return {s: self.evidence.scores.get(k, {}).get(s, (math.nan,) * 3) for s, k in self.kinds.items()}

    @cached_property
    def ranks(self) -> pl.DataFrame:
        """system, score, rank, low, high: the place in the order, and the ranks that the differences leave open."""
        found = self._standing
        low, high = bounds(found.beats)
        place = {s: i for i, s in enumerate(found.systems)}
        rows = []
        for i, s in enumerate(self.order, start=1):
            j = place.get(s)
            ends = (1, len(self.order)) if j is None else (int(low[j]), int(high[j]))
            score = self.scores.get(s, (math.nan,))[0]
            rows.append((s, None if math.isnan(score) else score, i, *ends))
        schema = {"system": pl.String, "score": pl.Float64, "rank": pl.Int64, "low": pl.Int64, "high": pl.Int64}
        frame = pl.DataFrame(rows, schema=schema, orient="row")
        first = {s: min(self.order.index(t) for t in c) + 1 for c in self.identical for s in c}
        return frame.with_columns(
            pl.struct("system", "rank")
            .map_elements(lambda r: first.get(r["system"], r["rank"]), pl.Int64)
            .alias("rank")
        )

    @cached_property
    def _standing(self) -> Standing:
        return self.evidence.standing.ordered(self.order)

    @cached_property
    def decision(self) -> Decision | None:
        """What to take, with its chance and its expected loss; None where nothing can be drawn or all are alike."""
        e = self.evidence
        alike = len(self.identical) == 1 and len(self.identical[0]) == len(self.order)
        if e.negligible is None or len(self.order) < 2 or alike:
            return None
        belief = e.belief(self.kinds)
        if belief is None or not belief.known:
            return None
        return decide(
            e.systems, belief, e.negligible, candidates=self.best, in_use=e.in_use, copies=self.identical, seed=e.seed
        )

    @cached_property
    def judge_facts(self) -> JudgeSentences | None:
        """What the audit says of the judge; None without one."""
        return self.evidence.facts() if self.audited else None

    @cached_property
    def elsewhere(self) -> Outcome | None:
        """The outcome for the other target; None where it cannot be had."""
        return self.evidence.elsewhere()

    # ── words ──
    @property
    def ruled_out(self) -> tuple[str, ...]:
        """Systems that are worse than another one."""
        return tuple(s for s in self.order if s not in self.best)

    @cached_property
    def recommendation(self) -> Claim | None:
        """What to take now, as a claim."""
        d = self.decision
        if d is None:
            return None
        _, within, loss = d.of(d.choice)
        values = {"within": within, "loss": loss, "negligible": d.negligible, "best": d.of(d.choice)[0]}
        if self.kinds[d.choice] == "pooled" and self._favoured(d.choice):
            values["favoured"] = 1.0
        rest: tuple[str, ...] = ()
        first = self.alone.systems[0] if self.alone is not None else d.choice
        if first != d.choice:
            rest, values["favourite_loss"] = (first,), d.of(first)[2]
        premise = self.headline.premise
        if d.kept is not None:
            better = tuple(s for s in (d.recommended,) if s != d.kept)
            values["gain"] = max(loss - d.of(d.recommended)[2], 0.0)
            return Claim("keep", (d.kept,), better, self.measure, values, rest, premise=premise)
        others = () if d.elsewhere is None or d.choice != d.recommended else (d.elsewhere,)
        of_scores = self.evidence.of_scores
        return Claim("take", (d.choice,), others, self.measure, values, rest, premise=premise, of_scores=of_scores)

    def _favoured(self, system: str) -> bool:
        """Does the audit show that the judge is too generous to this system's documents?"""
        facts = {} if self.judge_facts is None else self.judge_facts.to_dict()
        return any(system in f["systems"] and f["size"] > 0 for f in facts.get("favourites") or ())

    @cached_property
    def other_target(self) -> Claim | None:
        """The headline for the other target, or that it is the same."""
        other = self.elsewhere
        if other is None:
            return None
        if same_conclusion(self.headline, other.headline):
            return Claim("same-elsewhere", other.headline.systems, measure=self.measure, where=other.where)
        return other.headline

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The conclusion in a few claims: headline, the judge alone, what to take, what is probable, other targets."""
        same = tuple(Claim("identical", c, measure=self.measure) for c in self.identical)
        if self.headline.kind == "identical":
            return (self.headline,)
        if self.headline.kind in SILENT:
            return (self.headline, *same)
        some = (self.headline, self.alone, self.recommendation, *self.probable, *same, self.other_target)
        return tuple(c for c in some if c is not None)

    @property
    def outlook(self) -> str:
        """What as many labels, or topics, again would do to the expected loss of the choice; empty where unknown."""
        d = self.decision
        if d is None or self.headline.kind in SILENT:
            return ""
        loss = d.of(d.choice)[2]
        later = {"labels": d.after_labels, "topics": d.after_topics}
        new = {what: f"{x:.3f}" for what, x in later.items() if math.isfinite(x)}
        if set(new.values()) <= {f"{loss:.3f}"}:
            return ""
        said = " and ".join(f"{x} with as many {what} again" for what, x in new.items())
        return f"The expected loss of the choice is {loss:.3f} now, {said}."

    @property
    def remarks(self) -> tuple[str, ...]:
        """What stands below the claims: the judge, other measures and judges, groups of topics, what more brings."""
        j = self.judge_facts
        return tuple(filter(None, (
            *((j.agreement, j.favour) if j is not None else ()), self.differs,
            *(() if self.by is None else self.by.lines), self.outlook,
        )))  # fmt: skip

    @property
    def cards(self) -> tuple[Card, Card, Card]:
        """Decision, trust in the judge and how often it is right, each in a few words."""
        return cards(self)

    @property
    def limits(self) -> tuple[str, ...]:
        """What cannot be said from these data."""
        return limits(self)

    @cached_property
    def differs(self) -> str:
        """For which other measures or judges the best set would differ; empty where there are none."""
        others = list(self.also())
        by_measure = [o for o in others if o.measure != self.measure]
        by_judge = [o for o in others if o.measure == self.measure]
        return " ".join(filter(None, (_by_measures(by_measure, self), _by_judges(by_judge, self))))

    def claim_of(self, a: str, b: str) -> Claim:
        """What is claimed of one pair; a pair that only the pooled model tells apart is probable."""
        found = next(d for d in self.pairs if {d.a, d.b} == {a, b})
        if found.claim.kind in ("undecided", "unanswered"):
            more = next((c for c in self.probable_pairs if set(c.systems + c.others) == {a, b}), None)
            if more is not None:
                return more
        return found.claim

    @cached_property
    def probable_pairs(self) -> tuple[Claim, ...]:
        """Pairs that the pooled model tells apart, and corrected differences do not."""
        return _probable_pairs(self.evidence, self.kinds, self._standing)

    def to_dict(self) -> dict[str, object]:
        """The outcome for JSON."""
        d, j = self.decision, self.judge_facts
        pairs = [self.claim_of(p.a, p.b).to_dict() for p in self.pairs]
        return {
            "schema": SCHEMA, "measure": self.measure, "judge": self.judge, "target": self.target,
            "topics": self.topics, "audited": self.audited, "headline": str(self.headline),
            "order": list(self.order), "best": list(self.best), "ruled_out": list(self.ruled_out),
            "score": self.kind, "scores": self._score_rows(), "ranks": self.ranks.to_dicts(),
            "identical": [list(c) for c in self.identical], "groups": [list(g) for g in self.groups],
            "claims": [c.to_dict() for c in self.claims], "pairs": pairs,
            "decision": None if d is None else _decided(d),
            "outlook": self.outlook,
            "judge_facts": None if j is None else j.to_dict(),
            "differs": self.differs,
            "by": None if self.by is None else self.by.to_dict(),
        }  # fmt: skip

    def _score_rows(self) -> list[dict[str, object]]:
        rows = []
        for s in self.order:
            row: dict[str, object] = {"system": s, "kind": self.kinds[s]}
            for kind, known in self.evidence.scores.items():
                if kind == "naive" or self.evidence.level_known:
                    row[kind], row[f"{kind}_low"], row[f"{kind}_high"] = known.get(s, (math.nan,) * 3)
            rows.append(row)
        return rows


def _by_measures(others: Sequence[Outcome], own: Outcome) -> str:
    """For which other measures the best set differs."""
    silent = [o.measure for o in others if o.headline.kind == "no-answer"]
    heard = [o for o in others if o.headline.kind != "no-answer"]
    if own.headline.kind == "no-answer":  # it has no best set that another could differ from
        return " ".join(
            f"By {o.measure}, {_best(o)} {'is' if len(o.best) == 1 else 'could be'} the best." for o in heard
        )
    other = [o for o in heard if set(o.best) != set(own.best)]
    same = [o.measure for o in heard if o not in other]
    said = []
    if other:
        said.append(f"The best set differs for {names([f'{o.measure} ({_best(o)})' for o in other])}.")
    if same:
        said.append(f"The best set is the same for {names(same)}.")
    if silent:
        said.append(f"There is no answer for {names(silent)}.")
    return " ".join(said)


def _by_judges(others: Sequence[Outcome], own: Outcome) -> str:
    """Whose labels would give another best set."""
    heard = [o for o in others if o.headline.kind != "no-answer"]
    silent = own.headline.kind == "no-answer"
    other = [o for o in heard if silent or set(o.best) != set(own.best)]
    same = [o.judge for o in heard if o not in other]
    said = [
        f"Using {o.judge}'s labels instead, {_best(o)} {'is' if len(o.best) == 1 else 'could be'} the best."
        for o in other
    ]
    if same:
        said.append(f"The best set is the same using {names(same, 'or')}'s labels.")
    return " ".join(said)


def _best(found: Outcome) -> str:
    """A best set in a few words."""
    if len(found.best) <= NAMED:
        return names(found.best, "or")
    return f"{len(found.best):,} of {len(found.order):,} systems"


def _decided(d: Decision) -> dict[str, object]:
    """A decision for JSON."""
    return {
        "systems": {s: {"best": b, "within": w, "loss": x}
                    for s, b, w, x in zip(d.systems, d.best, d.within, d.loss, strict=True)},
        "negligible": d.negligible, "recommended": d.recommended, "elsewhere": d.elsewhere, "kept": d.kept,
        "choice": d.choice, "after_labels": d.after_labels, "after_topics": d.after_topics,
    }  # fmt: skip


# ── the one function ─────────────────────────────────────────────────────────────────────────────────────────────────
def conclude(evidence: Evidence) -> Outcome:
    """The outcome that some evidence bears."""
    standing = evidence.standing
    kinds = score_kinds(evidence, standing)
    order = order_by(evidence, kinds, standing)
    standing = standing.ordered(order)
    same = tuple(standing.named(c) for c in standing.identical())
    best = best_set(standing, order)
    premise = "" if evidence.audited else evidence.judge
    head = headline(
        standing, order, best, same, evidence.pairs, measure=evidence.measure, where=evidence.where, premise=premise,
        of_scores=evidence.of_scores, pooled="pooled" in kinds.values(),
    )  # fmt: skip
    naive = {s: v[0] for s, v in evidence.scores.get("naive", {}).items()}
    alone = None
    if evidence.audited and len(order) > 1:
        alone = judge_alone(standing, naive, evidence.higher_is_better, of_scores=evidence.of_scores)
    groups = tuple(standing.named(g) for g in standing.groups())
    made = Outcome(
        evidence.measure, evidence.judge, evidence.target, evidence.topics, evidence.audited, order, best, head, alone,
        (), same, kinds, evidence, groups,
    )  # fmt: skip
    return replace(made, probable=_probably_ahead(made))


def with_base(found: Outcome, in_use: str) -> Outcome:
    """The same where one of the systems is in use."""
    return replace(found, evidence=replace(found.evidence, in_use=in_use))


def best_set(standing: Standing, order: Sequence[str]) -> tuple[str, ...]:
    """B: the systems whose rank set holds 1, in the order; everybody where the differences contradict each other."""
    worse = {standing.systems[i] for i in np.flatnonzero(standing.beats.any(axis=0)).tolist()}
    found = tuple(s for s in order if s not in worse)
    return found or tuple(order)


def _probable_pairs(evidence: Evidence, kinds: Mapping[str, Kind], standing: Standing) -> tuple[Claim, ...]:
    place = {s: i for i, s in enumerate(standing.systems)}
    out = []
    for d in evidence.pooled:
        if not d.significant or "corrected" in (kinds[d.a], kinds[d.b]):
            continue
        i, j = place[d.a], place[d.b]
        if not (standing.beats[i, j] or standing.beats[j, i] or standing.equal[i, j]):
            out.append(d.claim)
    return tuple(out)


def _probably_ahead(found: Outcome) -> tuple[Claim, ...]:
    """Whom the first in the order is probably better than, by the pooled model."""
    if not found.evidence.pooled or len(found.best) < 2:
        return ()
    first = next((c for c in found.identical if found.order[0] in c), (found.order[0],))
    ahead = {c.others[0] for c in found.probable_pairs if c.systems[0] == found.order[0]}
    beyond = tuple(s for s in found.order if s in ahead and s not in first)
    if not beyond:
        return ()
    return (Claim("probably-ahead", first, beyond, found.measure, where=found.where),)
