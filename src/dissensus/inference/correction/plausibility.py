"""Can the audit's probabilities be right, and can the numbers be scores? Checked once, where an audit meets its pool.

Σ 1/π over audited documents estimates how many documents the audit was drawn from. Far beyond the pool, the column
holds something else (percentages, probabilities divided twice), and every score would be wrong by that factor.
"""

from __future__ import annotations

import numpy as np

from dissensus.errors import InputError
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import Estimate
from dissensus.inference.correction.weights import Floats, Weights
from dissensus.measures.measure import Measure

TIMES = 3.0  # Σ 1/π may exceed the pool this many times, if chance allows it
RARE = 0.01  # expected documents of the least probability: a draw of one is hardly chance


def check_probabilities(design: Design) -> None:
    """Refuse an audit whose given probabilities stand for far more documents than there are."""
    judged = design.bronze < design.n_labels - 1
    seen = judged & design.audited
    if not design.given or not seen.any():
        return
    pi, n = design.inclusion[seen], int(judged.sum())
    found = float((1 / pi).sum())
    most = float(1 / pi.min())
    spread = most * float(np.sqrt(((1 - pi) * (1 / pi / most) ** 2).sum()))  # 1/π² may be too large for a number
    beyond = found - n > 4 * spread or (found > TIMES * n and found - n > 2 * spread)
    if not beyond and n * float(pi.min()) >= RARE:
        return
    least = int(np.flatnonzero(seen)[np.argmin(pi)])
    names, topic = design.joined.judgments, design.joined.topics[design.topic[least]]
    raise InputError(
        f"the inclusion probabilities of {int(seen.sum()):,} audited documents stand for {found:,.6g} documents "
        f"(Σ 1/π), but {n:,} were judged; the smallest, {pi.min():g}, is that of topic {topic}, document "
        f"{names.doc_ids(np.array([least]))[0]}.",
        "Give the probability with which each document was chosen, between 0 and 1, as plan writes it.",
        "If it is not known, leave the column inclusion out: it is then taken within each bronze label.",
    )


def guessed(design: Design, estimate: Estimate) -> str:
    """What it costs that the probabilities of unaudited documents are not known; empty where they are."""
    if not design.given or design.chances is not None or estimate.audit is None or estimate.floor is None:
        return ""
    todo = int((~design.audited & (design.bronze < design.n_labels - 1)).sum())
    if not todo:
        return ""
    shown, expected = (np.sqrt(np.diag(c)) for c in (estimate.audit.covariance, estimate.floor))
    wider = float(np.median(np.divide(estimate.se, shown, out=np.ones_like(shown), where=shown > 0))) - 1
    cost = f"{wider:.0%} wider than the audited documents alone would make it" if wider >= 0.005 else "no wider for it"
    return (
        f"the audit has no frame, so the probabilities of {todo:,} documents that were not audited are guessed from "
        f"audited ones like them: the audit's part of the standard error is up to {float(expected.max()):.4f}, and the "
        f"median standard error {cost}; with other runs the same audit would have another one"
    )


def attainable(
    measure: Measure, weights: Weights | None, values: Floats | None, n: int
) -> tuple[Floats, Floats] | None:
    """The lowest and highest mean score that each of n systems can have; None where a measure has no bounds."""
    if weights is not None and values is not None:
        total = (weights.scores(np.ones(weights.n_items)) + weights.rest).mean(axis=1)
        return total * min(float(values.min()), 0.0), total * float(values.max())
    return (np.zeros(n), np.ones(n)) if measure.bounded else None


def out_of_range(
    systems: tuple[str, ...], theta: Floats, ends: tuple[Floats, Floats], limits: tuple[Floats, Floats] | None
) -> str:
    """The sentence for scores and intervals that leave the measure's range; empty where none does."""
    if limits is None:
        return ""
    low, high = (np.nan_to_num(x, nan=0.0, posinf=np.inf, neginf=-np.inf) for x in ends)
    slack = 1e-9
    away = np.isfinite(theta) & ((low < limits[0] - slack) | (high > limits[1] + slack))
    if not away.any():
        return ""
    worst = np.flatnonzero(away)
    worst = worst[np.argsort(-np.maximum(limits[0] - low, high - limits[1])[worst], kind="stable")]
    some = "; ".join(
        f"{systems[s]} {theta[s]:.3f} [{ends[0][s]:.3f}, {ends[1][s]:.3f}], attainable {limits[0][s]:.3g} to "
        f"{limits[1][s]:.3g}"
        for s in worst[:3]
    )
    more = f" and {len(worst) - 3:,} more" if len(worst) > 3 else ""
    return (
        f"outside what can be attained: {some}{more}. Nothing is clipped: the interval says how little the audit "
        "knows; more gold labels narrow it"
    )


def shown_to_nobody(design: Design, weights: Weights) -> str:
    """Which share of the audited documents no system shows: their labels only say how the judge errs."""
    seen = int(design.audited.sum())
    idle = int((design.audited & ~weights.weighty).sum())
    if not seen or idle / seen < 0.2:
        return ""
    return (
        f"{idle / seen:.0%} of {seen:,} audited documents are shown by no system where it counts: they tell how the "
        "judge errs and nothing about any system; plan draws those that count"
    )
