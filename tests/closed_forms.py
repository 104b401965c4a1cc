"""The balancing index of four measures by formula (thesis §3.5, its slips mended).

    AP    max { b : Σ_{k=1}^{N−b+1} k/(k+b−1) ≥ 1 }
    RBP   max { b : b ≤ 1 + log_p(1 − p + p^N) }
    ERR   max { b : x_low Σ_{k=b}^N (1−x_low)^(k−b)/k ≥ x_high }
    nDCG  max { b : low·Σ_{k=b}^N d(k) ≥ high·d(1) },  d the discount (log₂(k+1), or Järvelin & Kekäläinen's)

They are twins of `balancing_index`, which works for every measure; None where no b satisfies the condition.
"""

from __future__ import annotations

from math import floor, log

import numpy as np
from numpy.typing import NDArray

ROUNDING = 1e-14


def ap_index(n: int) -> int | None:
    """B(N) of average precision, binary."""
    for b in range(n, 0, -1):
        k = np.arange(1, n - b + 2)
        if (k / (k + b - 1)).sum() >= 1 - ROUNDING:
            return b
    return None


def rbp_index(n: int, p: float) -> int:
    """B(N) of rank-biased precision, binary; never below 1."""
    b = floor(1 + log(1 - p + p**n, p))
    return b + 1 if b < n and p**b - p**n >= (1 - p) * (1 - ROUNDING) else b  # the logarithm may round down


def err_index(n: int, low: int = 1, high: int = 1) -> int | None:
    """B(N) of expected reciprocal rank, x(g) = (2^g − 1)/2^high."""
    x_low, x_high = (2**low - 1) / 2**high, (2**high - 1) / 2**high
    rank = np.arange(1, n + 1)
    for b in range(n, 0, -1):
        tail = x_low * ((1 - x_low) ** (rank[b - 1 :] - b) / rank[b - 1 :]).sum()
        if tail >= x_high * (1 - ROUNDING):
            return b
    return None


def ndcg_index(n: int, low: int = 1, high: int = 1, dcg: str = "log2", base: int = 2) -> int | None:
    """B(N) of nDCG with linear gains; `dcg` is "log2" or "jk" with its logarithm's base."""
    rank = np.arange(1, n + 1, dtype=np.float64)
    if dcg == "jk":
        discount: NDArray[np.float64] = 1 / np.maximum(1.0, np.log(rank) / log(base))
    else:
        discount = 1 / np.log2(rank + 1)
    tail = low * np.cumsum(discount[::-1])[::-1]
    matched = np.flatnonzero(tail >= high * discount[0] * (1 - ROUNDING))
    return int(matched[-1]) + 1 if len(matched) else None
