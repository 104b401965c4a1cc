"""The thirty estimators of an assessor's accuracy, and how gaps become weights.

`sgl_rmse_msd` reads: a single weight per assessor (or `tpc`, one per topic), from the gap `rmse`, by the minimal
squared dissimilarity:

    md    min over {und, uni, ovr} of the gap
    msd   min of the squared gaps
    med   sum of the gaps

`uni` gives every assessor the same weight. Where the truth is known on some topics, closeness to gold gives weights
instead.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError, Option, ReliabilityWarning, Text
from dissensus.judges.aware.distances import GAPS, gap_sums

Floats = NDArray[np.float64]
Gaps = Mapping[tuple[str, str], Floats]  # (granularity, gap) → class × assessor, or class × assessor × topic
GRANULARITIES, WEIGHTS = ("sgl", "tpc"), ("md", "msd", "med")
ESTIMATORS = tuple(f"{g}_{d}_{w}" for g in GRANULARITIES for d in GAPS for w in WEIGHTS)


@dataclass(frozen=True)
class Estimator:
    """An estimator's three parts; `Estimator.named("uni")` has none.

    >>> Estimator.named("tpc_kld_med").gap
    'kld'
    """

    granularity: str
    gap: str
    weight: str

    @classmethod
    def named(cls, name: str) -> Estimator:
        """The estimator of a name such as "sgl_rmse_msd", or "uni"."""
        if name == "uni":
            return cls("sgl", "", "")
        if name not in ESTIMATORS:
            raise InputError(
                Text(Option("estimator", name), " is not known."),
                "An estimator is sgl or tpc, then fro, rmse, kld, tau or apc, then md, msd or med, as in sgl_rmse_msd; "
                "or uni.",
            )
        return cls(*name.split("_"))

    def __str__(self) -> str:
        return f"{self.granularity}_{self.gap}_{self.weight}" if self.gap else "uni"


def weights(gaps: Gaps, estimator: Estimator, judged: NDArray[np.bool_], *, quiet: bool = False) -> Floats:
    """Weights (assessor, topic) that sum to 1 over the assessors who judged the topic; 0 for those who did not.

    Where every weight of a topic is zero, assessors count equally, and a ReliabilityWarning says so.
    """
    raw = judged.astype(np.float64)
    if estimator.gap:
        found = gaps[estimator.granularity, estimator.gap]
        combined = found.sum(axis=0) if estimator.weight == "med" else found.min(axis=0)  # gaps are not negative,
        combined = combined**2 if estimator.weight == "msd" else combined  # so the least square is the least's square
        raw = raw * np.nan_to_num(combined if combined.ndim == 2 else combined[:, None])
    return normalised(raw, judged, str(estimator), quiet=quiet)


def normalised(raw: Floats, judged: NDArray[np.bool_], name: str, *, quiet: bool = False) -> Floats:
    """Raw weights (assessor, topic) divided by their sums over assessors; equal ones where all are zero."""
    raw = np.where(judged, raw, 0.0)
    total = raw.sum(axis=0)
    empty = (total <= 0) & judged.any(axis=0)
    if empty.any() and not quiet:
        warnings.warn(
            f"{name}: every assessor has weight 0 in {int(empty.sum())} topics (all look like random judges there); "
            "they count equally in these topics.",
            ReliabilityWarning,
            stacklevel=4,
        )
    raw = np.where(empty[None, :], judged.astype(np.float64), raw)
    share: Floats = np.divide(raw, raw.sum(axis=0), out=np.zeros_like(raw), where=raw.sum(axis=0) > 0)
    return share


def closeness(mine: Floats, gold: Floats, gap: str, granularity: str) -> Floats:
    """Closeness (assessor, topic) of scores (assessor, system, topic) to gold's (system, topic), NaN where unjudged.

    1 − gap, the gap taken to the gold scores instead of random ones (so here small gaps are good), 0 for scores that do
    not tell systems apart; orders count by max(τ, 0) and max(τ_ap, 0), gold being the reference. Topics without gold
    take the assessor's mean over the topics that have it.
    """
    known = np.isfinite(gold).all(axis=0)
    if not known.any():
        raise InputError("gold judged no topic of the runs.", "Weights by gold need topics that gold judged.")
    out = np.full((len(mine), gold.shape[1]), np.nan)
    for k, scores in enumerate(mine):
        topics = np.flatnonzero(known & np.isfinite(scores).all(axis=0))
        if not len(topics):
            continue  # shares no topic with gold: nothing is known of this assessor
        if granularity == "sgl":
            out[k] = _close(scores[:, topics], gold[:, topics], gap)
        else:
            out[k, topics] = [_close(scores[:, [t]], gold[:, [t]], gap) for t in topics]
            out[k] = np.where(np.isnan(out[k]), np.nanmean(out[k]), out[k])
    lost = np.isnan(out).all(axis=1)
    out[lost] = np.nanmean(out) if not lost.all() else 1.0
    return out


def _close(scores: Floats, gold: Floats, gap: str) -> float:
    """Closeness of two tables system × topic."""
    from dissensus.stats.correlation import kendall_tau, tau_ap

    if np.ptp(scores, axis=0).max() == 0:
        return 0.0
    if gap in ("tau", "apc"):
        ours, theirs = scores.mean(axis=1), gold.mean(axis=1)
        found = kendall_tau(theirs, ours) if gap == "tau" else tau_ap(theirs, ours)
        return max(float(found), 0.0)
    return 1.0 - float(gap_sums(scores[None], gold[None], [gap])["sgl", gap][0])
