"""The ceiling's Gaussian approximation (Metrikov, Pavlu & Aslam, SIGIR 2012): ranks from a bivariate normal.

For a document of reference grade i with label j, h other documents have a higher label and s the same one. Both are
sums of independent choices, so (h, s) is close to a normal pair with

    μ_h = Σ_k m_k a_k        μ_s = Σ_k m_k c_kj        m_k = n_k − [k = i],  a_k = Σ_{l>j} c_kl
    σ²_h = Σ_k m_k a_k(1−a_k)    σ²_s = Σ_k m_k c_kj(1−c_kj)    cov = −Σ_k m_k a_k c_kj

The document then stands on one of the ranks h+1 … h+s+1 with equal chances. Whole numbers within six standard
deviations carry the normal density; there are O(n) of them for each (i, j), because both spreads grow with √n.
"""

from __future__ import annotations

import math

import numpy as np

from dissensus.engine.machine_code import jit

_DEVIATIONS = 6.0
_NO_SPREAD = 1e-9


@jit(nogil=True)
def _window(mean, variance, most):  # type: ignore[no-untyped-def]
    """(first, last) whole number within reach of the mean, inside 0 … most; one number where nothing varies."""
    nearest = min(max(math.floor(mean + 0.5), 0), most)
    if variance < _NO_SPREAD:
        return nearest, nearest
    half_width = _DEVIATIONS * math.sqrt(variance)
    first = min(max(math.ceil(mean - half_width), 0), nearest)
    last = max(min(math.floor(mean + half_width), most), nearest)
    return first, last


@jit(nogil=True)
def _mean_weight(mu_h, mu_s, var_h, var_s, cov, others, cumulative):  # type: ignore[no-untyped-def]
    """E[(w(h+1) + … + w(h+s+1)) / (s+1)] for the normal pair (h, s)."""
    slope = cov / var_s if var_s >= _NO_SPREAD else 0.0
    spread = max(var_h - slope * cov, 0.0)
    total = 0.0
    mass = 0.0
    first, last = _window(mu_s, var_s, others)
    for s in range(first, last + 1):
        away = (s - mu_s) ** 2 / var_s if var_s >= _NO_SPREAD else 0.0
        centre = mu_h + slope * (s - mu_s)
        low, high = _window(centre, spread, others - s)
        for h in range(low, high + 1):
            distance = away + ((h - centre) ** 2 / spread if spread >= _NO_SPREAD else 0.0)
            density = math.exp(-0.5 * distance)
            total += density * (cumulative[h + s + 1] - cumulative[h]) / (s + 1)
            mass += density
    return total / mass


@jit(nogil=True)
def normal_score(counts, matrix, cumulative, values):  # type: ignore[no-untyped-def]
    """The approximate expected score of one topic; `cumulative[r]` is the weight of ranks 1 … r."""
    grades, labels = matrix.shape
    documents = 0
    for k in range(grades):
        documents += counts[k]
    above = np.zeros(grades)
    score = 0.0
    for j in range(labels - 1, -1, -1):
        for i in range(grades):
            share = counts[i] * values[i] * matrix[i, j]
            if share == 0.0:
                continue
            mu_h = mu_s = var_h = var_s = cov = 0.0
            for k in range(grades):
                m = counts[k] - 1 if k == i else counts[k]
                a = above[k]
                c = matrix[k, j]
                mu_h += m * a
                mu_s += m * c
                var_h += m * a * (1.0 - a)
                var_s += m * c * (1.0 - c)
                cov -= m * a * c
            score += share * _mean_weight(mu_h, mu_s, var_h, var_s, cov, documents - 1, cumulative)
        for k in range(grades):
            above[k] += matrix[k, j]
    return score


@jit(nogil=True)
def normal_scores(counts, matrices, matrix_of, cumulative, values, first, last, out):  # type: ignore[no-untyped-def]
    """`normal_score` of topics first … last − 1 into `out`."""
    for t in range(first, last):
        out[t] = normal_score(counts[t], matrices[matrix_of[t]], cumulative[t], values[t])
