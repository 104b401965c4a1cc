"""What an audit can speak of: documents that it could choose, and more than one kind of them.

Rectified scores need every document that counts to have had a chance; imputed ones need that of all documents which a
measure depends on. Where an audit falls short, the answer is a sentence, not a number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import Estimate, Method, refused
from dissensus.inference.correction.weights import Weights
from dissensus.measures.measure import Measure
from dissensus.work.plural import counted


def all_alike(design: Design, items: NDArray[np.bool_], worth: NDArray[np.float64] | NDArray[np.int64]) -> str:
    """Why an audit without variety says nothing of the others: by its own word they would all be equal, for certain.

    `worth` is by gold level. An audit of every document has said everything, whatever it found.
    """
    seen = design.audited
    others = items & ~seen & (design.bronze < design.n_labels - 1)
    if not others.any() or len(np.unique(worth[design.gold[seen]])) > 1:
        return ""
    names = [design.gold_scale.name(int(g) + design.gold_scale.low) for g in np.unique(design.gold[seen])]
    return (
        f"{counted(int(seen.sum()), 'audited document')} of gold grade {' or '.join(names)} and none of another worth: "
        "nothing tells how many of the others are; audit more documents"
    )


def uncovered(design: Design, items: NDArray[np.bool_]) -> str:
    """Why given inclusion probabilities do not cover `items`: Σ 1/π over audited ones falls far short of them."""
    if not design.given:
        return ""
    frame = items & (design.bronze < design.n_labels - 1)
    if design.chances is not None:
        lost, n = int((frame & (design.chances <= 0) & ~design.audited).sum()), int(frame.sum())
        return f"{lost:,} of {n:,} documents had no chance of being audited" if lost else ""
    seen = frame & design.audited
    pi = design.inclusion[seen]
    found, n = float((1 / pi).sum()), int(frame.sum())
    # what chance allows: four standard errors, and a class of rarely chosen documents that was missed altogether
    slack = 4 * float(np.sqrt(((1 - pi) / pi**2).sum())) + (9 / float(pi.min()) if len(pi) else 0.0)
    if n - found <= slack:
        return ""
    return f"the audit's inclusion probabilities account for {found:,.0f} of {n:,} documents; the others had no chance"


def out_of_reach(name: str, m: Measure, design: Design) -> Estimate | None:
    """The refusal to impute documents that the audit could never choose: nothing is known of them."""
    why = uncovered(design, reach(m, design))
    if not why:
        return None
    what = "all judged documents of a topic" if m.needs_relevant else "all retrieved documents"
    shape = (len(design.joined.systems), len(design.joined.topics))
    return refused(
        Method.IMPUTATION,
        shape,
        f"{name} depends on {what}, but {why}; audit a random sample of all of them, or whole topics",
    )


def reach(m: Measure, design: Design) -> NDArray[np.bool_]:
    """The documents a measure depends on: all judged ones of a topic if it has an ideal or R, else those retrieved."""
    if m.needs_relevant:
        return np.ones(len(design.bronze), bool)
    return np.asarray(design.best_rank() <= (m.cutoff or np.iinfo(np.int32).max))


def refusal(design: Design, weights: Weights) -> str:
    """Why single scores cannot be given, though differences may."""
    if not design.given or design.covers.scores or design.chances is not None:
        why = uncovered(design, weights.weighty)
    elif design.covers.every_pair:
        why = "the audit was planned for differences, and documents that weigh equally for all systems had no chance"
    else:
        why = f"the audit was planned for the {design.covers}, and documents that weigh equally for both had no chance"
        return f"{why}: single scores are refused"
    return f"{why}: single scores are refused, differences are not" if why else ""


def planned_for_others(design: Design, a: str, b: str) -> str:
    """Why an audit planned for two systems says nothing about two others; empty where it does."""
    if not design.given or design.chances is not None or design.covers.covers(a, b):
        return ""
    return f"it was planned for the {design.covers}, and what only others retrieved had no chance"


def every_difference(design: Design, weights: Weights) -> str:
    """Why the audit does not cover the differences of all systems; empty where it does."""
    if not design.given:
        return ""
    if design.chances is not None:
        return uncovered(design, weights.pull > 0)
    return "" if design.covers.every_pair else f"the audit was planned for the {design.covers}"
