"""Notes of corrected scores: what an audit of this size can show, what pooled ones rest on, which have no interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dissensus.errors import Text
from dissensus.inference.comparison.engine import POWER, margins
from dissensus.inference.comparison.pair_diagnosis import diagnosis_lines
from dissensus.inference.correction.coverage import attainable, guessed, out_of_range
from dissensus.inference.correction.estimate import FEWEST, Estimate, MeasureResult, Method, few_labels
from dissensus.inference.correction.fieller import fieller_scores, score_intervals
from dissensus.measures.measure import Linear
from dissensus.stats.intervals import WEAK, ConfidenceSet

if TYPE_CHECKING:
    from dissensus.inference.correction.result import Corrected

FIRST = 3  # notes of a first screen, at least
DOUBTS = 2  # that a first screen shows
BOOTSTRAP = 2000  # resamples
RESAMPLED = f"low and high: bootstrap over topics and calibration, {BOOTSTRAP:,} resamples; se is not of the bootstrap"
ALONE = "gold_low, gold_high: the interval from the audited documents alone, without the judge's labels (gold only)"


def corrected_notes(found: Corrected) -> tuple[str, ...]:
    """Doubts, what is said of the outcome, the policies, what the numbers mean, and how each was got."""
    told = [f"{name}: {f}" for name, each in found.diagnosis.items() for f in each if not f.worry]
    alone = [ALONE] if found.gold_alone else []
    rest = [*_doubts_first(found)[DOUBTS:], *alone, *told, *diagnosis_lines(found.pair_diagnosis), *found.account]
    return (*first_notes(found), *rest)


def first_notes(found: Corrected) -> list[str]:
    """What a first screen shows: where labels came from and the first doubts, what is said of the outcome, policies."""
    remarks = found.outcome.remarks if len(found.systems) > 1 else ()
    return [*_doubts_first(found)[:DOUBTS], *remarks, found.footer]


def _doubts_first(found: Corrected) -> list[str]:
    worries = [f"{name}: {f}" for name, each in found.diagnosis.items() for f in each if f.worry]
    return [*found.source, *([RESAMPLED] if found.options.interval == "bootstrap" else []), *worries]


def account(found: Corrected) -> tuple[str, ...]:
    """How each number was got, and everything that was assumed or refused."""
    out, audited = list(found.design.notes), bool(found.design.audited.any())
    for r in found.results.values():
        e = r.estimate
        where = "for topics like these" if found.target == "population" else "on these topics"
        if audited and (said := reach(e, found.level, not r.refused, where)):
            out.append(f"{r.name}: {said}")
        out.append(f"{r.name}: {r.why}")
        if e.why_not:
            out.append(f"{r.name}: no corrected score, because {e.why_not}.")
        elif e.assumption:
            out.append(f"{r.name}: assumes that {e.assumption}.")
        out.extend(Text(f"{r.name}: ", note) for note in e.notes)
        out.extend(f"{r.name}: {note}" for note in weak_notes(fieller_scores(e, found.level), found.systems))
        if r.refused:
            out.append(f"{r.name}: {r.refused}.")
        elif e.too_few.any():
            out.append(f"{r.name}: {too_few_note(e, found.systems)}.")
        out.extend(f"{r.name}: {note}." for note in _doubts(found, r) if note)
        if r.name in found.pooled and e.sampling is not None:
            out.extend(pooled_notes(r.name, found.pooled[r.name]))
    return tuple(dict.fromkeys(out))


def _doubts(found: Corrected, result: MeasureResult) -> list[str]:
    """What guessed probabilities cost, and scores, corrected and pooled, that leave the measure's range."""
    estimate, pooled = result.estimate, found.pooled.get(result.name)
    doubts = [guessed(found.design, estimate)]
    if result.refused or estimate.why_not:
        return doubts
    values = result.measure.values(found.design.gold_scale) if isinstance(result.measure, Linear) else None
    limits = attainable(result.measure, result.weights, values, len(found.systems))
    theta = np.where(estimate.too_few, np.nan, estimate.theta)
    doubts.append(out_of_range(found.systems, theta, score_intervals(estimate, found.level), limits))
    if pooled is not None and not pooled.why_not:
        beyond = out_of_range(found.systems, pooled.theta, score_intervals(pooled, found.level), limits)
        doubts.append(beyond and f"pooled scores {beyond}")
    return doubts


def reach(estimate: Estimate, level: float, scored: bool, where: str) -> str:
    """What an audit of this size can show of a measure, and what not: what `plan` forecasts, as it turned out.

    The half width of a score's interval (mean over systems), and the difference that is found with 80% power (median
    over pairs); `scored`: single scores are given.
    """
    if estimate.why_not or len(estimate.theta) < 2:
        return ""
    a, b = np.triu_indices(len(estimate.theta), 1)
    se = estimate.se_between(a, b)
    known = (estimate.effective_labels_between(a, b) >= FEWEST) & (se > 0)
    if not known.any():
        return ""
    found = float(np.median((se * margins(estimate.df_between(a, b), level))[known]))
    less = int((np.abs(estimate.theta[a] - estimate.theta[b]) < found).sum())
    low, high = score_intervals(estimate, level)
    half = np.where(estimate.too_few, np.nan, (high - low) / 2)
    within = f"gives scores within ± {np.nanmean(half):.3f} and " if scored and np.isfinite(half).any() else ""
    said = f"this audit {within}finds differences of {found:.3f} {where} ({POWER:.0%} power)."
    return said if len(a) == 1 else f"{said} As far as it shows, {less:,} of {len(a):,} pairs differ by less."


def pooled_notes(name: str, pooled: Estimate) -> list[str]:
    if pooled.method is Method.POOLED and pooled.why_not:
        return [f"{name}: no pooled scores: {pooled.why_not}."]
    return [
        f'{name}: pooled scores and "probably better" rest on a model: {pooled.assumption}.',
        f'{name}: corrected scores and "better" do not need that model.',
        *(f"{name}: {note}" for note in pooled.notes),
    ]


def too_few_note(estimate: Estimate, systems: tuple[str, ...]) -> str:
    """Which systems have no score for lack of audited documents, and how many there are."""
    few = np.flatnonzero(estimate.too_few)
    named = ", ".join(systems[s] for s in few[:5]) + (f" and {len(few) - 5:,} more" if len(few) > 5 else "")
    return f"no corrected score of {named}: {few_labels(float(estimate.effective_labels()[few].max()))}"


def weak_notes(sets: dict[int, ConfidenceSet], systems: tuple[str, ...]) -> list[str]:
    """Which scores have Fieller's interval, and which none that ends."""
    if not sets:
        return []
    out = [f"D/se(D) < {WEAK:g}: intervals of single scores are Fieller's."]
    open_ended = [f"{systems[s]} {found}" for s, found in sets.items() if found.kind != "interval"]
    if open_ended:
        more = f" and {len(open_ended) - 5:,} more" if len(open_ended) > 5 else ""
        out.append(f"the judge is too weak to bound the score of {'; '.join(open_ended[:5])}{more}.")
    return out
