"""What should keep a reader from believing EM, said as warnings.

Not converged; not identified (too few assessors or labels); labels switched; judges so dependent that the posteriors
are far too sure. The last is measured against gold where there is gold, and by the effective number of assessors
otherwise: 33 LLM judges that were worth 2.4 independent ones made EM worse than a plain majority.
"""

from __future__ import annotations

import warnings

import numpy as np

from dissensus.errors import ConvergenceWarning, DependenceWarning, Option, ReliabilityWarning, Text
from dissensus.judges.agreement.effective import effective_number
from dissensus.judges.label_table import Labels
from dissensus.judges.merging.em import Fit
from dissensus.judges.merging.result import Calibration

DEPENDENT = 0.5  # warn when the effective number of assessors is below this share of the labels per document
OVERSURE = 0.1  # warn when claimed accuracy exceeds accuracy by this much


def warn_of(table: Labels, found: Fit, calibration: Calibration | None, tol: float) -> None:
    """Warn, on behalf of the caller's caller, of everything that is wrong with this fit."""
    for text, category in (
        *_unsettled(found, tol),
        *_unidentified(table),
        *_switched(found, table),
        *_dependent(table, calibration),
    ):
        warnings.warn(text, category, stacklevel=3)


Doubt = tuple[tuple[str, type[Warning]], ...]


def _unsettled(found: Fit, tol: float) -> Doubt:
    if found.converged:
        return ()
    text = Text(
        f"EM stopped after {found.rounds} rounds while a posterior still moved by {found.change:.2g} "
        f"(tolerance {tol:g}); raise ",
        Option("max_rounds", None),
        ", or ",
        Option("tol", None),
        " if labels no longer change.",
    )
    return ((text, ConvergenceWarning),)


def _unidentified(table: Labels) -> Doubt:
    per_document = np.bincount(table.item, minlength=table.n_items)
    thin = float((per_document[per_document > 0] <= 2).mean())
    n_assessors = len(np.unique(table.assessor))
    if n_assessors >= 3 and thin <= 0.5:
        return ()
    text = (
        f"EM is not identified here: {n_assessors} assessors, {thin:.0%} of the documents with at most 2 labels; "
        "its answer follows from where it started. Use the majority vote, or get more labels."
    )
    return ((text, ReliabilityWarning),)


def _switched(found: Fit, table: Labels) -> Doubt:
    total = found.counts.sum(axis=0)
    rows = total.sum(axis=1)
    average = total / np.maximum(rows, 1e-12)[:, None]
    off = np.where(np.eye(len(average), dtype=bool), -np.inf, average)
    wrong = np.flatnonzero((rows >= 1) & (np.diag(average) < off.max(axis=1, initial=-np.inf)))
    if not len(wrong):
        return ()
    text = (
        f"labels may have switched: over all assessors, true grade {', '.join(table.scale.names[g] for g in wrong)} "
        "is more often labelled as another grade than as itself; nothing was permuted. Compare with the majority vote."
    )
    return ((text, ReliabilityWarning),)


def _dependent(table: Labels, calibration: Calibration | None) -> Doubt:
    if calibration is not None:
        if calibration.claimed <= calibration.accuracy + OVERSURE:
            return ()
        text = (
            f"EM is too sure of itself ({calibration}): its posteriors cannot be believed. Judges that share errors do "
            "this to it; compare with the majority vote."
        )
        return ((text, DependenceWarning),)
    effective = effective_number(table)
    if not effective.number < DEPENDENT * effective.assessors:
        return ()
    text = (
        f"assessors depend on each other ({effective}): EM takes their shared errors for evidence. "
        "Compare with the majority vote."
    )
    return ((text, DependenceWarning),)
