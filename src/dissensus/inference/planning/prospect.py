"""What an audit of a given size will show of one difference, and how many labels a difference needs.

    Var(Δ̂) = topics + n⁻² Σ_d (w_a − w_b)²·Var(v | J)·(1 − π)/π·(1 + 0.4/√n_eff)

Topics differ, and not every document was audited; only the second part shrinks with more gold labels. Where the first
alone is too large, no audit can settle the matter, but more topics can.

The last factor is the price of the larger of two standard errors (`Estimate.se`): E max(X, m) of X ~ N(m, m²/n_eff).
Var(v | J) is the doubt that a bronze label leaves about the gold value, from an audit or assumed (`doubt`). One
function, `labels_needed`, answers for `plan`, `compare`, the report and the gate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from dissensus.arrays import Floats
from dissensus.inference.ap.plan import modelled as relevance
from dissensus.inference.ap.scores import enough_labels
from dissensus.inference.comparison.engine import POWER, margin, units_needed
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import Estimate, contrast, naive
from dissensus.inference.correction.imputation import by_imputation
from dissensus.inference.correction.modelled import by_modelling
from dissensus.inference.correction.rectified import rectified_estimate
from dissensus.inference.correction.weights import Weights, weights_of
from dissensus.inference.ndcg.corrected import LEAST_CHANCE
from dissensus.inference.ndcg.plan import modelled
from dissensus.inference.planning.chances import FLOOR, Chances, Purpose, chance_before, key_of
from dissensus.inference.planning.linearised import linearised
from dissensus.measures.families.average import AP
from dissensus.measures.families.gain import over_ideal
from dissensus.measures.grades_used import reachable
from dissensus.measures.measure import Linear, Measure
from dissensus.stats.intervals import quantile
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.inference.ap.plan import ModelledRelevance
    from dissensus.inference.ndcg.plan import Modelled

BUDGETS = (25, 50, 100, 200, 400, 800, 1600, 3200)
ASSUMED = 0.4  # of the value range, before anything was audited
SHRINK = 10  # labels' worth of the overall doubt: a label with three agreeing documents is not free of doubt


def power_of(shift: float, df: float, level: float = 0.95) -> float:
    """Probability that a t test claims a difference of `shift` standard errors; without a difference, 1 − level.

    >>> round(power_of(0.0, 9), 4), round(power_of(2.0, 9), 4), round(power_of(2.8, float("inf")), 4)
    (0.05, 0.4313, 0.7996)
    """
    from scipy.special import nctdtr, ndtr

    if not math.isfinite(shift):
        return 1.0 if shift > 0 else math.nan
    limit = quantile(level, df)
    if not math.isfinite(df):
        return float(ndtr(shift - limit) + ndtr(-shift - limit))
    return float(1 - nctdtr(df, shift, limit) + nctdtr(df, shift, -limit))


@dataclass(frozen=True)
class Needed:
    """What a difference needs: further audited documents (NaN where no audit can settle it), or topics in all."""

    labels: float
    topics: float
    sentence: str


@dataclass(frozen=True, eq=False)
class Prospect:
    """The variance of one planned difference, as a function of π.

    `gap` is (w_a − w_b)·sd(v | J) by document, `tail` E(v − f)⁴/Var(v | J)², `before` its chance in an audit made
    before, `topics` the topics' part of the variance (`by_bronze`: taken from bronze labels).
    """

    gap: Floats
    tail: Floats
    before: Floats
    topics: float
    n: int
    by_bronze: bool

    def se(self, pi: Floats) -> float:
        """The standard error that an audit with these probabilities is expected to give."""
        joint = 1 - (1 - pi) * (1 - self.before)
        hit = (self.gap != 0) & (joint > 0) & (joint < 1)
        audit, joint = self.gap[hit] ** 2 * (1 - joint[hit]) / joint[hit], joint[hit]
        total, fourth = float(audit.sum()), float((audit**2 * self.tail[hit] / joint).sum())
        effective = total**2 / fourth if fourth > 0 else math.inf
        return math.sqrt(self.topics + total / self.n**2 * (1 + 0.4 / math.sqrt(max(effective, 1.0))))

    def table(
        self, chances: Chances, budget: float, difference: float | None, power: float, level: float
    ) -> pl.DataFrame:
        """Labels against standard error, detectable difference and power; the budget asked for is among them."""
        rows = []
        steps = {*(b for b in BUDGETS if b < chances.most), min(math.ceil(budget), chances.most), chances.most}
        for labels in sorted(steps):
            se = self.se(chances.at(labels))
            row = {"labels": labels, "se": se, "detectable": se * margin(self.n - 1, level, power)}
            if difference is not None:
                ratio = math.inf if se == 0 else difference / se  # 0: bronze labels set them apart equally everywhere
                row["power"] = power_of(ratio, self.n - 1, level)
            rows.append(row)
        return pl.DataFrame(rows)

    def needed(self, chances: Chances, difference: float, power: float = POWER, level: float = 0.95) -> Needed:
        """Audited documents beyond those of the audit made before, or topics, that find `difference` with `power`."""
        allowed = difference / margin(self.n - 1, level, power)
        best = self.se(chances.at(chances.most))
        if not math.isfinite(best / allowed):
            return Needed(math.nan, math.nan, "one topic does not tell how differences vary: no number can be named")
        if best > allowed:
            topics = units_needed(self.n, best, allowed)
            return Needed(
                math.nan,
                topics,
                f"no audit can settle a difference of {difference:g}: even with every document audited the topics vary "
                f"too much; about {topics:,} topics are needed instead of {self.n:,}",
            )
        if self.before.any() and self.se(np.zeros(len(self.gap))) <= allowed:
            return Needed(0, self.n, f"a difference of {difference:g} would have been seen with this audit")
        low, high = 0.0, float(chances.most)
        while high - low > 0.5:
            middle = (low + high) / 2
            low, high = (low, middle) if self.se(chances.at(middle)) <= allowed else (middle, high)
        labels = math.ceil(high)
        more = "more audited documents" if self.before.any() else "audited documents"
        return Needed(
            labels, self.n, f"a difference of {difference:g} needs about {labels:,} {more} (power {power:.0%})"
        )


@dataclass(frozen=True, eq=False)
class Outlook:
    """A measure laid out for planning: weights, values by gold level, doubt by label, and what was assumed."""

    design: Design
    measure: Measure
    weights: Weights
    values: Floats
    spread: Floats  # sd(v | J) by label
    notes: tuple[str, ...]
    model: Modelled | ModelledRelevance | None = None  # of nDCG, of AP

    def chances(self, purpose: Purpose, pair: tuple[int, int] | None, budget: float) -> Chances:
        """How documents are drawn; half of the budget goes to all documents equally if a measure is linearised."""
        judged = self.design.bronze < self.design.n_labels - 1
        if self.model is not None:
            return Chances(np.where(judged, self.model.key, 0.0), judged, LEAST_CHANCE)
        key = key_of(purpose, self.design, self.weights, self.spread, pair, budget)
        if not isinstance(self.measure, Linear):
            return Chances(key, judged, 1.0)
        return Chances(key, judged & self.weights.scored_items if purpose == "pooled" else key > 0, FLOOR)

    def prospect(self, pair: tuple[int, int], seed: int, made: Estimate | None = None) -> Prospect:
        """What the difference of two systems varies by; `made` is the estimate of an audit, if it is at hand."""
        a, b = pair
        sd = self.doubt
        gap = (self.weights.row(a) - self.weights.row(b)) * sd
        n, topics = self.weights.n_topics, 0.0
        before = np.zeros(len(gap))
        if self.design.audited.any():
            before = self.before
            made = self._estimate(seed) if made is None else made
            i, j = np.array([a]), np.array([b])
            floor = np.zeros(1) if made.floor is None else contrast(made.floor, i, j)
            left = float(contrast(made.covariance, i, j)[0] - floor[0])
            topics = left if left > 1e-9 * floor[0] else 0.0
        by_bronze = not topics > 0
        if by_bronze:  # also where the audit's own noise hides how topics vary: they do vary
            scores = naive(self.measure, self.design)
            d = scores[a] - scores[b]
            d = d[np.isfinite(d)]
            topics = float(d.var(ddof=1)) / n if len(d) > 1 else math.nan
        # a value at either end of its range R, sd s: E(v − f)⁴ = s²(R² − 3s²)
        tail = np.maximum((float(np.ptp(self.values)) or 1.0) ** 2 / np.maximum(sd, 1e-9) ** 2 - 3, 1.0)
        if self.model is not None:  # its variance is the mean of two forms, not the larger one
            tail = np.zeros_like(sd)
        return Prospect(gap, tail, before, topics, n, by_bronze)

    @cached_property
    def doubt(self) -> Floats:
        """sd(v) of every document."""
        return self.spread[self.design.bronze] if self.model is None else self.model.spread

    def half_width(self, pi: Floats) -> float:
        """The half width of a score's 95% interval on these topics that an audit with these chances should give."""
        joint = 1 - (1 - pi) * (1 - self.before)
        usable = (joint > 0) & (joint < 1)
        odds = np.divide(1 - joint, joint, out=np.zeros_like(joint), where=usable)
        part = self.weights.weight**2 * (self.doubt**2 * odds)[self.weights.item]
        variance = np.bincount(self.weights.system, part, self.weights.n_systems) / self.weights.n_topics**2
        extra = 0.0 if self.model is None else self.model.ideals(joint)
        return quantile(0.95, math.inf) * float(np.sqrt(variance + extra).mean())

    @cached_property
    def before(self) -> Floats:
        """The chance of every document in the audit made before."""
        return chance_before(self.design, self.weights)

    def _estimate(self, seed: int) -> Estimate:
        if isinstance(self.measure, Linear):
            labels = self.design.labels(*self.design.values_of(self.measure))
            return rectified_estimate(self.weights, labels, self.design.everyones_inclusion(self.weights))
        if made := by_modelling(self.measure, self.design, "population", seed):
            return made
        return by_imputation(self.measure, self.design, "population", seed, check=False)[0]


def doubt(design: Design, values: Floats) -> tuple[Floats, list[str]]:
    """(sd(v | J) by bronze label, what to say about it): from the audit, or equal for all labels."""
    wide = float(values.max() - values.min())
    if not design.audited.any():
        notes = [
            f"no audit yet: every bronze label is taken to leave the same doubt (sd {ASSUMED} of the value range)."
        ]
        if wide == 0:  # a binary judge, a graded measure: which documents matter is known, the topics' variance is not
            notes.append(
                f"no grade of the bronze scale {design.bronze_scale} counts for this measure: the table knows nothing "
                "of how topics vary, and is too hopeful."
            )
        return np.full(design.n_labels, ASSUMED * (wide or 1.0)), notes
    labels = design.labels(values)
    seen = labels.audited
    w, v, j = labels.weight[seen], labels.value[seen], labels.bronze[seen]
    size, count = np.bincount(j, w, design.n_labels), np.bincount(j, minlength=design.n_labels)
    mean = np.divide(np.bincount(j, w * v, design.n_labels), size, out=np.zeros(design.n_labels), where=size > 0)
    overall = math.sqrt(float((w * (v - mean[j]) ** 2).sum() / w.sum()))
    notes = [f"the doubt that each bronze label leaves is estimated from the audit (shrunk by {SHRINK} labels)."]
    if overall == 0 and wide > 0:  # a few labels without an error do not make a judge without one
        overall = ASSUMED * wide * math.sqrt(SHRINK / (SHRINK + len(v)))
        shown = counted(len(v), "label")
        notes = [f"the audit shows no error in {shown}: the doubt assumed without an audit, shrunk by them."]
    square = np.bincount(j, w * (v - mean[j]) ** 2, design.n_labels)
    known = np.divide(square, size, out=np.zeros(design.n_labels), where=size > 0)
    return np.asarray(np.sqrt((known * count + SHRINK * overall**2) / (count + SHRINK)), np.float64), notes


@lru_cache(maxsize=2)  # all pairs of systems are asked about one layout
def outlook(measure: Measure, design: Design, seed: int, many: bool = True) -> Outlook:
    """Lay a measure out; one that is not linear gets the weights it has near the labels at hand.

    `many`: there will be labels enough for the model of relevance that corrects AP (`ap.scores`).
    """
    notes: list[str] = []
    if isinstance(measure, Linear):
        weights, values = (
            weights_of(measure, design.joined, design.gold_scale, design.policies.ties),
            measure.values(design.gold_scale),
        )
    elif over_ideal(measure):
        return Outlook(design, measure, *modelled(measure, design, seed))
    elif isinstance(measure, AP) and many:
        return Outlook(design, measure, *relevance(measure, design, seed))
    else:
        near = reachable(measure, design.gold_scale)
        weights, values = linearised(near, design, seed=seed)
        notes.append(
            f"{measure} is not linear: documents are weighed by how far their labels move it from where it is now, and "
            "half of the budget goes to all documents equally."
        )
        if near != measure:
            notes.append(
                f"no grade of the bronze scale {design.bronze_scale} counts for {measure}; weighed as for {near}."
            )
    spread, more = doubt(design, values)
    return Outlook(design, measure, weights, values, spread, (*notes, *more))


def labels_needed(
    measure: Measure,
    design: Design,
    pair: tuple[int, int],
    difference: float,
    *,
    made: Estimate | None = None,
    target: str = "population",
    power: float = POWER,
    level: float = 0.95,
    seed: int = 0,
) -> Needed:
    """How many audited documents, beyond those in `design`, find a difference of two systems with `power`.

    The same as `ds.plan(..., audit, difference=…, systems=pair)` says, for the target "population". `made`: the
    estimate that the audit gave, if it is at hand.
    """
    laid = outlook(measure, design, seed, enough_labels(design))
    one = laid.prospect(pair, seed, made)
    if target == "these_topics":
        one = replace(one, topics=0.0)
    return one.needed(laid.chances("scores", pair, max(float(design.audited.sum()), 100.0)), difference, power, level)
