"""Expectation maximisation of how common each gold grade is, stratum by stratum."""

from __future__ import annotations

import numpy as np

from dissensus.engine.machine_code import jit


@jit(nogil=True)
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
