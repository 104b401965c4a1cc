"""Many tests at once: p-values that mean what they say for the whole family.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]

The family is what is passed in; say it beside the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dissensus.arrays import Floats
from dissensus.errors import InputError, Option, Text
from dissensus.stats.simultaneous import critical
from dissensus.work.seeds import generator

Correction = Literal["none", "bonferroni", "holm", "bh"]


def adjust(p_values: ArrayLike, correction: Correction = "holm") -> Floats:
    """Adjusted p-values by the correction's name."""
    if correction not in _CORRECTIONS:
        raise InputError(
            Text(Option("correction", correction), f" is not one of {', '.join(map(repr, _CORRECTIONS))}.")
        )
    return _CORRECTIONS[correction](p_values)


def bonferroni(p_values: ArrayLike) -> Floats:
    """min(1, m·p): no error in the family with probability 1 − α, whatever the dependence; the bluntest."""
    p = _checked(p_values)
    return np.minimum(p * p.size, 1.0)


def holm(p_values: ArrayLike) -> Floats:
    """Bonferroni, step by step from the smallest (Holm 1979): the same guarantee, never less power."""
    p = _checked(p_values)
    flat = p.ravel()
    order = np.argsort(flat, kind="stable")
    stepped = np.maximum.accumulate(flat[order] * np.arange(len(flat), 0, -1))
    return _back(np.minimum(stepped, 1.0), order, p.shape)


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """The expected share of false finds among the finds (Benjamini & Hochberg 1995); independent or positively
    dependent tests."""
    p = _checked(p_values)
    flat = p.ravel()
    order = np.argsort(flat, kind="stable")
    raised = flat[order] * len(flat) / np.arange(1, len(flat) + 1)
    stepped = np.minimum.accumulate(raised[::-1])[::-1]
    return _back(np.minimum(stepped, 1.0), order, p.shape)


def none(p_values: ArrayLike) -> Floats:
    """As they are."""
    return _checked(p_values)


_CORRECTIONS = {"none": none, "bonferroni": bonferroni, "holm": holm, "bh": benjamini_hochberg}


def _checked(p_values: ArrayLike) -> Floats:
    p = np.array(p_values, dtype=np.float64)
    if not ((p >= 0) & (p <= 1)).all():
        bad = p[~((p >= 0) & (p <= 1))].ravel()[0]
        raise InputError(f"p_values hold {bad!r}; p-values lie between 0 and 1.", "Leave out tests that gave no p.")
    return p


def _back(values: Floats, order: NDArray[np.intp], shape: tuple[int, ...]) -> Floats:
    out = np.empty(len(values))
    out[order] = values
    return out.reshape(shape)


# ── all pairs of systems, topics as blocks ───────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class RandomizedTukey:
    """`p_value[a, b]` of every pair, adjusted for all pairs; `difference[a, b]` is mean a − mean b."""

    difference: Floats
    p_value: Floats
    replicates: int
    topics: int
    ranges: Floats  # the largest difference in every replicate, sorted

    def critical(self, level: float = 0.95) -> float:
        """Half the width of simultaneous intervals: the largest difference that is not significant at `level`."""
        return critical(self.ranges, level)


def randomized_tukey(scores: ArrayLike, *, replicates: int = 10_000, seed: int = 0) -> RandomizedTukey:
    """Paired randomised Tukey HSD: topics are blocks (Carterette 2012; Sakai 2014).

    `scores` is topics × systems. In each replicate the systems' scores are shuffled within every topic, and the range
    (largest − smallest mean) is kept; p of a pair is (1 + replicates whose range reaches |difference|) / (1 + B): it
    can never be 0.

    >>> easy = np.column_stack([np.linspace(0, 1, 20), np.linspace(0, 1, 20) + 0.3])
    >>> randomized_tukey(easy, replicates=999, seed=0).p_value[0, 1]
    np.float64(0.001)

    Not for systems with different topics: pass the topics all of them have.
    """
    x = np.asarray(scores, np.float64)
    if x.ndim != 2 or x.shape[0] < 2 or x.shape[1] < 2:
        raise InputError(f"scores of shape {x.shape}: two topics and two systems at least are needed.")
    if not np.isfinite(x).all():
        raise InputError(
            f"scores hold {np.sum(~np.isfinite(x)):,} missing values.", "Keep the topics all systems have."
        )
    if replicates < 1:
        raise InputError(Text(Option("replicates", replicates), ": at least one is needed."))
    ranges = np.empty(replicates)
    chunk = 64  # fixed, so that the numbers do not depend on the memory at hand
    for number, start in enumerate(range(0, replicates, chunk)):
        size = min(chunk, replicates - start)
        block = np.broadcast_to(x, (size, *x.shape)).copy()
        generator(seed, number).permuted(block, axis=2, out=block)
        means = block.mean(axis=1)
        ranges[start : start + size] = means.max(axis=1) - means.min(axis=1)
    difference = x.mean(axis=0)[:, None] - x.mean(axis=0)[None, :]
    # sums in another order differ in the last bits: a replicate that equals the data must count as reaching them
    slack = 1e-12 * max(float(np.abs(x).max()), 1e-300)
    ranges.sort()
    reached = replicates - np.searchsorted(ranges, np.abs(difference) - slack, side="left")
    p = (reached + 1) / (replicates + 1)
    np.fill_diagonal(p, 1.0)
    return RandomizedTukey(difference, p, replicates, len(x), ranges)
