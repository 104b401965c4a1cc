"""What a budget buys, by measure and by what is drawn: single documents, or whole topics.

Single documents are drawn where they count most, and correct a measure document by document. Whole topics need no
model, work for every measure, and cost a topic's whole pool each. With m of n topics, and B, G a topic's scores by the
judge's and the experts' labels,

    Var(θ̂) = (n − m)/(n·m)·var_q(G − B)    on these topics.

What experts would say is taken from one draw of a rough model of the judge's grades (`ndcg.plan`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl

from dissensus.arrays import Floats, Ints
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.inference.ap.scores import FROM
from dissensus.inference.comparison.engine import margin
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import naive, settled
from dissensus.inference.correction.topicwise import FEW_TOPICS
from dissensus.inference.ndcg.outlook import drawn_grades
from dissensus.inference.planning.chances import Purpose
from dissensus.inference.planning.prospect import outlook
from dissensus.measures.families.average import AP
from dissensus.measures.families.gain import over_ideal
from dissensus.measures.measure import Linear, Measure
from dissensus.measures.scores import aggregated
from dissensus.stats.intervals import quantile
from dissensus.wording import counted
from dissensus.work.seeds import generator

Unit = Literal["document", "topic"]
UNITS: tuple[Unit, ...] = ("document", "topic")


# ── whole topics ─────────────────────────────────────────────────────────────────────────────────────────────────────
def topic_sizes(design: Design) -> Ints:
    """Judged documents of every topic: what it costs to audit it whole."""
    judged = design.bronze < design.n_labels - 1
    return np.bincount(design.topic[judged], minlength=len(design.joined.topics))


def draw_topics(design: Design, budget: float, seed: int) -> Ints:
    """Topics in random order, as many as the budget pays for whole; an error where that are fewer than five."""
    order = generator(seed).permutation(len(design.joined.topics))
    sizes = topic_sizes(design)
    chosen = order[np.cumsum(sizes[order]) <= budget]
    if len(chosen) < FEW_TOPICS:
        least = math.ceil(FEW_TOPICS * float(sizes.mean()))
        raise InputError(
            Text(
                Option("budget", round(budget)),
                f" pays for {len(chosen)} whole topics, and per-topic correction needs {FEW_TOPICS}.",
            ),
            Fix("Raise it: ", Option("budget", least), " is enough on average."),
            Fix("Draw single documents: ", Option("unit", "document"), "."),
        )
    return np.sort(chosen)


def whole_topics(design: Design, budget: float, seed: int) -> Floats:
    """π of every judged document where m of n topics are drawn whole: m/n."""
    chosen = draw_topics(design, budget, seed)
    judged = design.bronze < design.n_labels - 1
    return np.where(judged, len(chosen) / len(design.joined.topics), 0.0)


@dataclass(frozen=True, eq=False)
class Tried:
    """Scores by the judge's labels and by one draw of what experts might say, where both are defined."""

    bronze: Floats
    gold: Floats

    @classmethod
    def of(cls, measure: Measure, design: Design, seed: int) -> Tried:
        labels = (drawn_grades(design, seed) + design.gold_scale.low).astype(np.int8)[:, None]
        joined = replace(design.joined, scale=design.gold_scale).with_labels(labels)
        gold = settled(measure, np.asarray(measure.scores(joined)[0], np.float64), design)
        bronze = naive(measure, design)
        kept = np.isfinite(gold).all(axis=0) & np.isfinite(bronze).all(axis=0)
        return cls(bronze[:, kept], gold[:, kept])

    def variance(self, topics: float) -> Floats:
        """Of every system's corrected mean, on these topics, from so many whole topics."""
        n = self.bronze.shape[1]
        if topics >= n:
            return np.zeros(len(self.bronze))
        return np.asarray((n - topics) / (n * topics) * (self.gold - self.bronze).var(axis=1, ddof=1), np.float64)

    def variance_between(self, a: int, b: int, topics: float) -> float:
        """Of one corrected difference, for all topics like these."""
        n = self.bronze.shape[1]
        change = self.gold - self.bronze
        inside: float = max((n - topics) / (n * topics), 0.0) * float((change[a] - change[b]).var(ddof=1))
        topics_part: float = float((self.bronze[a] - self.bronze[b]).var(ddof=1)) / n
        return inside + topics_part


# ── what a budget buys ───────────────────────────────────────────────────────────────────────────────────────────────
def options(
    measures: Iterable[Measure], design: Design, pair: tuple[int, int], budget: float, purpose: Purpose, seed: int
) -> pl.DataFrame:
    """measure, unit, labels, half_width (a score, these topics), detectable (80% power, topics like these), useless.

    Useless is what cannot tell the best system from the worst: the detectable difference exceeds the range of the
    judge's own scores.
    """
    rows = []
    for m in measures:
        spread = np.ptp(aggregated(naive(m, design)))
        for unit in UNITS:
            half, se = (_documents if unit == "document" else _topics)(m, design, pair, budget, purpose, seed)
            found = se * margin(len(design.joined.topics) - 1, 0.95, 0.8)
            useless = bool(found >= spread)
            rows.append((str(m), unit, round(budget), half, found, useless))
    names = ["measure", "unit", "labels", "half_width", "detectable", "useless"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _documents(
    m: Measure, design: Design, pair: tuple[int, int], budget: float, purpose: Purpose, seed: int
) -> tuple[float, float]:
    many = budget + int(design.audited.sum()) >= FROM
    if not (isinstance(m, Linear) or over_ideal(m) or (isinstance(m, AP) and many)):
        return math.nan, math.nan  # imputed and rectified: how wide that is nobody knows in advance
    laid = outlook(m, design, seed, many)
    pi = laid.chances(purpose, None, budget).at(budget, ~design.audited)
    return laid.half_width(pi), laid.prospect(pair, seed).se(pi)


def _topics(
    m: Measure, design: Design, pair: tuple[int, int], budget: float, purpose: Purpose, seed: int
) -> tuple[float, float]:
    topics = budget / float(topic_sizes(design).mean())
    if topics < FEW_TOPICS:
        return math.inf, math.inf
    tried = Tried.of(m, design, seed)
    if tried.bronze.shape[1] < 2:
        return math.nan, math.nan
    half = quantile(0.95, max(topics - 1, 1.0)) * float(np.sqrt(tried.variance(topics)).mean())
    return half, math.sqrt(tried.variance_between(*pair, topics))


def said(table: pl.DataFrame) -> list[str]:
    """What the budget buys, in sentences."""
    out = []
    for row in table.iter_rows(named=True):
        unit = "single documents" if row["unit"] == "document" else "whole topics"
        if math.isnan(row["half_width"]):
            out.append(f"no forecast of what labels on {unit} bring to {row['measure']}.")
            continue
        if not math.isfinite(row["half_width"]):
            out.append(f"{counted(row['labels'], 'label')} on {unit} cannot measure {row['measure']}.")
            continue
        line = (
            f"{row['labels']:,} labels on {unit} give {row['measure']} within ± {row['half_width']:.3f} on these "
            f"topics, and find differences of {row['detectable']:.3f} for topics like these."
        )
        out.append(
            line + (" Useless: by the judge's labels no two systems are so far apart." if row["useless"] else "")
        )
    return out


def cost(labels: int, minutes: float | None, price: float | None) -> list[str]:
    """What judging costs, in hours and money.

    >>> cost(300, 1.5, 0.4)
    ['judging 300 documents takes about 7.5 hours and costs about 120.']
    """
    if minutes is None and price is None:
        return []
    parts = [] if minutes is None else [f"takes about {labels * minutes / 60:,.1f} hours"]
    parts += [] if price is None else [f"costs about {labels * price:,.0f}"]
    return [f"judging {counted(labels, 'document')} {' and '.join(parts)}."]
