"""Gaps, how unlike random judging an assessor's scores are, and the thirty estimators that make weights of them.

Scores are (judge, system, topic). Five gaps, each in [0, 1], 0 for an assessor who scores like a random judge:

    fro    ‖M_k − M‖_F / √(|T||S|)
    rmse   root mean square difference of the systems' scores averaged over topics
    kld    1 − exp(−KL) of the densities of scores (Gaussian kernel, bandwidth .015, 100 points on [0, 1])
    tau    1 − |τ_a| of the systems' order
    apc    1 − |τ_ap| of the systems' order, the assessor being the reference

at the granularity `sgl` (all topics of the assessor together) or `tpc` (each topic alone). Scores that do not tell
systems apart have gap 0 by definition. The direction is the prose's, not that of the printed equations: the further
from random, the larger.

The estimator `sgl_rmse_msd` reads: a single weight per assessor (or `tpc`, one per topic), from the gap `rmse`, by the
minimal squared dissimilarity:

    md    min over {und, uni, ovr} of the gap
    msd   min of the squared gaps
    med   sum of the gaps

`uni` gives every assessor the same weight. Where the truth is known on some topics, closeness to gold gives weights
instead.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import InputError, Option, ReliabilityWarning, Text
from dissensus.stats.correlation import kendall_tau, tau_ap
from dissensus.work.settings import cores
from dissensus.work.threads import on_threads

Gaps = Mapping[tuple[str, str], Floats]  # (granularity, gap) → class × assessor, or class × assessor × topic
GAPS = ("fro", "rmse", "kld", "tau", "apc")
GRANULARITIES, WEIGHTS = ("sgl", "tpc"), ("md", "msd", "med")
ESTIMATORS = tuple(f"{g}_{d}_{w}" for g in GRANULARITIES for d in GAPS for w in WEIGHTS)
BANDWIDTH, POINTS, BINS = 0.015, 100, 2001
NOTHING = 1e-300  # densities are held above this, so that logarithms stay finite
ROOM = 8_000_000  # numbers held at a time


def gap_sums(mine: Floats, random: Floats, gaps: Iterable[str] = GAPS) -> dict[tuple[str, str], Floats]:
    """{(granularity, gap): summed over random judges}, `sgl` per assessor, `tpc` per assessor and topic."""
    out: dict[tuple[str, str], Floats] = {}
    wanted = set(gaps)
    if wanted & {"fro", "rmse"}:
        squared = _squared_distances(mine, random)
        topic = np.sqrt(squared / mine.shape[1])
        out["sgl", "fro"] = np.sqrt(squared.mean(axis=2) / mine.shape[1]).sum(axis=1)
        out["tpc", "fro"] = out["tpc", "rmse"] = topic.sum(axis=1)
        means = _squared_distances(mine.mean(axis=2)[:, :, None], random.mean(axis=2)[:, :, None])[:, :, 0]
        out["sgl", "rmse"] = np.sqrt(means / mine.shape[1]).sum(axis=1)
    if "kld" in wanted:
        out["sgl", "kld"], out["tpc", "kld"] = _divergences(mine, random)
    if wanted & {"tau", "apc"}:
        tau, apc = _order_gaps(mine.mean(axis=2), random.mean(axis=2))
        out["sgl", "tau"], out["sgl", "apc"] = tau.sum(axis=1), apc.sum(axis=1)
        per_topic = [_order_gaps(mine[:, :, t], random[:, :, t]) for t in range(mine.shape[2])]
        out["tpc", "tau"] = np.stack([tau.sum(axis=1) for tau, _ in per_topic], axis=1)
        out["tpc", "apc"] = np.stack([apc.sum(axis=1) for _, apc in per_topic], axis=1)
    constant = np.ptp(mine, axis=1) == 0  # (assessor, topic): every system scores the same
    for granularity, gap in out:
        still = constant if granularity == "tpc" else constant.all(axis=1)
        out[granularity, gap] = np.where(still, 0.0, out[granularity, gap])
    return {key: value for key, value in out.items() if key[1] in wanted}


def _squared_distances(mine: Floats, random: Floats) -> Floats:
    """Σ over systems of (M_k − M)², (assessor, random judge, topic)."""
    out = np.empty((len(mine), len(random), mine.shape[2]))
    for t in range(mine.shape[2]):
        a, b = np.ascontiguousarray(mine[:, :, t]), np.ascontiguousarray(random[:, :, t])
        out[:, :, t] = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1)[None, :] - 2 * a @ b.T
    return np.maximum(out, 0.0)


# ── densities ──
def densities(scores: Floats) -> Floats:
    """Kernel density of each row at 100 points of [0, 1], from scores binned to 2,001 bins; not normalised."""
    grid, centres = np.linspace(0, 1, POINTS), np.linspace(0, 1, BINS)
    kernel = np.exp(-0.5 * ((centres[:, None] - grid[None, :]) / BANDWIDTH) ** 2)
    out = np.empty((len(scores), POINTS))
    step = max(1, ROOM // BINS)
    for start in range(0, len(scores), step):
        block = scores[start : start + step]
        place = np.clip(block, 0, 1) * (BINS - 1)
        low = np.minimum(place.astype(np.int64), BINS - 2)
        part = place - low
        cell = low + np.arange(len(block))[:, None] * BINS
        mass = np.bincount(cell.ravel(), (1 - part).ravel(), minlength=len(block) * BINS)
        mass += np.bincount(cell.ravel() + 1, part.ravel(), minlength=len(block) * BINS)
        out[start : start + step] = mass.reshape(len(block), BINS) @ kernel
    return out


def _divergences(mine: Floats, random: Floats) -> tuple[Floats, Floats]:
    """Σ over random judges of 1 − exp(−KL(assessor ‖ random)): per assessor, and per assessor and topic."""
    topics = mine.shape[2]
    ours, theirs = (
        densities(np.ascontiguousarray(x.transpose(0, 2, 1)).reshape(-1, x.shape[1])).reshape(len(x), topics, POINTS)
        for x in (mine, random)
    )
    whole = _divergence(ours.sum(axis=1), theirs.sum(axis=1))
    return whole, np.stack([_divergence(ours[:, t], theirs[:, t]) for t in range(topics)], axis=1)


def _divergence(p: Floats, q: Floats) -> Floats:
    p = np.maximum(p / p.sum(axis=1, keepdims=True), NOTHING)
    q = np.maximum(q / q.sum(axis=1, keepdims=True), NOTHING)
    kl = (p * np.log(p)).sum(axis=1)[:, None] - p @ np.log(q).T
    return np.asarray((1 - np.exp(-np.maximum(kl, 0))).sum(axis=1), np.float64)


# ── orders ──
def _order_gaps(mine: Floats, random: Floats) -> tuple[Floats, Floats]:
    """(1 − |τ_a|, 1 − |τ_ap|), assessor × random judge; 0 where either does not tell systems apart."""
    from dissensus.engine.pair_signs import signs_of, surpluses

    n = mine.shape[1]
    pairs = n * (n - 1) // 2
    if not pairs:
        return np.zeros((len(mine), len(random))), np.zeros((len(mine), len(random)))
    signs = np.empty((pairs, len(mine)), np.float32)
    signs_of(np.ascontiguousarray(mine), signs)
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, n + 1))))
    plain, weighted = (np.empty((len(random), len(mine))) for _ in range(2))
    rows = np.ascontiguousarray(random)
    edges = np.linspace(0, len(rows), 2 * cores() + 1).astype(int)
    parts = [slice(a, b) for a, b in pairwise(edges)]
    on_threads(lambda part: surpluses(rows[part], harmonic, signs, plain[part], weighted[part]), parts)
    flat = (np.ptp(mine, axis=1) == 0)[:, None] | (np.ptp(random, axis=1) == 0)[None, :]
    tau, apc = np.abs(plain.T) / pairs, np.abs(weighted.T) / (n - 1)
    return np.where(flat, 0.0, np.clip(1 - tau, 0, 1)), np.where(flat, 0.0, np.clip(1 - apc, 0, 1))


# ── estimators ──
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
    if np.ptp(scores, axis=0).max() == 0:
        return 0.0
    if gap in ("tau", "apc"):
        ours, theirs = scores.mean(axis=1), gold.mean(axis=1)
        found = kendall_tau(theirs, ours) if gap == "tau" else tau_ap(theirs, ours)
        return max(float(found), 0.0)
    return 1.0 - float(gap_sums(scores[None], gold[None], [gap])["sgl", gap][0])
