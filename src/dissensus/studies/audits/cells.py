"""Audits of real labels: a judge is audited many times as if few gold labels were known, and held against all of them.

One *cell* is a judge, a measure, a number of labels, a design (`planned` as `ds.plan` draws, or `random`) and a target.
Every audit draws systems afresh and, for the target `population`, topics with replacement. The truth is then the gold
score over all topics that there are. An audit that is refused is counted apart from one that misses.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from dissensus.arrays import Floats
from dissensus.inference.ap.scores import FROM
from dissensus.inference.correction.api import estimated
from dissensus.inference.correction.design import Design, lay_out
from dissensus.inference.correction.estimate import Estimate, MeasureResult, naive
from dissensus.inference.correction.fieller import score_intervals
from dissensus.inference.correction.pooled import pooled_estimate
from dissensus.inference.correction.questions import Target
from dissensus.inference.planning.prospect import outlook
from dissensus.measures.measure import Measure
from dissensus.stats.correlation import kendall_tau
from dissensus.stats.sampling import fixed_size
from dissensus.tables.audit import Audit
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

if TYPE_CHECKING:
    from dissensus.studies.audits.repetitions import GoldStandard

METHODS = ("naive", "corrected", "pooled")
ROUNDING = 1e-9  # with every document audited, error and half width are 0 but for the last digits
Cell = tuple[str, str, int, str, str]  # judge, measure, labels, design, target
Row = dict[str, float]
NUMBERS = (
    "rmse", "rmse_deviations", "tau", "scores", "width", "differences", "apart", "wrong", "unscored", "unknown",
    "scores_se", "differences_se",
)  # fmt: skip
#: what a judge's grades are worth on a gold scale of four, by how many grades it uses; its own classes stay for f(J)
GRADES = {2: (0, 2), 6: (0, 1, 1, 2, 3, 3)}


def block(
    unit: tuple[Any, ...],
    given: GoldStandard,
    measures: Mapping[str, Measure],
    systems: int,
    favoured: tuple[str, ...],
    rng: np.random.Generator,
) -> dict[str, list[Row]]:
    """Some audits of one cell: what each method did, row by row."""
    judge, name, labels, how, target, audits = unit
    out: dict[str, list[Row]] = {method: [] for method in METHODS}
    for _ in range(audits):
        done = audited(given, judge, measures[name], (labels, how, target), systems, rng)
        for method, row in rows_of(done, measures[name], target, favoured).items():
            out[method].append(row)
    return out


@dataclass(frozen=True, eq=False)
class Audited:
    """One audit: what is known of it, its estimate, the judge's naive scores by topic, and the truth."""

    design: Design
    result: MeasureResult
    plain: Floats
    truth: Floats
    seed: int


def rows_of(done: Audited, measure: Measure, target: Target, favoured: tuple[str, ...] = ()) -> dict[str, Row]:
    """One audit's naive, corrected and pooled scores against the truth."""
    estimate, weights = done.result.estimate, done.result.weights
    pooled = pooled_estimate(measure, done.plain, estimate, done.design, weights, target)
    theirs = tuple(i for i, name in enumerate(done.design.joined.systems) if name in favoured)
    return {
        "naive": judged(np.nanmean(done.plain, axis=1), None, done.truth),
        "corrected": judged(estimate.theta, estimate, done.truth, favoured=theirs),
        "pooled": judged(pooled.theta, pooled, done.truth, favoured=theirs),
    }


def audited(
    given: GoldStandard,
    judge: str,
    measure: Measure,
    asked: tuple[int, str, Target],
    systems: int,
    rng: np.random.Generator,
) -> Audited:
    """Draw systems (and topics), audit and correct."""
    labels, how, target = asked
    runs, bronze, gold = _drawn_systems(given.runs, systems, rng), given.alone(judge), given.alone(given.gold)
    everyone = [t for t in bronze.topics if t in set(gold.topics)]
    truth = _means(measure, lay_out(runs, gold.select(topics=everyone), None))
    topics = None
    if target == "population":
        topics = [everyone[i] for i in rng.integers(len(everyone), size=len(everyone))]
        runs, bronze, gold = (_resampled(x, topics) for x in (runs, bronze, gold))
    whole = lay_out(runs, bronze, Audit(gold, np.ones(len(gold))))
    pi = _chances(whole, measure, labels, how)
    keep = np.zeros(len(pi), bool)
    keep[fixed_size(pi, rng)] = True
    design = replace(whole, gold=np.where(keep, whole.gold, -1), inclusion=pi, chances=pi)
    plain = naive(measure, lay_out(runs, on_scale(bronze, gold), None))
    seed = int(rng.integers(2**31))
    result = replace(estimated(measure, design, target, seed), naive=plain)
    return Audited(design, result, plain, truth, seed)


def _chances(whole: Design, measure: Measure, labels: int, how: str) -> Floats:
    """π of every document: as `plan` draws for scores, or equal for all judged ones."""
    able = (whole.bronze < whole.n_labels - 1) & whole.audited
    if how == "random":
        return np.where(able, min(labels / max(int(able.sum()), 1), 1.0), 0.0)
    bare = replace(whole, gold=np.full(len(able), -1), inclusion=np.full(len(able), np.nan), chances=None, given=False)
    pi = outlook(measure, bare, 0, labels >= FROM).chances("scores", None, labels).at(labels)
    outlook.cache_clear()  # every audit has systems of its own
    return np.where(able, pi, 0.0)


def _drawn_systems(runs: Runs, n: int, rng: np.random.Generator) -> Runs:
    """`n` of the runs; all of them where n is 0, or there are no more."""
    if n <= 0 or n >= len(runs.systems):
        return runs
    return runs.select(systems=[runs.systems[i] for i in np.sort(rng.choice(len(runs.systems), n, replace=False))])


def _resampled(table: Any, topics: list[str]) -> Any:
    """Runs or judgments of these topics, one after the other; a topic that comes twice is two topics."""
    names = pl.DataFrame({"topic": topics, "new": [f"{t}#{i}" for i, t in enumerate(topics)]})
    frame = table.to_frame().join(names, on="topic", how="inner").with_columns(topic=pl.col("new")).drop("new")
    if isinstance(table, Judgments):
        return Judgments.from_frame(frame.with_columns(pl.col("grade").cast(pl.String)), scale=table.scale)
    return Runs.from_frame(frame)


def on_scale(bronze: Judgments, gold: Judgments) -> Judgments:
    """The judge's labels with its grades on a gold scale of four, for its naive scores."""
    grades = GRADES.get(len(bronze.scale)) if len(gold.scale) == 4 else None
    if grades is None:
        return bronze
    return bronze.with_grades(np.array(grades, bronze.grade.dtype)[bronze.grade], gold.scale)


def _means(measure: Measure, design: Design) -> Floats:
    return np.asarray(np.nanmean(naive(measure, design), axis=1), np.float64)


# ── what one audit showed ────────────────────────────────────────────────────────────────────────────────────────────
def judged(
    theta: Floats, estimate: Estimate | None, truth: Floats, level: float = 0.95, favoured: tuple[int, ...] = ()
) -> Row:
    """Squared errors of scores and of deviations, order; coverage and width of scores and differences, refusals.

    `favoured` are systems whose differences are counted once more by themselves, those that the judge favours.
    """
    if estimate is not None and estimate.why_not:
        return {"refused": 1.0}
    away = (theta - theta.mean()) - (truth - truth.mean())
    out: Row = {
        "square": float(((theta - truth) ** 2).mean()),
        "deviation": float((away**2).mean()),
        "tau": float(kendall_tau(theta, truth)),
        "refused": 0.0,
    }
    if estimate is None:
        return out
    low, high = score_intervals(estimate, level)
    scored = ~estimate.too_few
    a, b = np.triu_indices(len(truth), 1)
    found, gap = theta[a] - theta[b], truth[a] - truth[b]
    half = estimate.half_between(a, b, level)
    known = estimate.effective_labels_between(a, b) >= 3
    claimed = known & (np.abs(found) > half + ROUNDING)
    held = np.abs(found - gap) <= half + ROUNDING
    out |= {
        "scores": _share((low - ROUNDING <= truth) & (truth <= high + ROUNDING), scored),
        "width": float((high - low)[scored].mean()) if scored.any() else math.nan,
        "differences": _share(held, known),
        "apart": float(claimed.mean()),
        "wrong": float((claimed & (found * gap < 0)).mean()),
        "unscored": float(1 - scored.mean()),
        "unknown": float(1 - known.mean()),
    }
    if favoured:
        out["favoured"] = _share(held, known & (np.isin(a, favoured) | np.isin(b, favoured)))
    return out


def _share(held: np.ndarray[Any, np.dtype[np.bool_]], of: np.ndarray[Any, np.dtype[np.bool_]]) -> float:
    return float(held[of].mean()) if of.any() else math.nan


def summary(rows: Iterable[Row]) -> dict[str, float | None]:
    """Means over audits that were not refused, and the standard errors of both coverages over audits."""
    every = list(rows)
    kept = [r for r in every if not r["refused"]]
    out: dict[str, float | None] = {"audits": len(every), "refused": 1 - len(kept) / max(len(every), 1)}
    out |= dict.fromkeys(NUMBERS)
    if not kept:
        return out
    mean = {k: _mean([r[k] for r in kept]) for k in kept[0] if k != "refused"}
    out |= {"rmse": math.sqrt(mean.pop("square")), "rmse_deviations": math.sqrt(mean.pop("deviation")), **mean}
    for name in ("scores", "differences"):
        if name in mean:
            values = np.array([r[name] for r in kept])
            out[f"{name}_se"] = float(np.nanstd(values) / math.sqrt(len(values)))
    return out


def _mean(values: list[float]) -> float:
    known = [v for v in values if not math.isnan(v)]
    return sum(known) / len(known) if known else math.nan


def over_judges(cells: pl.DataFrame, keys: tuple[str, ...] = ("measure", "labels", "design", "target")) -> pl.DataFrame:
    """All judges (or settings) of a cell together: means, and the worst judge's.

    `tau_lost` is the most by which a judge's order was better before pooling (or correcting): its τ below the better
    one of naive and corrected scores.
    """
    one = [c for c in cells.columns if c in ("judge", "setting")]
    best = pl.when(pl.col("method") != "pooled").then(pl.col("tau")).max().over(*one, *keys)
    rows = cells.with_columns(pl.col(pl.Float64).fill_nan(None)).with_columns(lost=best - pl.col("tau"))
    return rows.group_by(*keys, "method", maintain_order=True).agg(
        pl.len().alias("judges"),
        pl.col("audits").sum(),
        *(pl.col(c).mean() for c in ("refused", "rmse")),
        rmse_most=pl.col("rmse").max(),
        rmse_deviations=pl.col("rmse_deviations").mean(),
        tau=pl.col("tau").mean(),
        tau_lost=pl.col("lost").max(),
        scores=pl.col("scores").mean(),
        scores_least=pl.col("scores").min(),
        width=pl.col("width").mean(),
        width_most=pl.col("width").max(),
        differences=pl.col("differences").mean(),
        differences_least=pl.col("differences").min(),
        apart=pl.col("apart").mean(),
        wrong=pl.col("wrong").max(),
    )
