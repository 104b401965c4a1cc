"""The rules of the court: every kind of sentence about systems, and when it is wrong, as predicates on values.

A claim is a value (`comparison.claims`). The true scores of the systems that it names show whether it is right. So a
court can count how often each kind was said, and how often it was wrong. Kinds that claim nothing about the truth
("undecided") cannot be wrong. They have a row all the same, because a test refuses a kind without one.

    >>> truth = {"A": 0.5, "B": 0.4, "C": 0.1}
    >>> RULES["few"].right(Claim("few", ("B", "C"), ("A",)), truth)
    False
    >>> RULES["better"].right(Claim("better", ("A",), ("C",)), truth)
    True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dissensus.inference.comparison.claims import Claim

Truth = Mapping[str, float]  # of every system; more is better
Right = Callable[[Claim, Truth], bool]
ROUNDING = 1e-9


@dataclass(frozen=True)
class Rule:
    """When a kind of claim is right, and in how many of its trials it may be wrong.

    `limit` is None where a kind promises nothing by itself. Pairs are promised together, as a family.
    """

    right: Right
    limit: float | None
    says: str


def nothing(claim: Claim, truth: Truth) -> bool:
    """It claims nothing about the truth."""
    return True


def ahead(claim: Claim, truth: Truth) -> bool:
    """Each of the systems is truly better than each of the others."""
    return min(truth[s] for s in claim.systems) > max(truth[s] for s in claim.others) - ROUNDING


def holds_best(claim: Claim, truth: Truth) -> bool:
    """The true best is among the systems, and each of the others is worse than one of them."""
    top = max(truth[s] for s in claim.systems)
    return all(truth[s] <= top + ROUNDING for s in (*claim.others, *claim.rest)) and top >= _best(truth) - ROUNDING


def same(claim: Claim, truth: Truth) -> bool:
    """All of them have the same true score."""
    of = [truth[s] for s in (*claim.systems, *claim.others)]
    return max(of) - min(of) <= ROUNDING


def differs(claim: Claim, truth: Truth) -> bool:
    """The two true scores are not the same."""
    return abs(truth[claim.systems[0]] - truth[claim.others[0]]) > ROUNDING


def small(claim: Claim, truth: Truth) -> bool:
    """The true difference is within the margin."""
    return abs(truth[claim.systems[0]] - truth[claim.others[0]]) <= claim.values["margin"] + ROUNDING


def judge_wrong(claim: Claim, truth: Truth) -> bool:
    """Every system named is truly better than those that the judge alone puts first."""
    return min(truth[s] for s in claim.others) > max(truth[s] for s in claim.systems) - ROUNDING


def judge_right(claim: Claim, truth: Truth) -> bool:
    """What the judge alone puts first is truly the best."""
    return max(truth[s] for s in claim.systems) >= _best(truth) - ROUNDING


def better_than_base(claim: Claim, truth: Truth) -> bool:
    """All of them are truly better than the baseline."""
    return min(truth[s] for s in claim.systems) > truth[claim.others[0]] - ROUNDING


def worse_than_base(claim: Claim, truth: Truth) -> bool:
    """All of them are truly worse than the baseline."""
    return max(truth[s] for s in claim.systems) < truth[claim.others[0]] + ROUNDING


def nearly_best(claim: Claim, truth: Truth) -> bool:
    """What to take is within the negligible difference of the best: true as often as its chance says."""
    return truth[claim.systems[0]] >= _best(truth) - claim.values["negligible"] - ROUNDING


def _best(truth: Truth) -> float:
    return max(truth.values())


FAMILY, PROBABLY = 0.05, 0.05
RULES: dict[str, Rule] = {
    # a pair
    "better": Rule(ahead, None, "the first is truly better (wrong in at most 2.5% of families a side)"),
    "probably": Rule(ahead, PROBABLY, "the first is truly better"),
    "differ": Rule(differs, FAMILY, "the two are not the same"),
    "undecided": Rule(nothing, None, "nothing"),
    "within": Rule(small, FAMILY, "the true difference is within the margin"),
    "equal": Rule(same, 0.0, "the two have the same score on every topic"),
    "unanswered": Rule(nothing, None, "nothing"),
    # the headline
    "best": Rule(holds_best, FAMILY, "it is truly the best"),
    "few": Rule(holds_best, FAMILY, "one of them is truly the best, and the rest are worse than one of them"),
    "many": Rule(holds_best, FAMILY, "one of them is truly the best, and the rest are worse than one of them"),
    "no-winner": Rule(holds_best, FAMILY, "those that are ruled out are not the best"),
    "between": Rule(nothing, None, "nothing"),
    "alone": Rule(nothing, None, "nothing"),
    "identical": Rule(same, 0.0, "all have the same score on every topic"),
    "no-answer": Rule(nothing, None, "nothing"),
    # beyond it
    "probably-ahead": Rule(ahead, PROBABLY, "the first is truly better than each of those named"),
    "same-elsewhere": Rule(nothing, None, "the headline for the other target is the same one"),
    # the judge alone
    "refuted": Rule(judge_wrong, FAMILY, "those named are truly better than the judge's first"),
    "confirmed": Rule(judge_right, FAMILY, "the judge's first is truly the best"),
    "left-open": Rule(nothing, None, "nothing"),
    # a baseline
    "above": Rule(better_than_base, FAMILY, "all of them are truly better than the baseline"),
    "below": Rule(worse_than_base, FAMILY, "all of them are truly worse than the baseline"),
    "unclear": Rule(nothing, None, "nothing"),
    # a choice
    "take": Rule(nearly_best, None, "it is within the negligible difference, as often as its chance says"),
    "keep": Rule(nearly_best, None, "it is within the negligible difference, as often as its chance says"),
    # groups of topics: the truth of a trial is of all topics (`by_group` has trials of its own in the tests)
    "turned": Rule(nothing, None, "the order of the two truly differs between the two groups"),
}
