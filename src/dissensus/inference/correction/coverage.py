"""What an audit can speak of, and whether it can be right: its probabilities, its documents, its scale, its scores.

Rectified scores need every document that counts to have had a chance; imputed ones need that of all documents which a
measure depends on. Where an audit falls short, the answer is a sentence, not a number."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.diagnosis import JudgeFinding
from dissensus.inference.correction.estimate import Estimate, Method, refused
from dissensus.inference.correction.weights import Weights
from dissensus.measures.measure import Measure
from dissensus.wording import counted

GIVEN = 10  # documents that the judge gave a grade which the audit never gives


# ── its probabilities ────────────────────────────────────────────────────────────────────────────────────────────────
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
        f"the audit has no frame, so the probabilities of {counted(todo, 'document')} outside it are guessed from "
        f"audited ones like them: the audit's part of the standard error is up to {float(expected.max()):.4f}, and the "
        f"median standard error {cost}; with other runs the same audit would have another one"
    )


# ── scores beyond what can be attained ───────────────────────────────────────────────────────────────────────────────
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


# ── documents that it could not choose, or that are all of one kind ──────────────────────────────────────────────────
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
        f"all {counted(int(seen.sum()), 'audited document')} have gold grade {' or '.join(names)}, and the audit "
        "cannot show how many of the others differ; audit more documents"
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


def out_of_reach(name: str, m: Measure, design: Design, method: Method) -> Estimate | None:
    """The refusal to say something of documents that the audit could never choose: nothing is known of them."""
    why = uncovered(design, documents_needed(m, design))
    if not why:
        return None
    what = "all judged documents of a topic" if m.needs_relevant else "all retrieved documents"
    shape = (len(design.joined.systems), len(design.joined.topics))
    return refused(
        method,
        shape,
        f"{name} depends on {what}, but {why}; audit a random sample of all of them, or whole topics",
    )


def documents_needed(m: Measure, design: Design) -> NDArray[np.bool_]:
    """The documents a measure depends on: all judged ones of a topic if it has an ideal or R, else those retrieved."""
    if m.needs_relevant:
        return np.ones(len(design.bronze), bool)
    return np.asarray(design.best_rank() <= (m.cutoff or np.iinfo(np.int32).max))


def refusal(design: Design, weights: Weights) -> str:
    """Why single scores cannot be given, though differences may."""
    if not design.given or design.covers.scores or design.chances is not None:
        why = uncovered(design, weights.scored_items)
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
        return uncovered(design, weights.weight_sd > 0)
    return "" if design.covers.every_pair else f"the audit was planned for the {design.covers}"


def unused_finding(design: Design, weights: Weights) -> Iterator[JudgeFinding]:
    """Which share of the audited documents no system shows: their labels only say how the judge errs."""
    seen = int(design.audited.sum())
    unused = int((design.audited & ~weights.scored_items).sum())
    if seen and unused / seen >= 0.2:
        text = (
            f"{unused / seen:.0%} of {seen:,} audited documents are shown by no system where it counts: they tell how "
        )
        text += "the judge errs and nothing about any system; plan draws those that count."
        yield JudgeFinding("shown by no system", text, False)


# ── its scale ────────────────────────────────────────────────────────────────────────────────────────────────────────
def scale_findings(design: Design) -> Iterator[JudgeFinding]:
    """Do the audit and the judge speak of the same grades? Findings that doubt it; none where names are compared.

    Corrected scores take a gold grade at its word. An audit graded 0 or 1 beside a judge who grades 0 to 3, or 0 to 30,
    is read as if its 1 were the judge's 1.
    """
    seen = design.audited & (design.bronze < design.n_labels - 1)
    n = int(seen.sum())
    if not n:
        return
    gold = design.gold[seen] + design.gold_scale.low
    bronze = design.bronze[seen] + design.bronze_scale.low
    if int(gold.max()) > design.bronze_scale.top:
        yield JudgeFinding(
            "scale",
            f"the audit has grades up to {int(gold.max())}, the judge's scale ends at {design.bronze_scale.top}: a "
            "grade counts as the same grade on both, so write them on one scale.",
            True,
        )
    missing = [g for g in np.unique(bronze) if g > gold.max()]
    given = int(np.isin(bronze, missing).sum())
    if given >= GIVEN and gold.max() > gold.min():
        never = ", ".join(design.bronze_scale.name(int(g)) for g in missing)
        yield JudgeFinding(
            "scale",
            f"the audit never gives {never}, which the judge gives to {given:,} of {counted(n, 'audited document')}: "
            "if experts graded on a shorter scale, write both on one.",
            True,
            given,
        )


# ── documents without a label ────────────────────────────────────────────────────────────────────────────────────────
def unjudged_weight(design: Design, weights: Weights) -> Iterator[JudgeFinding]:
    """The share of the weight that lies on documents without a bronze label, where there is any."""
    mass = weights.rest.sum() + weights.mass(design.bronze, design.n_labels)[:, :, -1].sum()
    total = weights.rest.sum() + weights.weight.sum()
    share = float(mass / total) if total else 0.0
    if share > 0:
        how = (
            "the audit covers such documents, and they are predicted like any label."
            if design.covers_unjudged
            else "they count as worthless, and bounds show what they could change."
        )
        text = f"{_share(share)} of the weight lies on documents without a bronze label; {how}"
        yield JudgeFinding("unjudged", text, share > 0.05, share)


def _share(share: float) -> str:
    """A share that is there, however small.

    >>> _share(0.0004), _share(0.128)
    ('less than 0.1%', '12.8%')
    """
    return "less than 0.1%" if share < 0.001 else f"{share:.1%}"


def unjudged_shown(m: Measure, design: Design) -> Iterator[JudgeFinding]:
    """The same for measures without weights: documents without a bronze label are not relevant to them."""
    joined, cut = design.joined, m.cutoff or np.iinfo(np.int32).max
    shown = int(np.minimum(joined.length, cut).sum())
    labelled = design.bronze[joined.hit_item] < design.n_labels - 1
    judged = int((labelled & (joined.hit_rank <= cut)).sum())
    share = 1 - judged / shown if shown else 0.0
    if share > 0:
        where = f"in the top {m.cutoff}" if m.cutoff else "shown"
        text = f"{_share(share)} of the documents {where} have no bronze label; they count as not relevant, "
        yield JudgeFinding("unjudged", text + "audited ones apart.", share > 0.05, share)


def unjudged_bounds(design: Design, weights: Weights, values: Floats) -> Floats | None:
    """How far (low, high) unlabelled documents could move each system's mean; None where the audit covers them."""
    if design.covers_unjudged:
        return None
    mass = weights.rest + weights.mass(design.bronze, design.n_labels)[:, :, -1]
    if not mass.any():
        return None
    mean = mass.mean(axis=1)
    return np.stack([mean * min(values.min(), 0.0), mean * values.max()])
