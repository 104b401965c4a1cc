"""One trial of the court: an audit where the truth is known, what is concluded from it, and what of that was right.

A trial draws systems (and, for topics like these, topics), audits a sample of a fixed size, and concludes as `correct`
does. It gives one flat row, so that trials add up. `said|KIND` and `wrong|KIND` count each kind of claim. The best set,
the family of pairs, the order, the recommendation and the gate at its tolerance have their columns. An audit that is
refused is counted apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dissensus.arrays import Array, Values
from dissensus.inference.comparison.headline import against_baseline
from dissensus.inference.comparison.outcome import with_base
from dissensus.inference.correction.questions import CorrectionOptions, Target
from dissensus.inference.correction.result import Corrected
from dissensus.measures.measure import Measure
from dissensus.stats.correlation import kendall_tau
from dissensus.studies.audits.cells import Audited, Cell, audited
from dissensus.studies.audits.repetitions import GoldStandard
from dissensus.studies.audits.verdicts import ROUNDING, RULES, Truth

if TYPE_CHECKING:
    from dissensus.inference.comparison.outcome import Outcome
    from dissensus.inference.correction.estimate import Estimate

Row = Values
GATE = 0.025  # the error of a gate, by which it passes a system that is worse by exactly its tolerance
MARGIN = 0.1  # of the claims that two systems are within a margin
FEWEST = 3  # effective labels below which a pair has no answer


def trial(
    given: GoldStandard, cell: Cell, measure: Measure, systems: int, negligible: float, rng: np.random.Generator
) -> Row:
    """One audit and what was right of it."""
    judge, name, labels, how, target = cell
    done = audited(given, judge, measure, (labels, how, target), systems, rng)  # type: ignore[arg-type]
    row: Row = {"judge": judge, "measure": name, "labels": labels, "target": target, "refused": 0.0}
    sign = 1.0 if measure.higher_is_better else -1.0
    found = concluded(done, judge, target, negligible)  # type: ignore[arg-type]
    if found is None:
        return {**row, "refused": 1.0}
    truth = dict(zip(done.design.joined.systems, (sign * done.truth).tolist(), strict=True))
    in_use = str(rng.choice(np.array(found.order)))
    naive = sign * np.nanmean(done.plain, axis=1)
    values = np.array(list(truth.values()))
    row["tau_judge"] = float(kendall_tau(naive, values))
    return {
        **row,
        **_claims(found, in_use, truth),
        **_family(found, truth, sign),
        **_choice(found, truth, naive, sign * done.result.estimate.theta),
        **_gate(done.result.estimate, values, sign),
    }


def concluded(done: Audited, judge: str, target: Target, negligible: float) -> Outcome | None:
    """What `correct` concludes from an audit; None where it is refused. Another target would have another truth."""
    if done.result.estimate.why_not:
        return None
    joined = done.design.joined
    made = Corrected(
        joined.systems, joined.topics, {done.result.name: done.result}, (), done.design,
        CorrectionOptions(target=target, seed=done.seed), judge,
    )  # fmt: skip
    found = made.conclude(negligible=negligible)
    return replace(found, evidence=replace(found.evidence, elsewhere=lambda: None))


def _claims(found: Outcome, in_use: str, truth: Truth) -> Row:
    """How many claims of each kind were made, in this audit and in how many audits, and how many were wrong."""
    said, wrong = dict.fromkeys(RULES, 0), dict.fromkeys(RULES, 0)
    kept = with_base(found, in_use).recommendation
    close = [replace(d, margin=MARGIN).claim for d in found.pairs]
    made = [
        *found.claims,
        *found.probable_pairs,
        *(d.claim for d in found.pairs),
        *(c for c in close if c.kind == "within"),
        *against_baseline([d for d in found.pairs if in_use in (d.a, d.b)], in_use, found.measure),
        *(c for c in (kept,) if c is not None and c.kind == "keep"),
    ]
    for claim in made:
        said[claim.kind] += 1
        wrong[claim.kind] += not RULES[claim.kind].right(claim, truth)
    out = {f"said|{k}": n for k, n in said.items()} | {f"wrong|{k}": n for k, n in wrong.items()}
    return (
        out | {f"audits|{k}": int(n > 0) for k, n in said.items()} | {f"bad|{k}": int(n > 0) for k, n in wrong.items()}
    )


def _family(found: Outcome, truth: Truth, sign: float) -> Row:
    """The best set, and intervals and claims of all pairs together."""
    best = max(truth.values())
    high = low = 0
    covered = True
    for d in found.pairs:
        if not np.isfinite(d.difference):
            continue
        gap = sign * (truth[d.a] - truth[d.b])
        covered &= d.interval[0] - ROUNDING <= gap <= d.interval[1] + ROUNDING
        high += d.tells_direction and d.interval[0] > 0 and gap < ROUNDING
        low += d.tells_direction and d.interval[1] < 0 and gap > -ROUNDING
    alone = len(found.best) == 1
    holds = any(truth[s] >= best - ROUNDING for s in found.best)
    return {
        "holds": float(holds),
        "size": float(len(found.best)),
        "single": float(alone),
        "single_right": float(alone and holds),
        "covered": float(covered),
        "better_wrong": float(high + low > 0),
        "wrong_first": float(high > 0),
        "wrong_second": float(low > 0),
        "tau": float(kendall_tau(*_ordered(found.order, truth))),
    }


def _ordered(order: Sequence[str], truth: Truth) -> tuple[Array, Array]:
    return -np.arange(len(order), dtype=np.float64), np.array([truth[s] for s in order])


def _choice(found: Outcome, truth: Truth, naive: Array, corrected: Array) -> Row:
    """The recommendation beside the judge's own first and the corrected first, and every system's chances."""
    d, systems, top = found.decision, list(truth), max(truth.values())
    if d is None:
        return {}
    lost = {s: top - v for s, v in truth.items()}
    judge_first, corrected_first = (systems[int(np.argmax(x))] for x in (naive, corrected))
    return {
        "expected": d.of(d.recommended)[2],
        "realised": lost[d.recommended],
        "all_expected": float(np.mean(d.loss)),
        "all_realised": float(np.mean([lost[s] for s in d.systems])),
        "judge_first": lost[judge_first],
        "corrected_first": lost[corrected_first],
        "right": float(lost[d.recommended] <= ROUNDING),
        "judge_right": float(lost[judge_first] <= ROUNDING),
        "chances": [[b, w, float(lost[s] <= ROUNDING), float(lost[s] <= d.negligible + ROUNDING)]
                    for s, b, w in zip(d.systems, d.best, d.within, strict=True)],
    }  # fmt: skip


def _gate(estimate: Estimate, truth: Array, sign: float) -> Row:
    """Of pairs that differ: how often a gate passes, or fails, a system that is worse by exactly its tolerance."""
    from scipy.special import stdtr

    a, b = np.triu_indices(len(truth), 1)
    worse, base = np.where(truth[a] < truth[b], a, b), np.where(truth[a] < truth[b], b, a)
    known = (truth[worse] < truth[base] - ROUNDING) & (estimate.effective_labels_between(worse, base) >= FEWEST)
    worse, base = worse[known], base[known]
    if not len(worse):
        return {"gate_n": 0, "gate_pass": 0, "gate_fail": 0}
    gap = sign * (estimate.theta[worse] - estimate.theta[base]) - (truth[worse] - truth[base])
    se, df = estimate.se_between(worse, base), estimate.df_one_sided(worse, base)
    t = np.divide(gap, se, out=np.zeros(len(gap)), where=se > 0)
    return {
        "gate_n": len(gap),
        "gate_pass": int((stdtr(df, -t) < GATE).sum()),
        "gate_fail": int((stdtr(df, t) < GATE).sum()),
    }
