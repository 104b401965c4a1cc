"""What an audit says about its judge, as values: how often it agrees with the experts, and whom it favours.

An audit is a weighted sample. So each audited document counts 1/π, π the probability with which it was chosen, and the
share of agreement is that among all documents that could be drawn (Hájek 1971):

    p = Σ z/π / Σ 1/π,    se² = Σ (1 − π) (z − p)²/π² / (Σ 1/π)²,    z = 1 where the judge gave the experts' grade

with Student's t on n_eff = (Σb²)²/Σb⁴ degrees of freedom, b² = (1 − π)(z − p)²/π², on the logit scale. An unweighted
share is another number for every plan: 71% and 48% of the audited documents where 63% of all was true.

Favourites are systems in the Holm-adjusted bias table (`judge_bias`). The judge is too generous to the documents they
show, or too strict. It is compared with documents of the same expert grade that other systems show. The size is in
units of the grade scale, of which 1 is the whole.

    >>> share = hajek(np.array([1.0, 1.0, 0.0, 1.0, 0.0, 1.0]), np.array([1.0, 0.5, 0.5, 0.25, 0.25, 0.25]))
    >>> round(share.value, 3), round(share.low, 2), round(share.high, 2)
    (0.647, 0.12, 0.96)
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np
import polars as pl

from dissensus.arrays import Array, Floats, Values
from dissensus.errors import InputError
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import effective_number
from dissensus.inference.judge_bias import Exposure, GradedPairs, bias_of_pairs
from dissensus.stats.intervals import quantile
from dissensus.wording import counted

FULL = 0.95  # of the documents in the first k that a plan could draw, for the sample to stand for all of them


@dataclass(frozen=True)
class Share:
    """A share of documents with its interval; NaN ends where too few documents are behind it."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        if not self.low < self.high:
            return f"{self.value:.0%}"
        return f"{self.value:.0%} [{self.low:.0%}, {self.high:.0%}]"


@dataclass(frozen=True)
class Favourite:
    """Systems that show the same documents; `size` > 0: the judge is too generous to these, in units of the scale."""

    systems: tuple[str, ...]
    size: float
    low: float
    high: float
    adjusted_p: float


@dataclass(frozen=True)
class JudgeFacts:
    """Agreement of a judge with the experts (`same`, `higher`, `lower`), and whom it favours, the largest size first.

    `documents` were audited and graded by both; `of` says for which documents the shares stand. `favourites` is None
    where the audit cannot answer: fewer than five topics, or experts on another scale.
    """

    judge: str
    documents: int
    of: str
    same: Share
    higher: Share
    lower: Share
    favourites: tuple[Favourite, ...] | None

    @property
    def agreement(self) -> str:
        """How often the judge gave the experts' grade, in one sentence."""
        return (
            f"{self.judge} gave the experts' grade to {self.same} of {self.of}, a higher one to "
            f"{self.higher.value:.0%} and a lower one to {self.lower.value:.0%}."
        )

    @property
    def favour(self) -> str:
        """Whom the judge favours or treats too strictly, in one sentence."""
        if self.favourites is None:
            return "Whom the judge favours is not known: that takes five audited topics and one scale."
        if not self.favourites:
            return "No favourite was found."
        worst = self.favourites[0]
        more = len(self.favourites) - 1
        rest = f" ({counted(more, 'more such bias')} in the bias table)".replace("biass", "biases") if more else ""
        way = "generous" if worst.size > 0 else "strict"
        return (
            f"{self.judge} is too {way} to documents of {' = '.join(worst.systems[:3])}, by {abs(worst.size):.2f} of "
            f"the grade scale{rest}."
        )

    def to_dict(self) -> Values:
        """The values for JSON, with their sentences."""
        return {**asdict(self), "agreement": self.agreement, "favour": self.favour}


def judge_facts(design: Design, judge: str, depth: int = 10) -> JudgeFacts | None:
    """What the audit of a design says about its judge; None where no audited document has a label of it.

    `depth`: a system shows a document if it ranks it this high.
    """
    seen = np.flatnonzero(design.audited & (design.bronze < design.n_labels - 1))
    if not len(seen) or design.bronze_scale.names != design.gold_scale.names:
        return None
    worth = np.asarray(design.gold_scale.worth or np.arange(len(design.gold_scale)), np.float64)
    gap = worth[design.bronze[seen]] - worth[design.gold[seen]]
    pi = design.inclusion[seen]
    alike = design.bronze[seen] == design.gold[seen]
    same, higher, lower = (hajek(are.astype(np.float64), pi) for are in (alike, gap > 0, gap < 0))
    of, favourites = which_documents(design), _favourites(design, seen, judge, depth)
    return JudgeFacts(judge, len(seen), of, same, higher, lower, favourites)


def hajek(z: Floats, pi: Floats, level: float = 0.95) -> Share:
    """The share of z = 1 among all documents, from a sample with inclusion probabilities π."""
    value = float((z / pi).sum() / (1 / pi).sum())
    terms = (z - value) * np.sqrt(1 - pi) / pi
    se = float(np.sqrt((terms**2).sum()) / (1 / pi).sum())
    if se == 0:  # everybody was asked, or all that were asked are alike
        known = bool((pi >= 1).all())
        return Share(value, value if known else math.nan, value if known else math.nan)
    inside = min(max(value, 0.5 / len(z)), 1 - 0.5 / len(z))
    half = quantile(level, max(effective_number(terms), 1.0)) * se / (inside * (1 - inside))
    centre = math.log(inside / (1 - inside))
    low, high = (1 / (1 + math.exp(-x)) if x > -700 else 0.0 for x in (centre - half, centre + half))
    return Share(value, low, high)


def which_documents(design: Design) -> str:
    """For which documents a weighted sample stands: those that could be drawn."""
    judged = design.bronze < design.n_labels - 1
    every = int(judged.sum())
    able = judged if design.chances is None else judged & (design.chances > 0)
    able = able | (design.audited & judged)
    if able.sum() == every:
        return f"all {counted(every, 'document')} that it graded" if every > 1 else "the one document that it graded"
    rank = design.best_rank()
    k = int(rank[able].max(initial=0))
    within = judged & (rank <= k)
    if k < 1_000_000 and able[within].mean() >= FULL:
        return f"the {counted(int(able.sum()), 'document')} in some system's first {k}"
    return f"the {counted(int(able.sum()), 'document')} that could be drawn"


def _favourites(design: Design, seen: Array, judge: str, depth: int) -> tuple[Favourite, ...] | None:
    joined, scale = design.joined, design.gold_scale
    if not scale.ordered:
        return None
    pairs = pl.DataFrame(
        {
            "topic": [joined.topics[t] for t in design.topic[seen]],
            "doc": joined.judgments.doc_ids(seen),
            "gold": design.gold[seen] + scale.low,
            "label": design.bronze[seen] + scale.low,
            "inclusion": design.inclusion[seen],
        },
        schema_overrides={"gold": pl.Int64, "label": pl.Int64},
    )
    try:
        features = Exposure.of_joined(joined, depth).features(pairs)
        table = bias_of_pairs(GradedPairs(pairs, scale.low, scale.top), judge, features)
    except InputError:
        return None
    return tuple(
        Favourite(tuple(systems), row["coefficient"], row["low"], row["high"], row["adjusted"])
        for row, systems in table.favoured()
    )
