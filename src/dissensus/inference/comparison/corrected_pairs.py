"""How corrected systems are compared: their differences as families of the engine, refusals and Fieller's sets kept."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.errors import InputError, Text
from dissensus.inference.comparison.bootstrap import REPLICATES, bootstrap_difference
from dissensus.inference.comparison.difference import Difference
from dissensus.inference.comparison.differences import NAIVE, Basis, Differences
from dissensus.inference.comparison.engine import (
    WITHOUT_INTERVALS,
    Adjusted,
    Family,
    adjusted,
    check_correction,
    margins,
    naive_differences,
    pairs_of,
    t_pairs,
    units_needed,
)
from dissensus.inference.comparison.pair_diagnosis import PairDiagnosis, diagnose_pair
from dissensus.inference.correction.coverage import attainable, planned_for_others, uncovered
from dissensus.inference.correction.estimate import FEWEST, Estimate, MeasureResult, few_labels
from dissensus.inference.correction.fieller import fieller_difference
from dissensus.inference.correction.per_system import under
from dissensus.inference.planning.prospect import labels_needed
from dissensus.measures.measure import Linear
from dissensus.stats.intervals import WEAK, ConfidenceSet
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.inference.correction.result import Corrected
    from dissensus.inference.rates.difference import Judge


def of_judge(
    corrected: Corrected, result: MeasureResult, judge: Judge | None, systems: Ints
) -> tuple[MeasureResult, tuple[str, ...]]:
    """The result that `judge` asks for, and notes; nothing asked: one matrix is shared, several are separate."""
    if judge is None:
        return result, ()

    return under(corrected, result, judge, systems)


def seen_by(corrected: Corrected, judge: Judge | None, name: str) -> tuple[Corrected, bool]:
    """The same by the calibrations that `judge` asks for, and whether these are others: scores go with differences."""
    result = corrected.results[name]
    asked = of_judge(corrected, result, judge, np.arange(len(corrected.systems)))[0]
    if asked is result:
        return corrected, False
    return replace(corrected, results={name: asked}, options=replace(corrected.options, pooled=False)), True


@dataclass(frozen=True, eq=False)
class CorrectedPairs:
    """One measure's pairs for the engine, and what else is known of each: why it has no answer, Fieller's p."""

    family: Family
    refusal: list[str]
    p_wald: Floats
    p_fieller: Floats
    by_fieller: NDArray[np.bool_]  # Fieller's set replaces the t interval
    strained: NDArray[np.bool_]  # the judge is weak, and no set replaces the interval

    def fieller(self, result: MeasureResult, k: int, level: float) -> ConfidenceSet | None:
        """Fieller's set of pair k, where there is one."""
        if math.isnan(self.p_fieller[k]):
            return None
        return fieller_difference(result.estimate, int(self.family.a[k]), int(self.family.b[k]), level)[0]


def family_of(
    corrected: Corrected, result: MeasureResult, pairs: tuple[Ints, Ints], kind: str = "wald"
) -> CorrectedPairs:
    """The pairs of one measure: θ_a − θ_b from the joint covariance, Fieller's sets where the judge is weak.

    `kind="bootstrap"`: p-values and intervals by resampling topics and calibration instead.
    """
    estimate, (a, b) = result.estimate, pairs
    refusal = _refusals(corrected, result, a, b)
    open_ = np.array([not r for r in refusal])
    se = np.where(open_, estimate.se_between(a, b), np.nan)
    df = estimate.df_between(a, b)
    plain = t_pairs(
        result.name, estimate.theta, estimate.covariance, df, pairs=pairs, se=se, covariance_df=float(estimate.df)
    )
    plain = replace(plain, difference=np.where(open_, plain.difference, np.nan), p=np.where(open_, plain.p, np.nan))
    p_fieller = np.full(len(a), np.nan)
    weak, strained = np.zeros(len(a), bool), np.zeros(len(a), bool)
    if estimate.method.by_matrix:
        for k in np.flatnonzero(open_).tolist():
            exact, p_fieller[k], is_weak = fieller_difference(estimate, int(a[k]), int(b[k]), corrected.level)
            weak[k], strained[k] = is_weak and exact is not None, is_weak and exact is None

    def interval(level: float) -> tuple[Floats, Floats]:
        low, high = (np.where(open_, ends, np.nan) for ends in plain.interval(level))
        for k in np.flatnonzero(weak).tolist():
            exact = fieller_difference(estimate, int(a[k]), int(b[k]), level)[0]
            assert exact is not None
            low[k], high[k] = exact.hull
        return low, high

    family = replace(plain, p=np.where(weak, p_fieller, plain.p), interval=interval)
    if kind == "bootstrap":
        weak, strained = np.zeros(len(a), bool), np.zeros(len(a), bool)
        family = _resampled(corrected, estimate, plain, open_)
    return CorrectedPairs(family, refusal, plain.p, p_fieller, weak, strained)


def _resampled(corrected: Corrected, estimate: Estimate, plain: Family, open_: NDArray[np.bool_]) -> Family:
    """The same pairs with p-values and intervals by resampling; more resamples for more pairs."""
    replicates = min(REPLICATES * (1 + len(plain.a) // 3), 10 * REPLICATES)
    drawn = {
        k: bootstrap_difference(estimate, int(plain.a[k]), int(plain.b[k]), corrected.seed, replicates)
        for k in np.flatnonzero(open_).tolist()
    }
    p = np.array([drawn[k].p if k in drawn else np.nan for k in range(len(plain.a))])

    def interval(level: float) -> tuple[Floats, Floats]:
        ends = np.full((2, len(plain.a)), np.nan)
        for k, one in drawn.items():
            ends[:, k] = one.interval(level)
        return ends[0], ends[1]

    return replace(plain, p=p, interval=interval)


def _refusals(corrected: Corrected, result: MeasureResult, a: Ints, b: Ints) -> list[str]:
    """Why a pair has no answer; empty where it has one."""
    estimate, systems = result.estimate, corrected.systems
    if estimate.why_not:
        return [f"no corrected difference, because {estimate.why_not}."] * len(a)
    alone = [estimate.why_not_of(s) for s in range(len(systems))]
    effective = estimate.effective_labels_between(a, b)
    rows: dict[int, Floats] = {}
    out = []
    for i, j, n_eff in zip(a.tolist(), b.tolist(), effective.tolist(), strict=True):
        lost = next((s for s in (i, j) if alone[s]), None)
        if lost is not None:
            out.append(f"no corrected difference, because of {systems[lost]}: {alone[lost]}.")
            continue
        if n_eff < FEWEST:
            out.append(f"no corrected difference, because {few_labels(n_eff)}.")
            continue
        if not result.refused or result.weights is None:
            out.append("")
            continue
        why = planned_for_others(corrected.design, systems[i], systems[j])
        if not why:
            for s in (i, j):
                if s not in rows:
                    rows[s] = result.weights.row(s)
            why = uncovered(corrected.design, rows[i] != rows[j])
        out.append(f"the audit does not cover the documents that tell the two apart: {why}." if why else "")
    return out


# ── one pair ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def compare_pair(
    corrected: Corrected,
    result: MeasureResult,
    a: int,
    b: int,
    interval: str,
    difference: float | None,
    *,
    judge_notes: tuple[str, ...] = (),
) -> Difference:
    """One pair, unadjusted, with its diagnosis; `judge_notes` is what there is to say about the judge asked for."""
    pairs = np.array([a]), np.array([b])
    known = family_of(corrected, result, pairs, interval)
    one = adjusted([known.family], "none", corrected.level)[0]
    made = _differences(corrected, result, known, one, difference, {(a, b)}, interval)[0]
    return made if known.refusal[0] else replace(made, notes=(*judge_notes, *made.notes))


def _differences(
    corrected: Corrected,
    result: MeasureResult,
    known: CorrectedPairs,
    one: Adjusted,
    difference: float | None,
    diagnosed: set[tuple[int, int]],
    kind: str = "wald",
) -> list[Difference]:
    """The pairs of one measure as results."""
    correction, family = one.correction, one.size
    f, method = known.family, str(result.estimate.method) + (", bootstrap" if kind == "bootstrap" else "")
    usual = "bootstrap" if kind == "bootstrap" else "t"
    naive, naive_p = naive_differences(result.naive, f.a, f.b)
    # Holm and BH have no interval; what they can see is told by Bonferroni's level, which they never fall behind
    level = 1 - (1 - corrected.level) / family if math.isnan(one.level) else one.level
    seen = f.se * margins(f.df, level)
    topics = result.estimate.scores
    out = []
    for k, (i, j) in enumerate(zip(f.a.tolist(), f.b.tolist(), strict=True)):
        weak = bool(known.by_fieller[k])
        exact = None if known.refusal[k] else known.fieller(result, k, level)
        diagnosis = diagnose_pair(corrected, result, i, j) if (i, j) in diagnosed and not known.refusal[k] else None
        out.append(
            Difference(
                corrected.systems[i], corrected.systems[j], result.name, float(f.difference[k]), float(f.se[k]),
                allowed(corrected, result, i, j) if known.refusal[k] else (float(one.low[k]), float(one.high[k])),
                float(one.p[k]), corrected.level,
                f"{method}, Fieller" if weak else method, correction, family,
                naive=float(naive[k]), naive_p=float(naive_p[k]), p_wald=float(known.p_wald[k]),
                p_fieller=float(known.p_fieller[k]), fieller=exact, detectable=float(seen[k]), df=float(f.df[k]),
                advice=_advice(corrected, result, i, j, float(seen[k]), level, difference),
                notes=_notes(known, k, exact if correction not in WITHOUT_INTERVALS else None, diagnosis),
                by="fieller" if weak and correction not in WITHOUT_INTERVALS else usual, diagnosis=diagnosis,
                margin=math.nan if difference is None else difference,
                alike=bool(f.difference[k] != 0 or np.allclose(topics[i], topics[j], equal_nan=True)),
            )
        )  # fmt: skip
    return out


def allowed(corrected: Corrected, result: MeasureResult, a: int, b: int) -> tuple[float, float]:
    """All that is certain of a difference without an answer: what the labels allow, or the measure's whole range.

    For these topics, a linear measure is bounded by the documents without an expert's grade, at their best and worst.
    """
    design, weights = corrected.design, result.weights
    linear = isinstance(result.measure, Linear) and weights is not None
    values = result.measure.values(design.gold_scale) if isinstance(result.measure, Linear) else None
    if linear and weights is not None and values is not None and corrected.target == "these_topics":
        gap = weights.row(a) - weights.row(b)
        seen = design.audited
        sure = float((gap[seen] * values[design.gold[seen]]).sum())
        left, rest = gap[~seen], weights.rest[a].sum() + weights.rest[b].sum()
        low, high = float(values.min()), float(values.max())
        worst = float(np.where(left > 0, left * low, left * high).sum()) - rest * (high - low)
        best = float(np.where(left > 0, left * high, left * low).sum()) + rest * (high - low)
        return (sure + worst) / weights.n_topics, (sure + best) / weights.n_topics
    ends = attainable(result.measure, weights, values, len(corrected.systems))
    if ends is None:
        return -math.inf, math.inf
    return float(ends[0][a] - ends[1][b]), float(ends[1][a] - ends[0][b])


def _notes(
    known: CorrectedPairs, k: int, exact: ConfidenceSet | None, diagnosis: PairDiagnosis | None
) -> tuple[str, ...]:
    """What must be read beside a pair: why it has no answer, or what replaced its interval and its diagnosis."""
    if known.refusal[k]:
        return (known.refusal[k],)
    notes = () if diagnosis is None else diagnosis.sentences()
    if known.by_fieller[k] and exact is not None:
        notes += (f"D/se(D) < {WEAK:g}: Fieller's set {exact} ({exact.kind}) replaces the normal interval.",)
    if known.strained[k]:
        notes += (f"D/se(D) < {WEAK:g}: the normal interval is strained, and no Fieller set replaces it.",)
    return notes


def _advice(
    corrected: Corrected,
    result: MeasureResult,
    a: int,
    b: int,
    seen: float,
    level: float,
    difference: float | None,
) -> str:
    """What could be seen, or what it would take to see `difference`, by a test at `level`."""
    if not math.isfinite(seen):
        return ""
    smallest = f"the smallest difference found with 80% power is {seen:.3f}"
    if difference is None:
        return smallest
    floor, design = result.estimate.floor, corrected.design
    if floor is None:
        topics = units_needed(len(corrected.topics), seen, difference)
        return f"{smallest}; {difference:g} would need about {counted(topics, 'topic')} at this audited share"

    one = labels_needed(
        result.measure, design, (a, b), difference, made=result.estimate, target=corrected.target, level=level,
        seed=corrected.seed,
    )  # fmt: skip
    return one.sentence


# ── all pairs ────────────────────────────────────────────────────────────────────────────────────────────────────────
def compare_everyone(
    corrected: Corrected,
    correction: str,
    judge: Judge | None,
    difference: float | None,
    *,
    baseline: str | None = None,
    diagnosis: bool = False,
    interval: str = "wald",
) -> Differences:
    """All pairs × measures, adjusted together; with a baseline, every system against it."""
    correction = check_correction(correction)
    n = len(corrected.systems)
    if n < 2:
        raise InputError("there are fewer than two systems to compare.")
    base = None if baseline is None else corrected.place_of(baseline)
    asked = {name: of_judge(corrected, r, judge, np.arange(n)) for name, r in corrected.results.items()}
    results = {name: r for name, (r, _) in asked.items()}
    corrected = replace(corrected, results=results)
    pairs = pairs_of(n, base)
    known = {name: family_of(corrected, r, pairs, interval) for name, r in results.items()}
    family = len(pairs[0]) * len(results)
    adjustments = adjusted([k.family for k in known.values()], correction, corrected.level, seed=corrected.seed)
    diagnosed = set(zip(pairs[0].tolist(), pairs[1].tolist(), strict=True)) if diagnosis else set()
    made: list[Difference] = []
    for (name, k), one in zip(known.items(), adjustments, strict=True):
        made += _differences(corrected, results[name], k, one, difference, diagnosed, interval)
    text = f"{counted(len(pairs[0]), 'pair')} × {counted(len(results), 'measure')} = "
    text += f"{counted(family, 'comparison')}, adjusted by {correction}"
    text += ", bootstrap over topics and calibration" if interval == "bootstrap" else ""
    about_judge = (Text(f"{name}: ", note) for name, (_, notes) in asked.items() for note in notes)
    notes = tuple(dict.fromkeys((*corrected.account, *about_judge)))
    means = {
        name: {} if r.refused else dict(zip(corrected.systems, r.estimate.theta.tolist(), strict=True))
        for name, r in results.items()
    }
    worries = [f"{n}: {f}" for n, findings in corrected.diagnosis.items() for f in findings if f.worry]
    basis = Basis(text, corrected.footer, (*corrected.source, NAIVE, *worries), notes)
    return Differences.of(made, basis, means, baseline)
