"""Sign-flip randomisation: is a mean difference larger than chance labels of the two sides would make it?

Under the null hypothesis each topic's difference is as likely to be turned round (Fisher 1935). p = (k+1)/(B+1), where
k of B random flips reach the observed mean: the data themselves are one of the flips, so that p is never 0. With few
topics all 2ⁿ flips are made, and p is exact.

    >>> sign_flip([0.1, 0.2, 0.15, 0.3, 0.05]).p_value  # 2 of 2⁵ flips: all plus, all minus
    0.0625
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dissensus.arrays import Floats
from dissensus.errors import InputError, Option, Text
from dissensus.work.seeds import generator

_BLOCK = 512  # flips at a time; fixed, so that the numbers do not depend on the memory at hand


@dataclass(frozen=True)
class Randomization:
    """`mean` difference and two-sided `p_value`: floats, or arrays for a matrix of differences."""

    mean: Any
    p_value: Any
    flips: int
    exact: bool


def sign_flip(differences: ArrayLike, *, replicates: int = 10_000, seed: int = 0) -> Randomization:
    """Two-sided p of mean differences: topics, or topics × comparisons (the same flips serve every column).

    Exact where 2ⁿ ≤ `replicates`. Not for differences that are not symmetric under the null (medians of unpaired data).
    """
    d = np.asarray(differences, np.float64)
    if d.ndim not in (1, 2) or d.shape[0] < 2:
        raise InputError(f"differences of shape {d.shape}: two topics at least are needed.")
    if not np.isfinite(d).all():
        raise InputError(f"differences hold {np.sum(~np.isfinite(d)):,} values that are no finite numbers.")
    if replicates < 1:
        raise InputError(Text(Option("replicates", replicates), ": at least one flip is needed."))
    columns = d.reshape(len(d), -1)
    n = len(d)
    exact = n <= 40 and 2**n <= replicates
    observed = np.abs(columns.sum(axis=0))
    # sums in another order differ in the last bits: a flip that equals the data must count as reaching them
    bar = observed - 1e-12 * np.abs(columns).sum(axis=0)
    flips = 2**n if exact else replicates
    reached = np.zeros(columns.shape[1], np.int64)
    for number, start in enumerate(range(0, flips, _BLOCK)):
        size = min(_BLOCK, flips - start)
        signs = _all_signs(start, size, n) if exact else _random_signs(generator(seed, number), size, n)
        reached += (np.abs(signs @ columns) >= bar).sum(axis=0)
    p = reached / flips if exact else (reached + 1) / (flips + 1)
    mean = columns.mean(axis=0)
    if d.ndim == 1:
        return Randomization(float(mean[0]), float(p[0]), flips, exact)
    return Randomization(mean, p, flips, exact)


def _all_signs(start: int, size: int, n: int) -> Floats:
    numbers = np.arange(start, start + size, dtype=np.int64)[:, None]
    return np.asarray(1.0 - 2.0 * ((numbers >> np.arange(n)) & 1))


def _random_signs(rng: np.random.Generator, size: int, n: int) -> Floats:
    return np.asarray(1.0 - 2.0 * rng.integers(0, 2, (size, n), dtype=np.int8))
