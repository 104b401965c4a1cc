"""ψ, the derivative of log Γ, for arguments above zero (importing scipy.special takes longer than a small merge).

    ψ(x) = ψ(x + 1) − 1/x,   ψ(x) ≈ log x − 1/(2x) − 1/(12x²) + 1/(120x⁴) − 1/(252x⁶) + …   for large x

Abramowitz & Stegun 1964, 6.3.5 and 6.3.18. The tests compare it with scipy's to 14 digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LARGE = 10.0  # from here on eight terms of the series are exact to the last digit
#: −B₂ₙ / (2n): coefficients of x⁻², x⁻⁴, …
SERIES = (-1 / 12, 1 / 120, -1 / 252, 1 / 240, -1 / 132, 691 / 32760, -1 / 12, 3617 / 8160)


def digamma(x: NDArray[Any]) -> Floats:
    """ψ of every element.

    >>> digamma(np.array([1.0])).round(6).tolist()
    [-0.577216]
    """
    value = np.array(x, np.float64)
    taken = np.zeros_like(value)
    small = value < LARGE
    while small.any():
        taken[small] += 1 / value[small]
        value[small] += 1
        small = value < LARGE
    inverse = 1 / value**2
    series = np.zeros_like(value)
    for coefficient in reversed(SERIES):
        series = (series + coefficient) * inverse
    return np.asarray(np.log(value) - 0.5 / value + series - taken, np.float64)
