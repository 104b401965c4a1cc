"""What a budget buys, by measure and by what is drawn: single documents, whole topics, or documents of drawn topics.

Single documents are drawn where they count most, and correct a measure document by document. Whole topics need no
model, work for every measure, and cost a topic's whole pool each. With m of n topics, and B, G a topic's scores by the
judge's and the experts' labels,

    Var(θ̂) = (n − m)/(n·m)·var_q(G − B)    on these topics.

Between both lies a draw in two stages: topics first, then about twenty documents in each, where they count most. An
expert then gets into few topics. The variance of documents within topics comes on top (`correction.two_stages`).

What experts would say is taken from one draw of a rough model of the judge's grades (`ndcg.plan`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl

from dissensus.arrays import Bools, Floats, Ints
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.inference.ap.scores import FROM
from dissensus.inference.comparison.engine import margin
from dissensus.inference.correction.design import Design, check_policies, lay_out, where_judged
from dissensus.inference.correction.estimate import naive, settled
from dissensus.inference.correction.topicwise import FEW_TOPICS
from dissensus.inference.ndcg.plan import drawn_grades
from dissensus.inference.planning.chances import Chances, Purpose, inclusion
from dissensus.inference.planning.prospect import outlook
from dissensus.measures.families.average import AP
from dissensus.measures.families.gain import over_ideal
from dissensus.measures.measure import Linear, Measure
from dissensus.measures.policies import Policies
from dissensus.measures.scores import aggregated
from dissensus.stats.intervals import quantile
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.wording import counted
from dissensus.work.seeds import generator

Unit = Literal["document", "topic", "topic,document"]
UNITS: tuple[Unit, ...] = ("document", "topic", "topic,document")
NAMES: dict[str, str] = {
    "document": "single documents",
    "topic": "whole topics",
    "topic,document": "documents of drawn topics",
}
TOGETHER = 20  # documents of a topic that is drawn first
LEAST_TOGETHER = 2
USUAL = 300  # labels of an audit that nobody has asked for yet
LIKELIER = 10  # times the least chance of a document once its topic is drawn: few topics bear no large 1/π


# ── whole topics ─────────────────────────────────────────────────────────────────────────────────────────────────────
def topic_sizes(design: Design) -> Ints:
    """Judged documents of every topic: what it costs to audit it whole."""
    judged = design.bronze < design.n_labels - 1
    return np.bincount(design.topic[judged], minlength=len(design.joined.topics))


@dataclass(frozen=True, eq=False)
class DrawnUnits:
    """What is drawn: π of every document, and, where topics are drawn first, the documents of these (`among`).

    `topics`: how many they are, where documents are then drawn within them.
    """

    pi: Floats
    among: Bools | None = None
    topics: int | None = None


def units_drawn(unit: Unit, design: Design, chances: Chances, budget: float, seed: int) -> DrawnUnits:
    """Draw topics, if a unit says so, and give every document its chance."""
    if unit == "document":
        return DrawnUnits(chances.at(budget, ~design.audited))
    judged = design.bronze < design.n_labels - 1
    n = len(design.joined.topics)
    order = generator(seed).permutation(n)
    if unit == "topic":
        chosen = _whole(design, order, budget)
        return DrawnUnits(np.where(judged, len(chosen) / n, 0.0), judged & np.isin(design.topic, chosen))
    m = topics_of_two_stages(n, budget, able_by_topic(design, chances))
    if m is None:
        raise InputError(
            Text(
                Option("unit", unit),
                f" draws at least {FEW_TOPICS} topics and leaves at least one out. It takes {LEAST_TOGETHER} or more "
                f"documents of each, and at most half of them: with {n} topics, {round(budget):,} labels cannot.",
            ),
            Fix("Draw single documents: ", Option("unit", "document"), "."),
        )
    within = chances_within(design, chances, budget / m)
    return DrawnUnits(within * (m / n), judged & np.isin(design.topic, order[:m]), m)


def _whole(design: Design, order: Ints, budget: float) -> Ints:
    """The first topics of an order that the budget pays for whole; an error where they are fewer than five."""
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
            Fix("Draw topics first, and documents within them: ", Option("unit", "topic,document"), "."),
            Fix("Draw single documents: ", Option("unit", "document"), "."),
        )
    return chosen


def topics_of_two_stages(n: int, budget: float, able: float) -> int | None:
    """How many of n topics are drawn first, each with `able` documents; None where two stages make no sense.

    About twenty documents of each, but at most half of those that could be drawn.

    >>> topics_of_two_stages(50, 300, 100), topics_of_two_stages(50, 300, 16), topics_of_two_stages(5, 300, 100)
    (15, 38, None)
    """
    topics = max(FEW_TOPICS, math.ceil(budget / min(TOGETHER, max(able / 2, 1.0))))
    return topics if topics < n and budget >= FEW_TOPICS * LEAST_TOGETHER else None


def able_by_topic(design: Design, chances: Chances) -> float:
    """How many documents of a topic could be drawn, in the middle one of all topics."""
    able = (chances.key > 0) | chances.floor
    return float(np.median(np.bincount(design.topic[able], minlength=len(design.joined.topics))))


def chances_within(design: Design, chances: Chances, number: float) -> Floats:
    """The chance of every document once its topic is drawn: so many of each topic, by what their labels are worth."""
    out = np.zeros(len(design.topic))
    for q in range(len(design.joined.topics)):
        here = design.topic == q
        out[here] = inclusion(chances.key[here], chances.floor[here], number, LIKELIER * chances.least)
    return out


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
    measures: Iterable[Measure],
    design: Design,
    pair: tuple[int, int],
    budget: float,
    purpose: Purpose,
    seed: int,
    units: Iterable[Unit] = UNITS,
) -> pl.DataFrame:
    """measure, unit, labels, half_width (a score, these topics), detectable (80% power, topics like these), useless.

    Useless is what cannot tell the best system from the worst: the detectable difference exceeds the range of the
    judge's own scores.
    """
    rows = []
    for m in measures:
        spread = np.ptp(aggregated(naive(m, design)))
        for unit in units:
            half, se = _expected(unit, m, design, pair, budget, purpose, seed)
            found = se * margin(len(design.joined.topics) - 1, 0.95, 0.8)
            useless = bool(found >= spread and found > 0)
            rows.append((str(m), unit, round(budget), half, found, useless))
    names = ["measure", "unit", "labels", "half_width", "detectable", "useless"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _expected(
    unit: Unit, m: Measure, design: Design, pair: tuple[int, int], budget: float, purpose: Purpose, seed: int
) -> tuple[float, float]:
    """(half width of a score on these topics, standard error of a difference for topics like these)."""
    if unit == "topic":
        whole = budget / float(topic_sizes(design).mean())
        return _by_topic(m, design, pair, whole, seed)
    many = budget + int(design.audited.sum()) >= FROM
    if not (isinstance(m, Linear) or over_ideal(m) or (isinstance(m, AP) and many)):
        return math.nan, math.nan  # imputed and rectified: how wide that is nobody knows in advance
    laid = outlook(m, design, seed, many)
    chances = laid.chances(purpose, None, budget)
    if unit == "document":
        pi = chances.at(budget, ~design.audited)
        return laid.half_width(pi), laid.prospect(pair, seed).se(pi)
    topics = topics_of_two_stages(len(design.joined.topics), budget, able_by_topic(design, chances))
    if topics is None:
        return math.inf, math.inf
    within = chances_within(design, chances, budget / topics)
    one, fewer = laid.prospect(pair, seed), len(design.joined.topics) / topics
    documents, apart = laid.half_width(within), max(one.se(within) ** 2 - one.topics, 0.0)
    between, se = _by_topic(m, design, pair, topics, seed)
    return math.hypot(documents * math.sqrt(fewer), between), math.sqrt(apart * fewer + se**2)


def _by_topic(m: Measure, design: Design, pair: tuple[int, int], topics: float, seed: int) -> tuple[float, float]:
    """The same where so many topics are audited whole."""
    tried = Tried.of(m, design, seed)
    if topics < FEW_TOPICS:
        return math.inf, math.inf
    if tried.bronze.shape[1] < 2:
        return math.nan, math.nan
    half = quantile(0.95, max(topics - 1, 1.0)) * float(np.sqrt(tried.variance(topics)).mean())
    return half, math.sqrt(tried.variance_between(*pair, topics))


def said(table: pl.DataFrame) -> list[str]:
    """What the budget buys, in sentences."""
    out = []
    for row in table.iter_rows(named=True):
        unit = NAMES[row["unit"]]
        if math.isnan(row["half_width"]):
            out.append(f"no forecast of what labels on {unit} bring to {row['measure']}.")
        elif math.isfinite(row["half_width"]):
            out.append(bought(row, f"{counted(row['labels'], 'label')} on {unit}"))
        elif row["unit"] == "topic,document":
            out.append(
                f"{counted(row['labels'], 'label')} cannot be spent on {unit}: it takes more topics than are drawn."
            )
        else:
            out.append(f"{counted(row['labels'], 'label')} on {unit} cannot measure {row['measure']}.")
    return out


def bought(row: Mapping[str, object], labels: str, would: str = "") -> str:
    """One row of `options` as a sentence: these labels (would) give …, and (would) find …"""
    found = float(str(row["detectable"]))
    line = f"{labels} {would}give {row['measure']} within ± {row['half_width']:.3f} on these topics"
    if not math.isfinite(found):
        return f"{line}. A single topic shows nothing of topics like it."
    line += f", and {would}find differences of {found:.3f} for topics like these."
    return line + (" Useless: by the judge's labels no two systems are so far apart." if row["useless"] else "")


def forecast(measure: Measure, runs: Runs, bronze: Judgments, policies: Policies, seed: int = 0) -> str:
    """What 300 expert labels would show, as a plan for single documents says; empty where no plan can say it."""
    try:
        check_policies(policies, [measure])
        design = lay_out(runs, where_judged(bronze), None, policies)
        best: list[int] = np.argsort(-aggregated(naive(measure, design)), kind="stable")[:2].tolist()
        if len(best) < 2:
            return ""
        (row,) = options([measure], design, (best[0], best[1]), USUAL, "scores", seed, ("document",)).to_dicts()
    except InputError:
        return ""
    if not (math.isfinite(row["half_width"]) and row["detectable"] > 0):
        return ""
    return bought(row, f"{USUAL} expert labels, drawn as dissensus plan draws them,", "would ")


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
