"""How two corrected systems, or all of them, are compared."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dissensus.errors import InputError, Option, Text
from dissensus.inference.comparison.difference import (
    Difference,
    Differences,
    best_first,
    contrasts,
    critical,
    indistinct,
    max_t,
)
from dissensus.inference.comparison.power import margin, needed
from dissensus.inference.correction.coverage import planned_for_others, reach, uncovered
from dissensus.inference.correction.design import DEPTHS
from dissensus.inference.correction.diagnosis import differential
from dissensus.inference.correction.estimate import Estimate
from dissensus.inference.correction.fieller import fieller_difference
from dissensus.inference.correction.linear_scores import values_of
from dissensus.inference.correction.matrix import accuracies
from dissensus.inference.correction.per_system import under
from dissensus.inference.correction.weights import Floats
from dissensus.inference.formatting import p_text
from dissensus.inference.rates.api import WEAK
from dissensus.measures.measure import Linear
from dissensus.stats.fieller import ConfidenceSet
from dissensus.stats.intervals import quantile, two_sided_p
from dissensus.stats.simultaneous import share_reaching
from dissensus.work.plural import counted

MANY = 30  # pairs; beyond, notes on single pairs are left to compare(a, b)

if TYPE_CHECKING:
    from dissensus.inference.correction.result import Corrected, MeasureResult
    from dissensus.inference.rates.difference import Judge


def compare_pair(
    corrected: Corrected,
    result: MeasureResult,
    a: int,
    b: int,
    interval: str,
    difference: float | None,
    *,
    said: tuple[str, ...] = (),
    brief: bool = False,
) -> Difference:
    """One pair, unadjusted; `brief` leaves out the notes.

    `said` is what there is to say about the judge asked for (`separate.under`).
    """
    estimate = result.estimate
    notes = () if brief else (*said, *_pair_notes(corrected, result, a, b))
    refusal = _refusal(corrected, result, estimate, a, b)
    delta, se = wald_difference(estimate, a, b)
    if refusal:
        delta = se = math.nan
        notes = (refusal,)
    naive, naive_p = naive_difference(result.naive, a, b)
    df = float(estimate.df_between(np.array([a]), np.array([b]))[0])
    half = quantile(corrected.level, df) * se if math.isfinite(se) else math.nan
    p = two_sided_p(delta / se, df) if se > 0 else (float(delta == 0) if se == 0 else math.nan)
    ends, method, p_wald = (delta - half, delta + half), str(estimate.method), p
    exact, p_fieller = (None, math.nan)
    if estimate.method.by_matrix and not refusal:
        exact, p_fieller, weak = fieller_difference(estimate, a, b, corrected.level)
        if weak and exact is None:
            notes = (*notes, f"D/se(D) < {WEAK:g}: the normal interval is strained, and no Fieller set replaces it.")
        if weak and exact is not None:
            ends, p, method = exact.hull, p_fieller, "confusion, Fieller"
            notes = (*notes, _replaced(exact))
    if interval == "bootstrap" and not refusal:
        ends, p = _bootstrap(corrected, result, estimate, a, b)
        method += ", bootstrap"
    seen = se * margin(df, corrected.level) if math.isfinite(se) else math.nan
    advice = "" if refusal else _advice(corrected, result, a, b, se, df, corrected.level, difference)
    return Difference(
        corrected.systems[a], corrected.systems[b], result.name, delta, se, ends, p, corrected.level, method,
        naive=naive, naive_p=naive_p, p_wald=p_wald, p_fieller=p_fieller, fieller=exact, detectable=seen,
        df=df, advice=advice, notes=notes,
    )  # fmt: skip


def wald_difference(estimate: Estimate, a: int, b: int) -> tuple[float, float]:
    """(θ_a − θ_b, its standard error) from the joint covariance, which knows what the two have in common."""
    return float(estimate.theta[a] - estimate.theta[b]), float(estimate.se_between(np.array([a]), np.array([b]))[0])


def _refusal(corrected: Corrected, result: MeasureResult, estimate: Estimate, a: int, b: int) -> str:
    if estimate.why_not:
        return f"no corrected difference, because {estimate.why_not}."
    for system in (a, b):
        if why := estimate.why_not_of(system):
            return f"no corrected difference, because of {corrected.systems[system]}: {why}."
    if few := estimate.too_few_between(a, b):
        return f"no corrected difference, because {few}."
    if not result.refused or result.weights is None:
        return ""
    said = planned_for_others(corrected.design, corrected.systems[a], corrected.systems[b])
    said = said or uncovered(corrected.design, result.weights.row(a) != result.weights.row(b))
    return f"the audit does not cover the documents that tell the two apart: {said}." if said else ""


def naive_difference(scores: Floats, a: int, b: int) -> tuple[float, float]:
    """(mean, p) of a paired t test on bronze scores, topics undefined for either left out."""
    d = scores[a] - scores[b]
    d = d[np.isfinite(d)]
    if len(d) < 2:
        return (float(d.mean()) if len(d) else math.nan), math.nan
    se = float(d.std(ddof=1)) / math.sqrt(len(d))
    mean = float(d.mean())
    return mean, two_sided_p(mean / se, len(d) - 1) if se > 0 else float(mean == 0)


def _pair_notes(corrected: Corrected, result: MeasureResult, a: int, b: int) -> tuple[str, ...]:
    """Hausman's test, the matrix result beside the rectified one, f*, errors on a-only, b-only, shared documents."""
    other = result.sensitivity
    if other is None or other.why_not or result.weights is None or not isinstance(result.measure, Linear):
        return ()
    if len(corrected.topics) < 2:
        return ()
    main, n = result.estimate, len(corrected.topics)
    gap = (main.scores[a] - main.scores[b]) - (other.scores[a] - other.scores[b])
    part = other.calibration_part
    extra = 0.0 if part is None else float(part[a, a] + part[b, b] - 2 * part[a, b])
    delta, se = wald_difference(other, a, b)
    spread = math.sqrt(float(gap.var(ddof=1)) / n + extra) if n > 1 else math.nan
    z = float(gap.mean()) / spread if spread > 0 else 0.0
    notes = [
        f"through the shared matrix {corrected.systems[a]} − {corrected.systems[b]} would be {delta:+.4f} ± {se:.4f} "
        f"(sensitivity line); Hausman z = {z:+.2f}, "
        f"p {p_text(two_sided_p(z))}; silence is no licence for the matrix."
    ]
    share = audited_share(corrected, result, a, b)
    if share:
        notes.append(share)
    return (*notes, *_pair_errors(corrected, result, a, b))


def audited_share(corrected: Corrected, result: MeasureResult, a: int, b: int) -> str:
    """f*: the audited share of differing documents below which the matrix would have the smaller variance."""
    other, weights, design = result.sensitivity, result.weights, corrected.design
    if other is None or other.solved is None or weights is None or not isinstance(result.measure, Linear):
        return ""
    rates = accuracies(other.solved.as_binary() or other.solved.calibration)
    if rates is None or rates.discrimination <= 0:
        return ""
    differ = (weights.row(a) != weights.row(b)) & (design.bronze < design.n_labels - 1)
    seen = differ & design.audited
    if not seen.any():
        return ""
    values, _ = values_of(result.measure, design)
    relevant = (values > values.min())[design.gold[seen]].astype(np.float64)
    w = 1 / design.inclusion[seen]
    p = float((w * relevant).sum() / w.sum())
    label = design.bronze[seen]
    size = np.bincount(label, w, design.n_labels)
    f = np.divide(
        np.bincount(label, w * relevant, design.n_labels), size, out=np.full(design.n_labels, p), where=size > 0
    )
    doubt = float((f * (1 - f))[design.bronze[differ]].mean())
    se_, sp, d = rates.sensitivity, rates.specificity, rates.discrimination
    noise = p * se_ * (1 - se_) + (1 - p) * sp * (1 - sp)
    limit = 1 / (1 + noise / (d**2 * doubt)) if doubt > 0 else 0.0
    now = float(seen.sum() / differ.sum())
    return (
        f"{now:.1%} of the documents that tell the two apart are audited; below f* = {limit:.1%} the matrix, if it "
        "held, would have the smaller variance."
    )


def _pair_errors(corrected: Corrected, result: MeasureResult, a: int, b: int) -> tuple[str, ...]:
    design, weights = corrected.design, result.weights
    seen = design.audited & (design.bronze < design.n_labels - 1)
    if weights is None or seen.sum() < 2 or not isinstance(result.measure, Linear):
        return ()
    items = np.flatnonzero(seen)
    place = (weights.row(a)[items] != 0) * 1 + (weights.row(b)[items] != 0) * 2
    inside = place > 0
    if len(np.unique(place[inside])) < 2:
        return ()
    values, _ = values_of(result.measure, design)
    gold = np.unique(values, return_inverse=True)[1][design.gold[items]]
    p = differential(gold[inside], design.bronze[items][inside], place[inside])
    worry = "; the judge treats the two systems' documents differently" if p < 0.05 else ""
    whose = f"of {corrected.systems[a]} alone, of {corrected.systems[b]} alone, of both"
    return (f"errors on documents {whose} (to depth {DEPTHS[-1]}): χ² p {p_text(p)}{worry}.",)


# ── weak judges ──────────────────────────────────────────────────────────────────────────────────────────────────────
def _replaced(exact: ConfidenceSet) -> str:
    return f"D/se(D) < {WEAK:g}: Fieller's set {exact} ({exact.kind}) replaces the normal interval."


def _bootstrap(
    corrected: Corrected, result: MeasureResult, estimate: Estimate, a: int, b: int
) -> tuple[tuple[float, float], float]:
    from dissensus.inference.comparison.bootstrap import bootstrap_difference

    return bootstrap_difference(estimate, a, b, corrected.level, corrected.seed)


def _advice(
    corrected: Corrected,
    result: MeasureResult,
    a: int,
    b: int,
    se: float,
    df: float,
    level: float,
    difference: float | None,
) -> str:
    """What could be seen, or what it would take to see `difference`, by a test at `level`."""
    seen = se * margin(df, level)
    found = f"the smallest difference found with 80 % power is {seen:.3f}"
    if difference is None:
        return found
    floor, design = result.estimate.floor, corrected.design
    if floor is None:
        topics = math.ceil(len(corrected.topics) * (seen / difference) ** 2)
        return f"{found}; {difference:g} would need about {counted(topics, 'topic')} at this audited share"
    if result.weights is not None:
        pool = result.weights.row(a) != result.weights.row(b)
    else:
        pool = reach(result.measure, design) & (design.bronze < design.n_labels - 1)
    return needed(
        float(floor[a, a] + floor[b, b] - 2 * floor[a, b]),
        (int(design.audited[pool].sum()), int(pool.sum())),
        len(corrected.topics),
        se,
        df,
        difference,
        level=level,
    ).sentence


# ── everyone ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def compare_everyone(
    corrected: Corrected, correction: str, judge: Judge | None, difference: float | None
) -> Differences:
    """All pairs × measures, adjusted together."""
    if correction not in ("max-t", "holm", "bonferroni", "none"):
        raise InputError(Text(Option("correction", correction), " is none of 'max-t', 'holm', 'bonferroni', 'none'."))
    n = len(corrected.systems)
    if n < 2:
        raise InputError("there are fewer than two systems to compare.")
    asked = {name: under(corrected, r, judge, np.arange(n)) for name, r in corrected.results.items()}
    corrected = replace(corrected, results={name: r for name, (r, _) in asked.items()})
    a, b = contrasts(n)
    family = len(a) * len(corrected.results)
    brief = len(a) > MANY
    raw = {
        name: [
            compare_pair(corrected, r, int(i), int(j), "wald", difference, said=asked[name][1], brief=brief)
            for i, j in zip(a, b, strict=True)
        ]
        for name, r in corrected.results.items()
    }
    flat = [d for pairs in raw.values() for d in pairs]
    made = {
        "max-t": lambda: [
            d for name, pairs in raw.items() for d in _by_max_t(corrected, name, pairs, family, difference)
        ],
        "none": lambda: flat,
    }.get(correction, lambda: _stepwise(corrected, flat, correction, difference))()
    groups = {}
    for name, r in corrected.results.items():
        mine = [d for d in made if d.measure == name]
        different = np.zeros((n, n), bool)
        for d in mine:
            if d.significant:
                i, j = corrected.systems.index(d.a), corrected.systems.index(d.b)
                different[i, j] = different[j, i] = True
        order = best_first(r.estimate.theta, name)
        groups[name] = [[corrected.systems[i] for i in g] for g in indistinct(order, different)]
    said = f"{counted(len(a), 'pair')} × {counted(len(corrected.results), 'measure')} = "
    said += f"{counted(family, 'comparison')}, adjusted by {correction}"
    about_judge = (f"{name}: {note}" for name, (_, notes) in asked.items() for note in notes)
    notes = tuple(dict.fromkeys((*corrected.notes, *about_judge)))
    means = {
        name: {} if r.refused else dict(zip(corrected.systems, r.estimate.theta.tolist(), strict=True))
        for name, r in corrected.results.items()
    }
    return Differences(tuple(made), groups, said, notes, means)


def _by_max_t(
    corrected: Corrected, name: str, pairs: list[Difference], family: int, difference: float | None
) -> list[Difference]:
    """Simultaneous intervals within a measure, Bonferroni over measures."""
    estimate = corrected.results[name].estimate
    times = len(corrected.results)
    known = np.flatnonzero(np.isfinite(np.diag(estimate.covariance)))  # systems without a score have no differences
    i, j = contrasts(len(known))
    if not len(i):
        return [replace(d, adjusted="max-t", family=family) for d in pairs]
    spread = estimate.se_between(known[i], known[j])
    df = min(estimate.df, float(estimate.df_between(known[i], known[j]).min()))  # few telling labels: fewer than topics
    draws = max_t(estimate.covariance[np.ix_(known, known)], spread, df, corrected.seed)
    wide = critical(draws, 1 - (1 - corrected.level) / times)
    out = []
    for d in pairs:
        if not (math.isfinite(d.se) and d.se > 0):
            out.append(replace(d, adjusted="max-t", family=family))
        elif d.method.endswith("Fieller"):  # sets of ratios have no common t
            made = _at_level(corrected, d, family, difference)
            out.append(replace(made, p_value=min(1.0, family * d.p_value), adjusted="bonferroni", family=family))
        else:
            p = min(1.0, times * float(share_reaching(draws, d.difference / d.se)))
            ends = (d.difference - wide * d.se, d.difference + wide * d.se)
            made = _advised(corrected, d, 1 - two_sided_p(wide, d.df), difference)
            out.append(replace(made, interval=ends, p_value=p, adjusted="max-t", family=family))
    return out


def _advised(corrected: Corrected, d: Difference, level: float, difference: float | None) -> Difference:
    """The comparison with what it can see, and what more it would take, by the adjusted test that is made of it."""
    if not d.advice:
        return d
    a, b = corrected.systems.index(d.a), corrected.systems.index(d.b)
    advice = _advice(corrected, corrected.results[d.measure], a, b, d.se, d.df, level, difference)
    return replace(d, advice=advice, detectable=d.se * margin(d.df, level))


def _at_level(corrected: Corrected, d: Difference, family: int, difference: float | None) -> Difference:
    """The comparison with its interval, or Fieller's set, at the level 1 − α/family."""
    level = 1 - (1 - d.level) / family
    d = _advised(corrected, d, level, difference)
    if d.method.endswith("Fieller"):
        a, b = corrected.systems.index(d.a), corrected.systems.index(d.b)
        exact = fieller_difference(corrected.results[d.measure].estimate, a, b, level)[0]
        if exact is not None and d.fieller is not None:
            notes = tuple(_replaced(exact) if n == _replaced(d.fieller) else n for n in d.notes)
            return replace(d, interval=exact.hull, fieller=exact, notes=notes)
    half = quantile(level, d.df) * d.se if math.isfinite(d.se) else math.nan
    return replace(d, interval=(d.difference - half, d.difference + half))


def _stepwise(
    corrected: Corrected, pairs: list[Difference], correction: str, difference: float | None
) -> list[Difference]:
    """Holm or Bonferroni p-values with the intervals that belong to them (Bonferroni's; Holm's have no closed form)."""
    m = len(pairs)
    p = np.array([d.p_value for d in pairs])
    order = np.argsort(np.where(np.isnan(p), np.inf, p), kind="stable")
    factor = np.full(m, float(m))
    if correction == "holm":
        factor[order] = m - np.arange(m)
    scaled = p * factor
    adjusted = np.empty(m)
    running = np.maximum.accumulate(np.where(np.isnan(scaled[order]), 0.0, scaled[order]))
    adjusted[order] = np.minimum(running, 1.0) if correction == "holm" else np.minimum(scaled[order], 1.0)
    adjusted[np.isnan(p)] = np.nan
    name = correction if correction == "bonferroni" else "holm (intervals: Bonferroni)"
    return [
        replace(_at_level(corrected, d, m, difference), p_value=float(q), adjusted=name, family=m)
        for d, q in zip(pairs, adjusted, strict=True)
    ]
