"""Normal, Student's and χ² probabilities and quantiles, and ψ, in numpy: scipy.special's names and accuracy.

Importing scipy.special takes 0.3 s, as long as a small comparison takes from start to end; these six functions are
all that most intervals, and MACE, need. Φ by the complementary error function of the standard library, Φ⁻¹ by its
`NormalDist`, Student's t and χ² by continued fractions (modified Lentz). They agree with scipy to a relative 1e-12,
which the tests check. Tails from 1e-280 down, and degrees of freedom over ten thousand, are left to scipy.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
_ERFC = np.frompyfunc(math.erfc, 1, 1)
_INVERSE = np.frompyfunc(NormalDist().inv_cdf, 1, 1)
LARGEST_DF = 1e4
MANY = 200  # different quantiles beyond which importing scipy.special is quicker
LAST = 4_000  # steps of a continued fraction


def ndtr(x: ArrayLike) -> Any:
    """Φ(x).

    >>> round(float(ndtr(1.96)), 4)
    0.975
    """
    z = np.asarray(x, np.float64)
    return np.asarray(0.5 * _ERFC(-z / math.sqrt(2)), np.float64)[()]


def ndtri(p: ArrayLike) -> Any:
    """Φ⁻¹(p); ∓∞ at 0 and 1, NaN outside.

    >>> round(float(ndtri(0.975)), 4)
    1.96
    """
    q = np.asarray(p, np.float64)
    out = np.where(q == 0, -np.inf, np.where(q == 1, np.inf, np.nan))
    inside = (q > 0) & (q < 1)
    out[inside] = np.asarray(_INVERSE(q[inside]), np.float64)
    return out[()]


def stdtr(df: ArrayLike, t: ArrayLike) -> Any:
    """P(T ≤ t) of Student's t with `df` degrees of freedom.

    >>> round(float(stdtr(9, -2.262)), 4)
    0.025
    """
    freedom, value = np.broadcast_arrays(np.asarray(df, np.float64), np.asarray(t, np.float64))
    if (freedom > LARGEST_DF).any():
        from scipy.special import stdtr as exact

        return exact(freedom, value)[()]
    below = np.full(freedom.shape, np.nan)
    known = (freedom > 0) & np.isfinite(value)
    size = np.abs(value[known])
    if size.size <= 32:
        below[known] = [
            _one_tail(d, v) if v else 0.5 for d, v in zip(freedom[known].tolist(), size.tolist(), strict=True)
        ]
    else:
        below[known] = _tail(freedom[known], size)
    below[(freedom > 0) & np.isinf(value)] = 0.0
    return np.where(value > 0, 1 - below, below)[()]


def stdtrit(df: ArrayLike, p: ArrayLike) -> Any:
    """The t with P(T ≤ t) = p: Newton's steps on the tail, kept inside a bracket.

    >>> round(float(stdtrit(9, 0.975)), 4)
    2.2622
    """
    freedom, q = np.broadcast_arrays(np.asarray(df, np.float64), np.asarray(p, np.float64))
    tail = np.minimum(q, 1 - q)
    if (freedom > LARGEST_DF).all() and (tail > 1e-9).all():
        return _nearly_normal(freedom, np.asarray(ndtri(q), np.float64))[()]
    if (freedom > LARGEST_DF).any() or ((tail > 0) & (tail < 1e-280)).any() or (freedom < 1).any():
        from scipy.special import stdtrit as exact

        return exact(freedom, q)[()]
    pairs, place = np.unique(np.stack([freedom.ravel(), tail.ravel()]), axis=1, return_inverse=True)
    if pairs.shape[1] > MANY:
        from scipy.special import stdtrit as exact

        return exact(freedom, q)[()]
    size = np.array([_quantile(d, q) for d, q in pairs.T.tolist()])[place.ravel()].reshape(freedom.shape)
    return np.where(q < 0.5, -size, size)[()]


def _nearly_normal(df: Floats, z: Floats) -> Floats:
    """t of many degrees of freedom by Cornish and Fisher's series in 1/df, exact to twelve digits from 10⁴ on.

    Abramowitz & Stegun 1964, 26.7.5.
    """
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return np.asarray(z + first / df + second / df**2 + third / df**3, np.float64)


def chdtrc(df: ArrayLike, x: ArrayLike) -> Any:
    """P(χ² ≥ x) with `df` degrees of freedom.

    >>> round(float(chdtrc(1, 3.841)), 4)
    0.05
    """
    freedom, value = np.broadcast_arrays(np.asarray(df, np.float64), np.asarray(x, np.float64))
    out = [
        _chi_square_tail(d / 2, v / 2) for d, v in zip(freedom.ravel().tolist(), value.ravel().tolist(), strict=True)
    ]
    return np.array(out, np.float64).reshape(freedom.shape)[()]


def digamma(x: ArrayLike) -> Any:
    """ψ(x), the derivative of log Γ, for x above zero: its series in 1/x² ten steps up, ψ(x) = ψ(x + 1) − 1/x down.

    Abramowitz & Stegun 1964, 6.3.6 and 6.3.18.

    >>> round(float(digamma(1.0)), 6)
    -0.577216
    """
    value = np.asarray(x, np.float64)
    steps = (1 / (value[..., None] + np.arange(10.0))).sum(axis=-1)
    top = value + 10
    square = 1 / (top * top)
    series = np.zeros_like(top)
    for coefficient in (3617 / 8160, -1 / 12, 691 / 32760, -1 / 132, 1 / 240, -1 / 252, 1 / 120, -1 / 12):
        series = (series + coefficient) * square
    return (np.log(top) - 0.5 / top + series - steps)[()]


# ── Student's t ──────────────────────────────────────────────────────────────────────────────────────────────────────
def _tail(df: Floats, t: Floats) -> Floats:
    """P(T ≤ −t), t ≥ 0: half the incomplete beta function I_x(df/2, 1/2) at x = df/(df + t²)."""
    a, b = df / 2, np.full_like(df, 0.5)
    square = t * t
    x, rest = df / (df + square), square / (df + square)
    # log x by log1p where x is near 1, or its digits are lost
    log_x = np.where(rest < 0.5, np.log1p(-np.minimum(rest, 0.5)), np.log(np.maximum(x, 1e-320)))
    front = np.exp(a * log_x + b * np.log(np.maximum(rest, 1e-320)) - _log_beta_half(a))
    near = x < (a + 1) / (a + b + 2)
    fraction = _beta_fraction(np.where(near, a, b), np.where(near, b, a), np.where(near, x, rest))
    share = front * fraction / np.where(near, a, b)
    share[rest == 0] = 0.0
    return np.asarray(0.5 * np.where(near, share, 1 - share), np.float64)


def _log_beta_half(a: Floats) -> Floats:
    """log B(a, 1/2); by Γ(a)/Γ(a + 1/2)'s series where a is large and the logarithms would cancel."""
    large = a > 50
    out = np.empty_like(a)
    few, place = np.unique(a[~large], return_inverse=True)
    out[~large] = np.array([math.lgamma(v) - math.lgamma(v + 0.5) for v in few.tolist()])[place] if len(few) else []
    n = a[large]
    series = 1 / (8 * n) - 1 / (192 * n**3) + 1 / (640 * n**5) - 17 / (14336 * n**7)
    out[large] = series - 0.5 * np.log(n)
    return out + 0.5 * math.log(math.pi)


def _beta_fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """The continued fraction of the incomplete beta function."""
    tiny = 1e-300
    c = np.ones_like(x)
    d = 1 / (1 - (a + b) * x / (a + 1))
    h = d.copy()
    for m in range(1, LAST):
        step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 + step * d
        c = 1 + step / c
        d = 1 / np.where(d == 0, tiny, d)
        c = np.where(c == 0, tiny, c)
        h *= d * c
        step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 + step * d
        c = 1 + step / c
        d = 1 / np.where(d == 0, tiny, d)
        c = np.where(c == 0, tiny, c)
        h *= d * c
        if (np.abs(d * c - 1) < 1e-15).all():
            break
    return h


@lru_cache(maxsize=1 << 14)
def _quantile(df: float, tail: float) -> float:
    """t ≥ 0 with P(T ≥ t) = tail ≤ 1/2: Newton's steps on the logarithm of the tail over that of t, in a bracket."""
    if tail == 0.5:
        return 0.0
    if tail == 0:
        return math.inf
    low, high = 0.0, math.inf
    # the normal quantile with the first term of its expansion in 1/df
    z = -NormalDist().inv_cdf(tail)
    t = z * (1 + (z * z + 1) / (4 * df))
    scale = -_one_log_beta_half(df / 2) - 0.5 * math.log(df)
    for _ in range(200):
        above = _one_tail(df, t)
        low, high = (t, high) if above > tail else (low, t)
        density = math.exp(scale - (df + 1) / 2 * math.log1p(t * t / df))
        moved = t * math.exp(above * math.log(above / tail) / (t * density)) if density > 0 else math.nan
        if not low < moved < high:
            moved = 2 * t if math.isinf(high) else (low + high) / 2
        if abs(moved - t) <= 4e-16 * t:
            break
        t = moved
    return t


def _one_tail(df: float, t: float) -> float:
    """`_tail` of one number, without arrays: ten times quicker."""
    a, b, square = df / 2, 0.5, t * t
    x, rest = df / (df + square), square / (df + square)
    log_x = math.log1p(-rest) if rest < 0.5 else math.log(x)
    front = math.exp(a * log_x + b * math.log(rest) - _one_log_beta_half(a))
    if x < (a + 1) / (a + b + 2):
        return 0.5 * front * _one_beta_fraction(a, b, x) / a
    return 0.5 * (1 - front * _one_beta_fraction(b, a, rest) / b)


@lru_cache(maxsize=1 << 14)
def _one_log_beta_half(a: float) -> float:
    return float(_log_beta_half(np.array([a]))[0])


def _one_beta_fraction(a: float, b: float, x: float) -> float:
    """`_beta_fraction` of one number."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    h = d
    for m in range(1, LAST):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + step * d or 1e-300)
            c = 1 + step / c or 1e-300
            h *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return h


# ── χ² ───────────────────────────────────────────────────────────────────────────────────────────────────────────────
def _chi_square_tail(a: float, x: float) -> float:
    """Q(a, x), the upper incomplete gamma function: its series below a + 1, its continued fraction above."""
    if not (a > 0 and x >= 0):
        return math.nan
    if x == 0:
        return 1.0
    if math.isinf(x):
        return 0.0
    front = a * math.log(x) - x - math.lgamma(a)
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > 1e-17 * total:
            n += 1
            term *= x / n
            total += term
        return 1 - total * math.exp(front)
    b = x + 1 - a
    c, d = 1e300, 1 / b
    h = d
    for i in range(1, LAST):
        step = -i * (i - a)
        b += 2
        d = 1 / (step * d + b or 1e-300)
        c = b + step / c or 1e-300
        h *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return h * math.exp(front)
