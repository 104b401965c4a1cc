"""What a comparison claims, as values; sentences are made here, from the values, and nowhere else.

    >>> values = {"difference": 0.031, "low": 0.008, "high": 0.054, "p_value": 0.004}
    >>> print(Claim("better", ("B",), ("A",), "AP", values))
    B beats A by 0.031 [0.008, 0.054], p = 0.004

Every kind follows from tested differences, never from a sort of estimates:

    about a pair    better (one side of zero, and p agrees), likely (the same by a pooled model), differ (not zero,
                    but the sign is open), undecided, equal (the same score on every topic), unanswered
    about systems   alone, best, ahead, open, unbeaten, likely-ahead, together, identical, no-answer
    about labels    refuted, confirmed, unsettled: whether the audit bears out who is first by the labels as they are
    about a base    above, below, unclear: the systems shown to be better than a baseline, worse, neither
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dissensus.stats.intervals import p_text, unrounded

Kind = Literal[
    "better", "likely", "differ", "undecided", "equal", "unanswered",
    "alone", "best", "ahead", "open", "unbeaten", "likely-ahead", "together", "identical", "no-answer",
    "refuted", "confirmed", "unsettled",
    "above", "below", "unclear",
]  # fmt: skip
NAMED = 8  # systems named in a sentence


@dataclass(frozen=True)
class Claim:
    """`systems` is who the claim is about (the better side of a pair), `others` against whom, `rest` who stays open."""

    kind: Kind
    systems: tuple[str, ...]
    others: tuple[str, ...] = ()
    measure: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    rest: tuple[str, ...] = ()
    remark: str = ""
    of_scores: bool = False  # about a table of scores and a gold judge's, instead of labels and an audit

    def __str__(self) -> str:
        return _SENTENCES[self.kind].format(c=_Words(self))

    def to_dict(self) -> dict[str, object]:
        """The claim for JSON: its sentence beside its values; what is empty is left out."""
        parts = {
            "systems": list(self.systems),
            "others": list(self.others),
            "rest": list(self.rest),
            "measure": self.measure,
            "values": {k: v if math.isfinite(v) else None for k, v in self.values.items()},
        }
        return {"kind": self.kind, **{k: v for k, v in parts.items() if v}, "sentence": str(self)}


def names(systems: Sequence[str]) -> str:
    """Names in a sentence; of many the first five.

    >>> names(["a"]), names(["a", "b", "c"]), names([f"s{i}" for i in range(12)])
    ('a', 'a, b and c', 's0, s1, s2, s3, s4 and 7 more')
    """
    if len(systems) > NAMED:
        return f"{', '.join(systems[:5])} and {len(systems) - 5:,} more"
    return systems[0] if len(systems) == 1 else f"{', '.join(systems[:-1])} and {systems[-1]}"


@dataclass(frozen=True)
class _Words:
    """The words of a claim; each is made when a sentence asks for it, from values that its kind has."""

    claim: Claim

    @property
    def first(self) -> str:
        return self.claim.systems[0]

    @property
    def other(self) -> str:
        return self.claim.others[0]

    @property
    def systems(self) -> str:
        return names(self.claim.systems)

    @property
    def others(self) -> str:
        return names(self.claim.others)

    @property
    def rest(self) -> str:
        return names(self.claim.rest)

    @property
    def everybody(self) -> str:
        n = len(self.claim.others)
        return "the other system" if n == 1 else f"all {n:,} other systems"

    @property
    def be(self) -> str:
        return "is" if len(self.claim.systems) == 1 else "are"

    @property
    def come(self) -> str:
        return "comes" if len(self.claim.systems) == 1 else "come"

    @property
    def others_were(self) -> str:
        return "was" if len(self.claim.others) == 1 else "were"

    @property
    def p(self) -> str:
        return f"p {p_text(self.claim.values['p_value'])}"

    @property
    def numbers(self) -> str:
        return self._numbers(".3f")

    @property
    def signed(self) -> str:
        return self._numbers("+.3f")

    @property
    def by(self) -> str:
        values = self.claim.values
        if math.isinf(values.get("low", 0.0)) or math.isinf(values.get("high", 0.0)):
            return f", by how much the data do not bound, {self.p}"
        return f" by {self.numbers}"

    def _numbers(self, form: str) -> str:
        """The difference, its interval where one belongs to it, p, and for how many comparisons they were adjusted."""
        v = self.claim.values
        size, family = format(v["difference"], form), int(v.get("family", 1))
        adjusted = f"adjusted for {family:,} comparisons"
        if math.isnan(v.get("low", math.nan)):
            return f"{size}, {self.p}" + (f", {adjusted}" if family > 1 else "")
        low, high = (unrounded(v[end], 0.0) for end in ("low", "high"))
        return f"{size} [{low}, {high}], {self.p}" + (f", both {adjusted}" if family > 1 else "")

    @property
    def remark(self) -> str:
        return f"; {self.claim.remark}" if self.claim.remark else ""

    @property
    def naive(self) -> str:
        what = "scores" if self.claim.of_scores else "labels"
        return f"By the judge's {what} as they are, {self.systems} would come first"

    @property
    def refuting(self) -> str:
        return self._gold("refutes", "refute")

    @property
    def confirming(self) -> str:
        return self._gold("confirms", "confirm")

    @property
    def lacking(self) -> str:
        return self._gold("is too small", "are too few")

    def _gold(self, audit: str, scores: str) -> str:
        """What the audit does to the claim, or the gold judge's scores do."""
        return f"the gold scores {scores}" if self.claim.of_scores else f"the audit {audit}"


_SENTENCES: dict[Kind, str] = {
    # pairs
    "better": "{c.first} beats {c.other}{c.by}",
    "likely": "{c.first} is likely better than {c.other} by {c.numbers}",
    "differ": "{c.first} and {c.other}: they differ ({c.p}), but the judge is too weak to tell in which direction",
    "undecided": "{c.first} and {c.other}: cannot tell ({c.signed}){c.remark}",
    "equal": "{c.first} and {c.other}: identical, the same score on every topic",
    "unanswered": "{c.first} and {c.other}: no answer{c.remark}",
    # all systems
    "alone": "There is one system, {c.first}: nothing to compare.",
    "best": "{c.systems} {c.be} better than {c.everybody}.",
    "ahead": "{c.systems} {c.come} first and {c.be} better than {c.others}, but cannot be told apart from {c.rest}.",
    "open": "{c.systems} {c.come} first, but no system was shown to be worse.",
    "likely-ahead": "Likely, by a model that pools the systems: {c.systems} {c.be} better than {c.others}.",
    "unbeaten": "No system was shown to be better than {c.systems}.",
    "together": "Cannot be told apart: {c.systems}.",
    "identical": "Identical, the same score on every topic: {c.systems}.",
    "no-answer": "No pair of systems could be compared{c.remark}.",
    # labels as they are, against the audit
    "refuted": "{c.naive}; {c.refuting} that: {c.others} {c.others_were} shown to be better.",
    "confirmed": "{c.naive}; {c.confirming} it.",
    "unsettled": "{c.naive}; {c.lacking} to say whether that is right.",
    # against a baseline
    "above": "Better than {c.other}: {c.systems}.",
    "below": "Worse than {c.other}: {c.systems}.",
    "unclear": "Cannot be told apart from {c.other}: {c.systems}.",
}
