"""Gaps: how unlike random judging an assessor's scores are, on plain arrays.

Scores are (judge, system, topic). Five gaps, each in [0, 1], 0 for an assessor who scores like a random judge:

    fro    ‖M_k − M‖_F / √(|T||S|)
    rmse   root mean square difference of the systems' scores averaged over topics
    kld    1 − exp(−KL) of the densities of scores (Gaussian kernel, bandwidth .015, 100 points on [0, 1])
    tau    1 − |τ_a| of the systems' order
    apc    1 − |τ_ap| of the systems' order, the assessor being the reference

at the granularity `sgl` (all topics of the assessor together) or `tpc` (each topic alone). Scores that do not tell
systems apart have gap 0 by definition. The direction is the prose's, not that of the printed equations: the further
from random, the larger.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dissensus.work.compiled import on_threads
from dissensus.work.settings import cores

Floats = NDArray[np.float64]
GAPS = ("fro", "rmse", "kld", "tau", "apc")
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
    from dissensus.judges.aware.pair_signs import signs_of, surpluses

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
