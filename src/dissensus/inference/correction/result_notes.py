"""Notes of corrected scores: what an audit of this size can show, what pooled ones rest on, which have no interval."""

from __future__ import annotations

import numpy as np

from dissensus.inference.comparison.engine import POWER, margins
from dissensus.inference.correction.estimate import FEWEST, Estimate, Method, few_labels
from dissensus.inference.correction.fieller import score_intervals
from dissensus.stats.intervals import WEAK, ConfidenceSet


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
