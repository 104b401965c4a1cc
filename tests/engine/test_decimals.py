"""Decimal to binary: bit for bit what Python's float gives."""

from __future__ import annotations

import random
import struct

import numpy as np

from dissensus.engine.decimals import to_double


def check(w: int, q: int) -> bool:
    value, ok = to_double(np.uint64(w), q)
    assert not ok or value == float(f"{w}e{q}"), (w, q)
    return ok


def test_random_numbers():
    rng = random.Random(1)
    done = sum(check(rng.randrange(10 ** rng.randint(1, 19)), rng.randint(-40, 12)) for _ in range(6_000))
    assert done > 5_990  # almost none is left to Python


def test_all_magnitudes():
    rng = random.Random(2)
    for _ in range(4_000):
        check(rng.getrandbits(64), rng.randint(-350, 310))


def test_shortest_forms_of_doubles():
    rng = random.Random(3)
    for _ in range(4_000):
        (x,) = struct.unpack("d", struct.pack("Q", rng.getrandbits(63)))
        if np.isfinite(x):
            digits, _, power = repr(x).partition("e")
            whole, _, part = digits.partition(".")
            check(int(whole + part), int(power or 0) - len(part))


def test_half_way_cases():
    rng = random.Random(4)
    for _ in range(2_000):
        w = 2 * (rng.getrandbits(53) | 1 << 52) + 1
        for q in range(5):
            if w * 5**q < 2**64:
                check(w * 5**q, -q)


def test_zero_and_overflow():
    assert to_double(np.uint64(0), 999) == (0.0, True)
    assert not check(1, 400)
    assert not check(1, -400)
