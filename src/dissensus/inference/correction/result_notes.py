"""Notes of corrected scores: what pooled ones rest on, and which have no interval or no score."""

from __future__ import annotations

import numpy as np

from dissensus.inference.correction.estimate import Estimate, Method, few_labels
from dissensus.stats.intervals import WEAK, ConfidenceSet


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
