"""Decimal numbers to doubles, rounded as Python's `float` rounds them.

A number of at most 19 digits is w·10^q with a 64-bit w. If w < 2⁵³ and |q| ≤ 22, one multiplication or division of
exact doubles rounds right (Clinger 1990). Otherwise w is multiplied by 128 bits of 5^q, which settles the rounding in
all but rare cases (Lemire 2021, "Number parsing at a gigabyte per second"); those, subnormal numbers and longer ones
are left to Python (`ok` is False).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dissensus.engine.machine_code import njit
from dissensus.engine.raw_memory import double_of, high_product, leading_zeros

LOWEST, HIGHEST = -342, 308
_EXACT = np.array([float(f"1e{i}") for i in range(23)])
_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
_PRECISION = np.uint64(0xFFFFFFFFFFFFFFFF >> 55)


def powers_of_five() -> NDArray[np.uint64]:
    """The leading 128 bits of 5^q for q from −342 to 308, two words each; reciprocals are rounded up."""
    table = np.empty((HIGHEST - LOWEST + 1, 2), np.uint64)
    for q in range(LOWEST, HIGHEST + 1):
        power = 5 ** abs(q)
        if q < 0:
            size = (power - 1).bit_length()
            bits = 2 ** (size + 127 if q >= -27 else 2 * size + 128) // power + 1
        else:
            bits = power << max(0, 128 - power.bit_length())
        bits >>= max(0, bits.bit_length() - 128)
        table[q - LOWEST] = bits >> 64, bits & 0xFFFFFFFFFFFFFFFF
    return table


# a constant of the module, so that no function needs to be handed an array (see words.py)
_FIVES = powers_of_five()


@njit(nogil=True)
def to_double(w, q):  # type: ignore[no-untyped-def]
    """(w·10^q, ok) for an unsigned w."""
    if w == np.uint64(0):
        return 0.0, True
    if w < np.uint64(1 << 53) and -22 <= q <= 22:
        value = float(w)
        return (value / _EXACT[-q] if q < 0 else value * _EXACT[q]), True
    if q < LOWEST or q > HIGHEST:
        return 0.0, False
    shift = leading_zeros(w)
    w = w << np.uint64(shift)
    high = _FIVES[q - LOWEST, 0]
    upper = high_product(w, high)
    lower = w * high
    if upper & _PRECISION == _PRECISION:
        more = high_product(w, _FIVES[q - LOWEST, 1])
        lower += more
        if more > lower:
            upper += np.uint64(1)
    if lower == _ONES and not -27 <= q <= 55:
        return 0.0, False
    top = np.int64(upper >> np.uint64(63))
    drop = np.uint64(top + 9)
    mantissa = upper >> drop
    exponent = ((217706 * q) >> 16) + 63 + top - shift + 1023
    if exponent <= 0 or exponent >= 2046:
        return 0.0, False
    # exactly half way between two doubles: to the even one
    if (
        lower <= np.uint64(1)
        and -4 <= q <= 23
        and mantissa & np.uint64(3) == np.uint64(1)
        and mantissa << drop == upper
    ):
        mantissa &= ~np.uint64(1)
    mantissa = (mantissa + (mantissa & np.uint64(1))) >> np.uint64(1)
    if mantissa >= np.uint64(1 << 53):
        mantissa = np.uint64(1 << 52)
        exponent += 1
    mantissa &= ~np.uint64(1 << 52)
    return double_of(mantissa | (np.uint64(exponent) << np.uint64(52))), True
