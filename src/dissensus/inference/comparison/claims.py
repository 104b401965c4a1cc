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

from dissensus.inference.formatting import p_text

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
        return _SENTENCES[self.kind](self)

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


# ── pairs ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def _numbers(c: Claim, signed: bool) -> str:
    """The difference, its interval where one belongs to it, p, and for how many comparisons they were adjusted."""
    v = c.values
    size = f"{v['difference']:+.3f}" if signed else f"{v['difference']:.3f}"
    if math.isnan(v.get("low", math.nan)):
        family = int(v.get("family", 1))
        return f"{size}, p {p_text(v['p_value'])}" + (f", adjusted for {family:,} comparisons" if family > 1 else "")
    both = f", both adjusted for {int(v['family']):,} comparisons" if v.get("family", 1) > 1 else ""
    return f"{size} [{v['low']:.3f}, {v['high']:.3f}], p {p_text(v['p_value'])}{both}"


def _better(c: Claim) -> str:
    best, worst = c.systems[0], c.others[0]
    if math.isinf(c.values.get("low", 0.0)) or math.isinf(c.values.get("high", 0.0)):
        return f"{best} beats {worst}, by how much the data do not bound, p {p_text(c.values['p_value'])}"
    return f"{best} beats {worst} by {_numbers(c, signed=False)}"


def _likely(c: Claim) -> str:
    return f"{c.systems[0]} is likely better than {c.others[0]} by {_numbers(c, signed=False)}"


def _differ(c: Claim) -> str:
    return (
        f"{c.systems[0]} and {c.others[0]}: they differ (p {p_text(c.values['p_value'])}), but the judge is too weak "
        "to tell in which direction"
    )


def _undecided(c: Claim) -> str:
    return f"{c.systems[0]} and {c.others[0]}: cannot tell ({_numbers(c, signed=True)})" + _remark(c)


def _equal(c: Claim) -> str:
    return f"{c.systems[0]} and {c.others[0]}: identical, the same score on every topic"


def _unanswered(c: Claim) -> str:
    return f"{c.systems[0]} and {c.others[0]}: no answer" + _remark(c)


def _remark(c: Claim) -> str:
    return f"; {c.remark}" if c.remark else ""


# ── all systems ──────────────────────────────────────────────────────────────────────────────────────────────────────
def names(systems: Sequence[str]) -> str:
    """Names in a sentence; of many the first five.

    >>> names(["a"]), names(["a", "b", "c"]), names([f"s{i}" for i in range(12)])
    ('a', 'a, b and c', 's0, s1, s2, s3, s4 and 7 more')
    """
    if len(systems) > NAMED:
        return f"{', '.join(systems[:5])} and {len(systems) - 5:,} more"
    return systems[0] if len(systems) == 1 else f"{', '.join(systems[:-1])} and {systems[-1]}"


def _verb(systems: Sequence[str], one: str, several: str) -> str:
    return one if len(systems) == 1 else several


def _alone(c: Claim) -> str:
    return f"There is one system, {c.systems[0]}: nothing to compare."


def _best(c: Claim) -> str:
    others = "the other system" if len(c.others) == 1 else f"all {len(c.others):,} other systems"
    return f"{names(c.systems)} {_verb(c.systems, 'is', 'are')} better than {others}."


def _ahead(c: Claim) -> str:
    first = f"{names(c.systems)} {_verb(c.systems, 'comes', 'come')} first and {_verb(c.systems, 'is', 'are')} better"
    return f"{first} than {names(c.others)}, but cannot be told apart from {names(c.rest)}."


def _open(c: Claim) -> str:
    comes = _verb(c.systems, "comes", "come")
    return f"{names(c.systems)} {comes} first, but no system was shown to be worse."


def _likely_ahead(c: Claim) -> str:
    verb = _verb(c.systems, "is", "are")
    return f"Likely, by a model that pools the systems: {names(c.systems)} {verb} better than {names(c.others)}."


def _unbeaten(c: Claim) -> str:
    return f"No system was shown to be better than {names(c.systems)}."


def _together(c: Claim) -> str:
    return f"Cannot be told apart: {names(c.systems)}."


def _identical(c: Claim) -> str:
    return f"Identical, the same score on every topic: {names(c.systems)}."


def _no_answer(c: Claim) -> str:
    return f"No pair of systems could be compared{_remark(c)}."


# ── labels as they are, against the audit ────────────────────────────────────────────────────────────────────────────
def _naive(c: Claim) -> str:
    what = "scores" if c.of_scores else "labels"
    return f"By the judge's {what} as they are, {names(c.systems)} would come first"


def _against(c: Claim, audit: str, scores: str) -> str:
    """What the audit does to the claim, or the gold judge's scores do."""
    return f"the gold scores {scores}" if c.of_scores else f"the audit {audit}"


def _refuted(c: Claim) -> str:
    shown = _verb(c.others, "was", "were")
    return f"{_naive(c)}; {_against(c, 'refutes', 'refute')} that: {names(c.others)} {shown} shown to be better."


def _confirmed(c: Claim) -> str:
    return f"{_naive(c)}; {_against(c, 'confirms', 'confirm')} it."


def _unsettled(c: Claim) -> str:
    return f"{_naive(c)}; {_against(c, 'is too small', 'are too few')} to say whether that is right."


# ── against a baseline ───────────────────────────────────────────────────────────────────────────────────────────────
def _above(c: Claim) -> str:
    return f"Better than {c.others[0]}: {names(c.systems)}."


def _below(c: Claim) -> str:
    return f"Worse than {c.others[0]}: {names(c.systems)}."


def _unclear(c: Claim) -> str:
    return f"Cannot be told apart from {c.others[0]}: {names(c.systems)}."


_SENTENCES = {
    "better": _better, "likely": _likely, "differ": _differ, "undecided": _undecided, "equal": _equal,
    "unanswered": _unanswered,
    "alone": _alone, "best": _best, "ahead": _ahead, "open": _open, "unbeaten": _unbeaten,
    "likely-ahead": _likely_ahead, "together": _together,
    "identical": _identical, "no-answer": _no_answer,
    "refuted": _refuted, "confirmed": _confirmed, "unsettled": _unsettled,
    "above": _above, "below": _below, "unclear": _unclear,
}  # fmt: skip
