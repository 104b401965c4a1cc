"""The interval of a ratio of sums when observations come in clusters.

p = Σ_c y_c / Σ_c x_c over clusters c; linearised, its variance is C/(C−1) · Σ_c (y_c − p x_c)² / (Σ_c x_c)². The
interval is Student's with C − 1 degrees of freedom on the logit scale, so that it stays inside (0, 1).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def ratio_interval(
    hits: NDArray[np.float64], given: NDArray[np.float64], cluster: NDArray[np.integer], level: float
) -> tuple[float, float]:
    """(low, high) of Σ hits / Σ given, 0 ≤ hits ≤ given, rows of one cluster being dependent.

    Where every cluster says 0 (or all say 1) there is no variance to see: then the exact bound of that many
    independent clusters is used, [0, 1 − (α/2)^{1/C}]. One cluster alone, or none, says nothing: (0, 1) and NaN.
    """
    if not len(hits):
        return math.nan, math.nan
    _, place = np.unique(cluster, return_inverse=True)
    y = np.bincount(place, weights=hits)
    x = np.bincount(place, weights=given)
    n, p = len(x), float(y.sum() / x.sum())
    alpha = 1 - level
    if n < 2:
        return 0.0, 1.0
    if p <= 0.0 or p >= 1.0:
        far = 1 - (alpha / 2) ** (1 / n)
        return (0.0, far) if p <= 0.0 else (1 - far, 1.0)
    from dissensus.stats.distributions import stdtrit

    variance = n / (n - 1) * float(np.sum((y - p * x) ** 2)) / float(x.sum()) ** 2
    reach = float(stdtrit(n - 1, 1 - alpha / 2)) * math.sqrt(variance) / (p * (1 - p))
    centre = math.log(p / (1 - p))
    return _inverse_logit(centre - reach), _inverse_logit(centre + reach)


def _inverse_logit(z: float) -> float:
    return 1 / (1 + math.exp(-z)) if z > -700 else 0.0
