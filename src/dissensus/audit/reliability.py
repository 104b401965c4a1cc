"""How far the experts agree, with each other and with themselves, and how the judge's labels compare with theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dissensus.arrays import Values
from dissensus.audit.export import Judgment, current_judgments
from dissensus.audit.study import Study
from dissensus.stats.intervals import wilson


@dataclass(frozen=True)
class SourceShare:
    """A share of pairs that agree, with Wilson's interval; NaN without pairs."""

    hits: int
    n: int
    low: float
    high: float

    @property
    def value(self) -> float:
        return self.hits / self.n if self.n else float("nan")

    def to_dict(self) -> Values:
        return {"hits": self.hits, "n": self.n, "value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Reliability:
    """Agreement of two experts on one document, of one with themselves, and Cohen's kappa of the first kind."""

    between: SourceShare
    within: SourceShare
    kappa: float
    pairs: tuple[tuple[str, str], ...]  # grades of the first and the second assessor
    disputed: tuple[Dispute, ...]


@dataclass(frozen=True)
class Dispute:
    """A document on which two experts differ, and what a third view said."""

    position: int
    topic: str
    doc: str
    grades: tuple[str, str]
    adjudicated: str | None


def reliability(study: Study, judgments: Sequence[Judgment] | None = None) -> Reliability:
    """From all current judgments of a study."""
    by_item: dict[int, dict[str, Judgment]] = {}
    for j in current_judgments(study) if judgments is None else judgments:
        if j.grade is not None:
            by_item.setdefault(j.position, {})[j.role] = j
    doubles = [(v["first"], v["second"]) for v in by_item.values() if "first" in v and "second" in v]
    again = [(v["first"], v["repeat"]) for v in by_item.values() if "first" in v and "repeat" in v]
    disputed = tuple(
        Dispute(a.position, a.topic, a.doc, (str(a.grade), str(b.grade)), _third(by_item[a.position]))
        for a, b in doubles
        if a.grade != b.grade
    )
    pairs = tuple((str(a.grade), str(b.grade)) for a, b in doubles)
    return Reliability(_share(doubles), _share(again), kappa(pairs), pairs, disputed)


def _third(roles: dict[str, Judgment]) -> str | None:
    return roles["adjudicate"].grade if "adjudicate" in roles else None


def _share(pairs: Sequence[tuple[Judgment, Judgment]]) -> SourceShare:
    hits = sum(a.grade == b.grade for a, b in pairs)
    if not pairs:
        return SourceShare(0, 0, float("nan"), float("nan"))
    inside = wilson(hits, len(pairs))
    return SourceShare(hits, len(pairs), inside.low, inside.high)


def kappa(pairs: Sequence[tuple[str, str]]) -> float:
    """Cohen's κ of pairs of grades; who is first in a pair is drawn, so both margins are pooled (Scott's π).

    >>> round(kappa([("0", "0"), ("1", "1"), ("0", "1"), ("1", "1")]), 4)
    0.4667
    """
    if not pairs:
        return float("nan")
    n = len(pairs)
    observed = sum(a == b for a, b in pairs) / n
    shares = Counter(g for pair in pairs for g in pair)
    expected = sum((c / (2 * n)) ** 2 for c in shares.values())
    return float("nan") if expected == 1 else (observed - expected) / (1 - expected)


def confusion_counts(study: Study, prefix: Sequence[str | None]) -> dict[str, dict[str, int]]:
    """{the judge's label: {the experts' grade: documents}} of the counted prefix; counts of a weighted sample."""
    table: dict[str, dict[str, int]] = {}
    for row, grade in zip(study.order, prefix, strict=False):
        if grade in study.grades:
            cell = table.setdefault(row.bronze or "no label", dict.fromkeys(study.grades, 0))
            cell[grade] += 1
    return table
