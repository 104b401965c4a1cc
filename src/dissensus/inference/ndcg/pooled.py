"""Pooled nDCG: the order of systems by the judge and by the model, shrunk towards what the audit corrects.

Corrected scores θ̂ (`corrected`) have a good level and a noisy order. The judge's order and the model's are better than
noise, and err in different ways. Their mean is where systems start:

    o_s = mean(model) + ½(model_s − mean) + ½(naive_s − mean),
    θ̂ ~ N(θ, C),   θ = o + β₀ + β₁(o − ō) + u,   β₀ ~ N(0, 0.1²),  β₁ ~ N(0, 0.15²),  u ~ N(0, τ₁²K + τ₂²I),

K the cosines of the systems' weights over documents. Scores are the posterior mean with τ₁ and τ₂ flat on a grid. Their
covariance has τ² flat, which is wider (Fay & Herriot 1979, an area is a system).

When not to use it: with fewer than four systems, and for a system that the judge favours (it keeps half of its bias).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats

TOP, POWER, GRID = 0.25, 1.5, (10, 8)
LEVEL, SLOPE = 0.1, 0.15  # prior standard deviations of β₀ and β₁
FEWEST_DF = 4
ASSUMPTION = (
    "the order of systems is near that of the judge's labels and of the model of gold grades, as far as the audit does "
    "not say otherwise"
)


@dataclass(frozen=True, eq=False)
class Shrunk:
    """Pooled scores, the covariance behind their intervals, the narrower one with τ flat, and means of τ₁ and τ₂."""

    theta: Floats
    covariance: Floats
    narrow: Floats
    df: float
    spread: tuple[float, float]


def shrink(naive: Floats, model: Floats, theta: Floats, covariance: Floats, overlap: Floats) -> Shrunk:
    """Pooled scores from corrected ones (`theta`) with their covariance for these topics; `overlap` is K."""
    systems = len(theta)
    centre = model.mean()
    start = centre + (model - centre) / 2 + (naive - naive.mean()) / 2
    slope = start - start.mean()
    fixed = LEVEL**2 * np.ones((systems, systems)) + SLOPE**2 * np.outer(slope, slope)
    away = theta - start
    likelihood, means, spreads, places = [], [], [], []
    first, second = ((np.arange(n) + 0.5) / n for n in GRID)
    for x in first:
        for y in second:
            prior = fixed + (TOP * x**POWER) ** 2 * overlap + (TOP * y**POWER) ** 2 * np.eye(systems)
            root = np.linalg.cholesky(prior + covariance)
            half, rest = np.linalg.solve(root, prior), np.linalg.solve(root, away)
            likelihood.append(-np.log(np.diag(root)).sum() - rest @ rest / 2)
            means.append(half.T @ rest)
            gain = np.linalg.solve(root.T, half)  # (P + C)⁻¹P
            left = np.linalg.solve(root.T, np.linalg.solve(root, covariance))  # I − gain, also where C is nearly 0
            spreads.append(left.T @ prior @ left + gain.T @ covariance @ gain)  # never below 0, as P − half'half may be
            places.append((x, y))
    level, places_ = np.array(likelihood), np.array(places)
    place = np.log(places_).sum(axis=1)
    mean, narrow = _posterior(level + place / 2, np.array(means), np.array(spreads))  # dτ = √x dx
    wide = _posterior(level + 2 * place, np.array(means), np.array(spreads))[1]  # d(τ²) = x² dx
    share = np.exp(level + place / 2 - (level + place / 2).max())
    tau = (share / share.sum()) @ (TOP * places_**POWER)
    return Shrunk(start + mean, wide, narrow, float(max(systems - 3, FEWEST_DF)), (float(tau[0]), float(tau[1])))


def _posterior(level: Floats, means: Floats, spreads: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance over the grid."""
    weight = np.exp(level - level.max())
    weight /= weight.sum()
    mean = weight @ means
    away = means - mean
    return mean, np.asarray(np.einsum("c,cst->st", weight, spreads) + (away * weight[:, None]).T @ away)
