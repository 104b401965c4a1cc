"""Which documents to audit next, and what an audit can and cannot settle.

A gold label is worth most where it can move a difference between systems and where the bronze label says least. For two
systems documents are chosen with probability π ∝ |w_a − w_b|·sd(v | J), for many with π ∝ sd_s(w_s)·sd(v | J), at most
1, at least 0.01 where weights differ (less where the budget is too small for it). Measures that are not linear get the
weights they have near the labels at hand (`linearised`); half of the budget goes to all judged documents alike, because
R and ideals depend on all of them, and because under gold labels the weights may be others. Each document is drawn on
its own (Poisson sampling), so the audit may be a few documents larger or smaller than the budget, and every one of its
probabilities is known.

Look at the result once: growing an audit until something is significant voids the p-value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from dissensus.data.tables.audit import Audit, as_audit
from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.runs import Runs
from dissensus.data.tables.scale import Scale
from dissensus.errors import InputError, Option, Text
from dissensus.inference.comparison.power import check_difference, margin, power_of
from dissensus.inference.correction.api import one_judge
from dissensus.inference.correction.design import Design, lay_out
from dissensus.inference.correction.estimate import contrast
from dissensus.inference.correction.linear_scores import naive, rectified_estimate
from dissensus.inference.correction.nonlinear_scores import by_imputation
from dissensus.inference.correction.result import mean_defined
from dissensus.inference.correction.weights import Floats, Weights, weights_of
from dissensus.inference.planning.linearised import linearised
from dissensus.inference.planning.sample import chance_before, covers_of, draw
from dissensus.inference.sequential.planned import ordered_sample
from dissensus.measures.catalog import measure as named
from dissensus.measures.measure import Linear, Measure
from dissensus.results import Result, as_json
from dissensus.work.plural import counted

if TYPE_CHECKING:
    import polars as pl

Bools = NDArray[np.bool_]
FLOOR = 0.01
BUDGETS = (25, 50, 100, 200, 400, 800, 1600, 3200)
DEFAULT_BUDGET = 200


@dataclass(frozen=True, eq=False)
class Plan(Result):
    """What to audit (`sample`, to be graded and given back as an audit), what it will show (`table`), what it cannot.

    `labels` and `queries`: audited documents, or topics, needed for the difference asked about; NaN where it was not
    named or where no audit can settle it (`sentence` says which).
    """

    sample: pl.DataFrame
    table: pl.DataFrame
    labels: float
    queries: float
    sentence: str
    pair: tuple[str, str]
    budget: float
    notes: tuple[str, ...] = ()
    everyone: pl.DataFrame = field(repr=False, default=None)  # type: ignore[assignment]  # π of every document

    def to_frame(self) -> pl.DataFrame:
        return self.table

    def __str__(self) -> str:
        head = f"{self.sample.height} documents to audit; {self.sentence}"
        lines = [
            f"  {r['labels']:>6,} labels: se {r['se']:.4f}, finds {r['detectable']:.4f} with the power asked for"
            for r in self.table.iter_rows(named=True)
        ]
        return "\n".join((head, *lines, *self.notes))

    def to_json(self) -> str:
        return as_json(
            {
                "sample": self.sample.to_dicts(),
                "table": self.table.to_dicts(),
                "labels": self.labels,
                "queries": self.queries,
                "sentence": self.sentence,
                "notes": self.notes,
            }
        )


def plan(
    runs: Runs,
    judgments: Judgments,
    audit: Audit | Judgments | None = None,
    budget: float | None = None,
    difference: float | None = None,
    power: float = 0.8,
    *,
    measure: str | Measure = "P@10",
    systems: tuple[str, str] | None = None,
    scores: bool = False,
    assessor: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    order: bool = False,
) -> Plan:
    """Plan an audit of the bronze `judgments`.

    `budget`: documents to audit; without it, what `difference` needs at `power`, else 200. `audit`: one made before; it
    tells how much each bronze label leaves open, and the sample returned holds it with joint probabilities.
    `systems`: two to tell apart; without it, all. `scores=True` gives every scored document a chance, so that single
    scores can be estimated and not only differences. `order=True`: the sample is a committed order of all documents
    (`draw`, `rate`, `next_key`), to be graded from the top and looked at after every label with `ds.sequential`.
    """
    if order and audit is not None:
        raise InputError(
            "an order is committed before the first label; an audit made before cannot be part of it.",
            "Leave the audit out, or plan without order=True.",
        )
    if budget is not None and not (math.isfinite(budget) and budget > 0):
        raise InputError(Text(Option("budget", budget), ": the number of documents to audit is above 0."))
    check_difference(difference)
    if not 0 < power < 1:
        raise InputError(Text(Option("power", power), " is not between 0 and 1."))
    m = named(measure)
    notes: list[str] = []
    design = lay_out(runs, one_judge(judgments, assessor), None if audit is None else as_audit(audit))
    a, b = _pair(systems, design, m)
    if isinstance(m, Linear):
        weights, values = weights_of(m, design.joined, design.gold_scale), m.values(design.gold_scale)
    else:
        near = reachable(m, design.gold_scale)
        weights, values = linearised(near, design, seed=seed)
        notes.append(
            f"{m} is not linear: documents are weighed by how far their labels move it from where it is now, and half "
            "of the budget goes to all alike."
        )
        if near != m:
            notes.append(f"no grade of the bronze scale {design.bronze_scale} counts for {m}; weighed as for {near}.")
        if not weights.weight.any():
            raise InputError(f"no single document's label moves {m} on these runs.", "Plan for another measure.")
    spread, said = _spread(design, weights, values)
    notes += said
    names = design.joined.systems
    pair = (a, b) if systems or len(names) == 2 else None
    key = _key(design, weights, pair, spread, scores)
    floor = key > 0 if isinstance(m, Linear) else design.bronze < design.n_labels - 1
    variance = _Variance(design, weights, m, values, (a, b), spread, seed)
    if variance.by_bronze and design.audited.any():
        notes.append("the audit is too small to tell how the difference varies by topic: taken from bronze labels.")
    wanted, queries, sentence = variance.needed(key, floor, difference, power, level)
    asked = budget if budget is not None else wanted if math.isfinite(wanted) else DEFAULT_BUDGET
    pi = inclusion(key, floor, asked, variance.least)
    whole = scores or not isinstance(m, Linear)
    about = "" if whole else f"difference of {names[a]} and {names[b]}" if pair else "differences"
    sample, everyone = draw(design, weights, pi, seed, covers_of(design, about))
    table = variance.table(key, floor, difference, power, level)
    if order:
        chosen = (names[a], names[b]) if pair else names
        sample, more = ordered_sample(
            runs, judgments, m, chosen, assessor, scores=scores, seed=seed, covers=about or "scores"
        )
        notes += more
    else:
        notes += _promises(design, pi, asked, about)
    return Plan(sample, table, wanted, queries, sentence, (names[a], names[b]), asked, tuple(notes), everyone)


def inclusion(key: Floats, floor: Bools, budget: float, least: float = FLOOR) -> Floats:
    """π ∝ key, at most 1, at least `least` where `floor`, Σπ = budget (or every document, if the budget allows).

    Where that least would eat more than half of the budget, it is half of the budget, spread evenly.

    >>> inclusion(np.array([1.0, 1.0, 2.0, 0.0]), np.array([True, True, True, False]), 2.0).tolist()
    [0.5, 0.5, 1.0, 0.0]
    """
    lowest = np.where(floor, min(least, budget / (2 * max(int(floor.sum()), 1))), 0.0)
    able = int(((key > 0) | (lowest > 0)).sum())
    if budget >= able:
        return np.where((key > 0) | (lowest > 0), 1.0, 0.0)

    def at(scale: float) -> Floats:
        return np.minimum(np.maximum(key * scale, lowest), 1.0)

    low, high = 0.0, 1.0
    while at(high).sum() < budget and high < 1e18:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle).sum() < budget else (low, middle)
    return np.where((key > 0) | (lowest > 0), at(high), 0.0)


# ── pieces ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def reachable(m: Measure, scale: Scale) -> Measure:
    """The measure with a threshold that labels on this scale can reach: its highest grade, if it ends below."""
    rel = getattr(m, "rel", None)
    if not isinstance(rel, int) or rel <= scale.top:
        return m
    changed: Any = m
    return cast("Measure", replace(changed, rel=scale.top))


def _pair(systems: tuple[str, str] | None, design: Design, m: Measure) -> tuple[int, int]:
    """The two systems whose difference is planned for: those named, or the two best by bronze labels."""
    names = design.joined.systems
    if systems is not None:
        for s in systems:
            if s not in names:
                raise InputError(f"no system is called {s!r}; there are {', '.join(names[:10])}.")
        if len(systems) != 2 or systems[0] == systems[1]:
            raise InputError(f"a plan is about two different systems, not {' and '.join(systems)}.")
        return names.index(systems[0]), names.index(systems[1])
    if len(names) < 2:
        raise InputError("a plan needs two systems at least.")
    best = np.argsort(-mean_defined(naive(m, design)), kind="stable")
    return int(best[0]), int(best[1])


def _spread(design: Design, weights: Weights, values: Floats) -> tuple[Floats, list[str]]:
    """sd(v | J) by bronze label: from the audit, or alike for all labels."""
    wide = float(values.max() - values.min())
    if not design.audited.any():
        said = ["no audit yet: every bronze label is taken to leave the same doubt (sd 0.4 of the value range)."]
        if wide == 0:  # a binary judge, a graded measure: which documents matter is known, the topics' variance is not
            said.append(f"no grade of the bronze scale {design.bronze_scale} counts for this measure: the table knows "
                        "nothing of how topics vary, and is too hopeful.")  # fmt: skip
        return np.full(design.n_labels, 0.4 * (wide or 1.0)), said
    labels = design.labels(values)
    seen = labels.audited
    w, v, j = labels.weight[seen], labels.value[seen], labels.bronze[seen]
    size, count = np.bincount(j, w, design.n_labels), np.bincount(j, minlength=design.n_labels)
    mean = np.divide(np.bincount(j, w * v, design.n_labels), size, out=np.zeros(design.n_labels), where=size > 0)
    overall = math.sqrt(float((w * (v - mean[j]) ** 2).sum() / w.sum()))
    said = ["the doubt that each bronze label leaves is estimated from the audit (shrunk by 10 labels)."]
    if overall == 0 and wide > 0:  # a few labels without an error do not make a judge without one
        overall = 0.4 * wide * math.sqrt(10 / (10 + len(v)))
        shown = counted(len(v), "label")
        said = [f"the audit shows no error in {shown}: the doubt assumed without an audit, shrunk by them."]
    square = np.bincount(j, w * (v - mean[j]) ** 2, design.n_labels)
    # ten labels' worth of the overall spread: a label with three agreeing documents is not free of doubt
    spread = np.sqrt(
        (np.divide(square, size, out=np.zeros_like(square), where=size > 0) * count + 10 * overall**2) / (count + 10)
    )
    return spread, said


def _key(design: Design, weights: Weights, pair: tuple[int, int] | None, spread: Floats, scores: bool) -> Floats:
    """What π is proportional to: how much a document can move differences (or, with `scores`, any score) × doubt."""
    if scores:
        apart = np.sqrt(np.bincount(weights.item, weights.weight**2, weights.n_items) / weights.n_systems)
    else:
        apart = np.abs(weights.row(pair[0]) - weights.row(pair[1])) if pair else weights.pull
    out: Floats = np.where(design.bronze < design.n_labels - 1, apart * spread[design.bronze], 0.0)
    return out


class _Variance:
    """What the planned difference will vary by, as a function of π."""

    def __init__(
        self,
        design: Design,
        weights: Weights,
        m: Measure,
        values: Floats,
        pair: tuple[int, int],
        spread: Floats,
        seed: int,
    ) -> None:
        self.gap = (weights.row(pair[0]) - weights.row(pair[1])) * spread[design.bronze]
        self.n = weights.n_topics
        self.least = FLOOR if isinstance(m, Linear) else 1.0  # half of the budget goes to all documents alike
        self.before = np.zeros(len(self.gap))
        self.topics = 0.0
        if design.audited.any():
            known = design.everyones_inclusion(weights)
            self.before = chance_before(design, weights)
            if isinstance(m, Linear):
                made = rectified_estimate(weights, design.labels(values), known)
            else:
                made = by_imputation(m, design, "population", seed)[0]
            i, j = np.array([pair[0]]), np.array([pair[1]])
            floor = np.zeros(1) if made.floor is None else contrast(made.floor, i, j)
            left = float(made.se_between(i, j)[0] ** 2 - floor[0])
            self.topics = left if left > 1e-9 * floor[0] else 0.0
        self.by_bronze = not self.topics > 0
        if self.by_bronze:  # also where the audit's own noise hides how topics vary: they do vary
            scores = naive(m, design)
            d = scores[pair[0]] - scores[pair[1]]
            d = d[np.isfinite(d)]
            self.topics = float(d.var(ddof=1)) / self.n if len(d) > 1 else math.nan

    def se(self, pi: Floats) -> float:
        joint = 1 - (1 - pi) * (1 - self.before)
        hit = (self.gap != 0) & (joint > 0)
        audit = float((self.gap[hit] ** 2 * (1 - joint[hit]) / joint[hit]).sum()) / self.n**2
        return math.sqrt(self.topics + audit)

    def needed(
        self, key: Floats, floor: Bools, difference: float | None, power: float, level: float
    ) -> tuple[float, float, str]:
        """(labels, topics, sentence) for a named difference."""
        if difference is None:
            return math.nan, math.nan, "name a difference to learn how many labels it needs."
        allowed = difference / margin(self.n - 1, level, power)
        most = int(((key > 0) | (floor > 0)).sum())
        best = self.se(inclusion(key, floor, most, self.least))
        if not math.isfinite(best / allowed):
            return math.nan, math.nan, "one topic does not tell how differences vary: no number of labels can be named."
        if best > allowed:
            topics = math.ceil(self.n * (best / allowed) ** 2)
            return (
                math.nan,
                topics,
                f"no audit can settle a difference of {difference:g}: even with every document audited the topics vary "
                f"too much; about {topics:,} topics are needed instead of {self.n:,}.",
            )
        low, high = 1.0, float(most)
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (
                (low, middle) if self.se(inclusion(key, floor, middle, self.least)) <= allowed else (middle, high)
            )
        labels = math.ceil(high)
        return (
            labels,
            self.n,
            f"a difference of {difference:g} needs about {labels:,} audited documents (power {power:.0%}).",
        )

    def table(self, key: Floats, floor: Bools, difference: float | None, power: float, level: float) -> pl.DataFrame:
        """Labels against standard error, detectable difference and power."""
        import polars as pl

        most = int(((key > 0) | (floor > 0)).sum())
        rows = []
        for labels in sorted({*(b for b in BUDGETS if b < most), most}):
            se = self.se(inclusion(key, floor, labels, self.least))
            row = {"labels": labels, "se": se, "detectable": se * margin(self.n - 1, level, power)}
            if difference is not None:
                apart = math.inf if se == 0 else difference / se  # 0: bronze labels set them apart alike on every topic
                row["power"] = power_of(apart, self.n - 1, level)
            rows.append(row)
        return pl.DataFrame(rows)


def _promises(design: Design, pi: Floats, budget: float, about: str) -> list[str]:
    spread = math.sqrt(float((pi * (1 - pi)).sum()))
    notes = [
        f"documents are drawn one by one: {pi.sum():,.0f} expected, give or take {spread:.0f}.",
        "fill the column grade, leave the others as they are, and give the file back as the audit.",
        "look at the result once: growing an audit until a difference is significant voids its p-value.",
    ]
    if about:
        whom, what = ("all systems", about) if about == "differences" else ("these two", f"the {about}")
        notes.append(
            Text(
                f"this sample can answer about {what} only: documents that {whom} rank equally were never drawn. Use ",
                Option("scores", None),
                " to include them.",
            )
        )
    if design.audited.any():
        notes.append("documents audited before are in the sample, with joint inclusion probabilities.")
        if design.given:
            notes.append(
                "how likely a new document was to be chosen then is not known, and taken from documents like it (same "
                "label, same weight): right for an earlier plan for these systems and this measure."
            )
    if budget >= (pi > 0).sum():
        notes.append("the budget covers every document that matters.")
    return notes
