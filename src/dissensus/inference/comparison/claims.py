"""What a comparison claims, as values; sentences are made here, from the values, and nowhere else.

    >>> values = {"difference": 0.031, "low": 0.008, "high": 0.054, "p_value": 0.004}
    >>> print(Claim("better", ("B",), ("A",), "AP", values))
    B is better than A by 0.031 [0.008, 0.054], p = 0.004
    >>> print(Claim("best", ("B",), ("A", "C", "D"), "AP", {"least": 0.02, "most": 0.31}, where="on these 9 topics"))
    B is the best of 4 on these 9 topics. It is better than all others (by 0.02 to 0.31).

Every kind follows from tested differences, never from a sort of estimates:

    about a pair     better (one side of zero, and p agrees), probably (the same by a pooled model), differ (not zero,
                     but the sign is open), undecided, within (smaller than a size that matters), equal (the same score
                     on every topic), unanswered
    the headline     best, few, many, no-winner, between, alone, identical, no-answer: see `headline`
    beyond it        probably-ahead (by a pooled model), same-elsewhere (for the other target)
    about the judge  refuted, confirmed, left-open: what the audit says of the system that the judge alone puts first
    about a base     above, below, unclear: the systems that are better than a baseline, worse, neither
    about a choice   take, keep: a recommendation by a model, not a test
    about groups     turned: a pair whose order is shown to differ between two groups of topics, which are in `rest`
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dissensus.io.options import UNNAMED
from dissensus.stats.intervals import p_text, unrounded

Kind = Literal[
    "better", "probably", "differ", "undecided", "within", "equal", "unanswered",
    "best", "few", "many", "no-winner", "between", "alone", "identical", "no-answer",
    "probably-ahead", "same-elsewhere",
    "refuted", "confirmed", "left-open",
    "above", "below", "unclear",
    "take", "keep", "turned",
]  # fmt: skip
NAMED = 8  # systems named in a sentence
STARTS = ("take", "keep", "no-winner", "many", "between", "undecided", "unanswered", "identical", "no-answer")
_FIRST_SENTENCE = re.compile(r"\.(?=\s|\{c\.(?:ruled_out|gain)\})|(?=\{c\.remark\}\.$)")
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True)
class Claim:
    """`systems` is who the claim is about (the better side of a pair), `others` against whom, `rest` who stays open.

    `where` names the topics that it holds for. `premise` is whose labels it takes as right: an audit needs none.
    """

    kind: Kind
    systems: tuple[str, ...]
    others: tuple[str, ...] = ()
    measure: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    rest: tuple[str, ...] = ()
    remark: str = ""
    of_scores: bool = False  # about a table of scores and a gold judge's, instead of labels and an audit
    where: str = ""
    premise: str = ""

    def __str__(self) -> str:
        return self._said(_SENTENCES[self.kind])

    def _said(self, template: str) -> str:
        what = "scores" if self.of_scores else "labels"
        text = template.format(c=_Words(self))
        text += "." if self.where and not text.endswith(".") else ""
        if not self.premise:
            return text
        own = f"{text[0].lower()}{text[1:]}" if self.kind in STARTS else text  # else it begins with a system's name
        whose = "the" if self.of_scores and self.premise == UNNAMED else f"{self.premise}'s"
        return f"If {whose} {what} are right: {own}"

    @property
    def lead(self) -> str:
        """Its first sentence, for a heading; the sentence of the claim begins with it."""
        first, *rest = _FIRST_SENTENCE.split(_SENTENCES[self.kind], maxsplit=1)
        return self._said(f"{first}.") if rest else str(self)

    def to_dict(self) -> dict[str, object]:
        """The claim for JSON: its sentence beside its values; what is empty is left out."""
        parts = {
            "systems": list(self.systems),
            "others": list(self.others),
            "rest": list(self.rest),
            "measure": self.measure,
            "values": {k: v if math.isfinite(v) else None for k, v in self.values.items()},
            "where": self.where,
            "premise": self.premise,
        }
        return {"kind": self.kind, **{k: v for k, v in parts.items() if v}, "sentence": str(self)}


def names(systems: Sequence[str], last: str = "and") -> str:
    """Names in a sentence; of many the first five.

    >>> names(["a"]), names(["a", "b", "c"]), names([f"s{i}" for i in range(12)])
    ('a', 'a, b and c', 's0, s1, s2, s3, s4 and 7 more')
    """
    if len(systems) > NAMED:
        return f"{', '.join(systems[:5])} and {len(systems) - 5:,} more"
    return systems[0] if len(systems) == 1 else f"{', '.join(systems[:-1])} {last} {systems[-1]}"


def where_of(target: str, topics: int) -> str:
    """The topics that a statement is about.

    >>> where_of("population", 54), where_of("these_topics", 54)
    ('for topics like these', 'on these 54 topics')
    """
    if target == "population":
        return "for topics like these"
    return "on this topic" if topics == 1 else f"on these {topics:,} topics"


def size_text(x: float) -> str:
    """A size in a sentence: two decimals, more where that would be 0.

    >>> size_text(0.283), size_text(0.0213), size_text(0.0013), size_text(0.0)
    ('0.28', '0.02', '0.001', '0')
    """
    if x == 0 or not math.isfinite(x):
        return "0" if x == 0 else "an unknown size"
    for decimals in (2, 3, 4):
        if abs(x) >= 0.95 * 10**-decimals:
            return f"{x:.{decimals}f}"
    return "less than 0.0001"


def minus(number: str) -> str:
    """A number in a sentence with a true minus.

    >>> minus("-0.25")
    '−0.25'
    """
    return number.replace("-", "−").replace("inf", "∞")


def chance_text(share: float) -> str:
    """A chance in a sentence; never 0% or 100%, which draws cannot show.

    >>> chance_text(0.934), chance_text(0.999), chance_text(0.0)
    ('93%', 'over 99%', 'under 1%')
    """
    if share > 0.99:
        return "over 99%"
    return "under 1%" if share < 0.01 else f"{share:.0%}"


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
    def choice(self) -> str:
        return names(self.claim.systems, "or")

    @property
    def others(self) -> str:
        return names(self.claim.others)

    @property
    def where(self) -> str:
        return f" {self.claim.where}" if self.claim.where else ""

    @property
    def at(self) -> str:
        return f", {self.claim.where}" if self.claim.where else ""

    @property
    def Where(self) -> str:
        return f"{self.claim.where[:1].upper()}{self.claim.where[1:]}"

    @property
    def be(self) -> str:
        return "is" if len(self.claim.systems) == 1 else "are"

    @property
    def others_are(self) -> str:
        return "is" if len(self.claim.others) == 1 else "are"

    # ── the headline ──
    @property
    def winners(self) -> str:
        one = len(self.claim.systems) == 1
        return f"{self.systems} is" if one else f"{self.systems}, which are identical, are"

    @property
    def n(self) -> str:
        return f"{len(self.claim.systems) + len(self.claim.others):,}"

    @property
    def they_are(self) -> str:
        return "It is" if len(self.claim.systems) == 1 else "They are"

    @property
    def all_others(self) -> str:
        return {1: "the other", 2: "both others"}.get(len(self.claim.others), "all others")

    @property
    def sizes(self) -> str:
        least, most = (self.claim.values.get(k, math.nan) for k in ("least", "most"))
        if math.isnan(least):
            return ""
        low, high = size_text(least), size_text(most)
        of = " in corrected scores" if self.claim.values.get("corrected") else ""
        return f" (by {low}{of})" if low == high else f" (by {low} to {high}{of})"

    @property
    def the_rest(self) -> str:
        n = len(self.claim.others)
        if n == 1:
            return "The other one is"
        return f"The other {NUMBERS[n] if n < len(NUMBERS) else f'{n:,}'} are"

    @property
    def could(self) -> str:
        n = len(self.claim.systems) + len(self.claim.others)
        return f"{len(self.claim.systems):,} of {n:,}" if self.claim.others else f"all {n:,}"

    @property
    def ruled_out(self) -> str:
        n = len(self.claim.others)
        if not n:
            return ""
        return f" Ruled out: {names(self.claim.others) if n <= NAMED else f'the other {n:,}'}."

    # ── numbers ──
    @property
    def p(self) -> str:
        return f"p {p_text(self.claim.values['p_value'])}"

    @property
    def tested(self) -> str:
        return f", {self.p}" if "p_value" in self.claim.values else ""

    @property
    def numbers(self) -> str:
        return self._numbers(".3f")

    @property
    def gap(self) -> str:
        """The size of an undecided difference, in brackets, where it has one."""
        return f" ({self._numbers('+.3f')})" if "difference" in self.claim.values else ""

    @property
    def by(self) -> str:
        values = self.claim.values
        if "difference" not in values:
            return ""
        if math.isinf(values.get("low", 0.0)) or math.isinf(values.get("high", 0.0)):
            return f", by how much the data do not bound{self.tested}"
        return f" by {self.numbers}"

    def _numbers(self, form: str) -> str:
        """The difference, its interval where one belongs to it, p, and for how many comparisons they were adjusted."""
        v = self.claim.values
        size, family = minus(format(v["difference"], form)), int(v.get("family", 1))
        p = self.tested
        adjusted = f"adjusted for {family:,} comparisons"
        if math.isnan(v.get("low", math.nan)):
            return f"{size}{p}" + (f", {adjusted}" if family > 1 else "")
        low, high = (minus(unrounded(v[end], 0.0)) for end in ("low", "high"))
        both = "both " if p else ""
        return f"{size} [{low}, {high}]{p}" + (f", {both}{adjusted}" if family > 1 else "")

    @property
    def near(self) -> str:
        margin = self.claim.values["margin"]
        return f"are within ± {margin:g}" if margin else "have the same mean score"

    @property
    def remark(self) -> str:
        text = self.claim.remark
        return f". {text[:1].upper()}{text[1:].rstrip('.')}" if text else ""

    @property
    def because(self) -> str:
        return f": {self.claim.remark.rstrip('.')}" if self.claim.remark else ""

    # ── the judge alone ──
    @property
    def alone(self) -> str:
        return f"The judge's scores alone {self.put}" if self.claim.of_scores else f"The judge alone {self.put}"

    @property
    def put(self) -> str:
        return f"would rank {self.systems} first"

    @property
    def experts(self) -> str:
        return "The gold scores" if self.claim.of_scores else "The experts"

    # ── a choice ──
    @property
    def chance(self) -> str:
        v = self.claim.values
        return (
            f"By this model it has a chance of {chance_text(v['within'])} to be within {v['negligible']:g} of the "
            f"best, and its expected loss is {size_text(v['loss'])}."
        )

    @property
    def favourite(self) -> str:
        """What the judge's own first would cost, where it is another system."""
        cost = self.claim.values.get("favourite_loss", math.nan)
        size = size_text(cost)
        if (
            not self.claim.rest
            or self.claim.rest[0] in self.claim.others
            or math.isnan(cost)
            or size == size_text(self.claim.values["loss"])
        ):
            return ""
        return f" The judge's favourite, {self.claim.rest[0]}, would cost about {size}."

    @property
    def favoured(self) -> str:
        """That the choice is one of the judge's favourites, whose bias pooling may leave in part."""
        return " The judge favours it, and pooling may leave a part of that." if "favoured" in self.claim.values else ""

    @property
    def elsewhere(self) -> str:
        if not self.claim.others or self.claim.kind != "take":
            return ""
        return f" {self.other} has a smaller expected loss, but it is ruled out."

    @property
    def gain(self) -> str:
        v = self.claim.values
        if not self.claim.others:
            return ""
        return f" {self.other} would gain {size_text(v['gain'])}, which is at most half of {v['negligible']:g}."


_SENTENCES: dict[Kind, str] = {
    # pairs
    "better": "{c.first} is better than {c.other}{c.by}{c.at}",
    "probably": "{c.first} is probably better than {c.other} by {c.numbers}{c.at}",
    "differ": "{c.first} and {c.other} differ{c.where} ({c.p}), but the judge is too weak to show in which direction",
    "undecided": "Undecided between {c.first} and {c.other}{c.where}{c.gap}{c.remark}",
    "within": "{c.first} and {c.other} {c.near}{c.where}{c.gap}",
    "equal": "{c.first} and {c.other} are identical: the same score on every topic",
    "unanswered": "Undecided between {c.first} and {c.other}{c.where}{c.because}",
    # the headline
    "best": "{c.winners} the best of {c.n}{c.where}. {c.they_are} better than {c.all_others}{c.sizes}.",
    "few": "{c.choice} is the best{c.where}. {c.the_rest} worse than at least one of them.",
    "many": "One of {c.systems} is the best{c.where}.{c.ruled_out}",
    "no-winner": "No winner yet{c.where}: {c.could} could still be the best.{c.ruled_out}",
    "between": "Undecided between {c.systems}{c.where}{c.remark}.",
    "alone": "There is one system, {c.first}: nothing to compare.",
    "identical": "Identical, the same score on every topic: {c.systems}.",
    "no-answer": "Undecided: no pair of systems could be compared{c.remark}.",
    # beyond it
    "probably-ahead": "{c.systems} {c.be} probably better than {c.others}{c.where}, by a model that pools the systems.",
    "same-elsewhere": "{c.Where} the same holds.",
    # the judge alone
    "refuted": "{c.alone}. {c.experts} refute that: {c.others} {c.others_are} better.",
    "confirmed": "{c.alone}. {c.experts} confirm it.",
    "left-open": "{c.alone}. {c.experts} leave it open.",
    # against a baseline
    "above": "Better than {c.other}: {c.systems}.",
    "below": "Worse than {c.other}: {c.systems}.",
    "unclear": "Undecided against {c.other}: {c.systems}.",
    # a choice
    "take": "Take {c.first}. {c.chance}{c.favoured}{c.elsewhere}{c.favourite}",
    "keep": "Keep {c.first}.{c.gain} {c.chance}{c.favoured}{c.favourite}",
    # groups of topics
    "turned": "{c.first} is better than {c.other} in group {c.claim.rest[0]}, and worse in group {c.claim.rest[1]}.",
}
