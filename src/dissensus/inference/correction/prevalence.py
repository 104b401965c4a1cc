"""How common each gold grade is in a stratum, from its bronze labels and the judge's matrix (EM)."""

from __future__ import annotations

import numpy as np

from dissensus.inference.correction.weights import Floats
from dissensus.work.compiled import compiled

STRENGTH = 8.0  # labels' worth of belief in the coarser level
ROUNDS = 15  # of EM: shares move by less than .002 afterwards


def prevalence(bronze: Floats, matrix: Floats, prior: Floats) -> Floats:
    """Shares of gold grades in every stratum whose bronze labels, read through the matrix, look like `bronze`.

    share ← (share·((bronze/(share·M)) Mᵀ) + 8·prior)/(n + 8), 15 times from the prior, which counts like eight
    documents so that small strata stay near the larger one they belong to. The matrix has no zero. `bronze` is strata ×
    labels, `matrix` grades × labels × draws, `prior` strata × grades × draws.

    >>> sure = np.array([[0.9, 0.1], [0.1, 0.9]])[:, :, None]
    >>> prevalence(np.array([[580.0, 420.0]]), sure, np.array([[[0.5], [0.5]]])).round(2).ravel().tolist()
    [0.6, 0.4]
    """
    out = np.array(prior, order="C")
    tables = (np.ascontiguousarray(bronze), np.ascontiguousarray(matrix), np.ascontiguousarray(prior))
    expectation_maximisation(*tables, STRENGTH, ROUNDS, out)
    return out


@compiled
def expectation_maximisation(bronze, matrix, prior, strength, rounds, out):  # type: ignore[no-untyped-def]
    """Every stratum by itself, into `out`, which holds the prior; draws innermost, so that they go side by side."""
    strata, labels = bronze.shape
    grades, draws = prior.shape[1], prior.shape[2]
    ratio, back = np.empty((labels, draws)), np.empty(draws)
    for s in range(strata):
        total = strength
        for j in range(labels):
            total += bronze[s, j]
        for _ in range(rounds):
            for j in range(labels):
                for i in range(draws):
                    ratio[j, i] = 0.0
                for g in range(grades):
                    for i in range(draws):
                        ratio[j, i] += out[s, g, i] * matrix[g, j, i]
                for i in range(draws):
                    ratio[j, i] = bronze[s, j] / ratio[j, i]
            for g in range(grades):
                for i in range(draws):
                    back[i] = 0.0
                for j in range(labels):
                    for i in range(draws):
                        back[i] += ratio[j, i] * matrix[g, j, i]
                for i in range(draws):
                    out[s, g, i] = (out[s, g, i] * back[i] + strength * prior[s, g, i]) / total


@expectation_maximisation.in_numpy
def expectation_maximisation_in_numpy(bronze, matrix, prior, strength, rounds, out):  # type: ignore[no-untyped-def]
    """The same, all strata and draws at once, grades and labels in the same order; strata innermost, which are many."""
    grades, labels, _ = matrix.shape
    total = np.full(len(bronze), strength)
    for j in range(labels):
        total += bronze[:, j]
    given = np.ascontiguousarray(bronze.T)[:, None, :]
    by_grade, by_label = matrix[..., None], matrix.transpose(1, 0, 2)[..., None]
    share = np.ascontiguousarray(out.transpose(1, 2, 0))  # grades × draws × strata
    believed = np.ascontiguousarray(strength * prior.transpose(1, 2, 0))
    ratio, back = np.empty((labels, *share.shape[1:])), np.empty_like(share)
    by_one, to_one = np.empty_like(ratio), np.empty_like(back)
    for _ in range(rounds):
        np.multiply(share[0], by_grade[0], out=ratio)  # labels × draws × strata
        for g in range(1, grades):
            np.multiply(share[g], by_grade[g], out=by_one)
            ratio += by_one
        np.divide(given, ratio, out=ratio)
        np.multiply(ratio[0], by_label[0], out=back)  # grades × draws × strata
        for j in range(1, labels):
            np.multiply(ratio[j], by_label[j], out=to_one)
            back += to_one
        share *= back
        share += believed
        share /= total
    out[:] = share.transpose(2, 0, 1)


@expectation_maximisation.counting
def walked(bronze, matrix, prior, strength, rounds, out):  # type: ignore[no-untyped-def]
    """Every stratum goes through all rounds, labels, grades and draws."""
    return bronze.size * matrix.shape[0] * matrix.shape[2] * rounds
