"""Whole numbers as decimal text in one buffer: ids that a table holds as numbers, hashed like all others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Array
from dissensus.engine.hashing import SEED, finish, fold
from dissensus.engine.machine_code import njit
from dissensus.engine.raw_memory import address_of, put_word

_E8 = np.uint64(100_000_000)
_E4 = np.uint64(10_000)
_ZEROS = np.uint64(0x3030303030303030)
_EIGHT = np.uint64(64)


@njit(nogil=True)
def eight_digits(value):  # type: ignore[no-untyped-def]
    """The eight digits of a number below 10⁸ as a word of bytes 0 … 9, the first digit in the lowest byte.

    All digits at once: halves of four digits in 32 bits each, then pairs in 16, then digits in 8; the divisions by 100
    and 10 are multiplications by 5243 / 2¹⁹ and 103 / 2¹⁰, exact for numbers below 10⁴ and 100.
    """
    top = value // _E4
    halves = top | ((value - top * _E4) << np.uint64(32))
    hundreds = ((halves * np.uint64(5243)) >> np.uint64(19)) & np.uint64(0x0000007F0000007F)
    pairs = hundreds | ((halves - hundreds * np.uint64(100)) << np.uint64(16))
    tens = ((pairs * np.uint64(103)) >> np.uint64(10)) & np.uint64(0x000F000F000F000F)
    return tens | ((pairs - tens * np.uint64(10)) << np.uint64(8))


@njit(nogil=True)
def digit_count(value):  # type: ignore[no-untyped-def]
    """How many digits a number has."""
    digits = 1
    limit = np.uint64(10)
    while digits < 19 and value >= limit:
        digits += 1
        limit *= np.uint64(10)
    return digits


@njit(nogil=True, inline="always")
def write_number(value, digits, target):  # type: ignore[no-untyped-def]
    """Write the digits of a number as one to three words; its hash, but for the last step."""
    if digits <= 8:
        w0 = (eight_digits(value) + _ZEROS) >> np.uint64(64 - 8 * digits)
        put_word(target, w0)
        h = fold(SEED, w0)
        return fold(h, np.uint64(0)) if digits == 8 else h
    high = value // _E8
    low = eight_digits(value - high * _E8) + _ZEROS
    if digits == 16:
        front = eight_digits(high) + _ZEROS
        put_word(target, front)
        put_word(target + 8, low)
        return fold(fold(fold(SEED, front), low), np.uint64(0))
    if digits < 16:
        n = np.uint64(8 * (digits - 8))  # bits of the digits in front of the last eight
        w0 = ((eight_digits(high) + _ZEROS) >> (_EIGHT - n)) | (low << n)
        w1 = low >> (_EIGHT - n)
        put_word(target, w0)
        put_word(target + 8, w1)
        return fold(fold(SEED, w0), w1)
    top = high // _E8
    middle = eight_digits(high - top * _E8) + _ZEROS
    n = np.uint64(8 * (digits - 16))
    w0 = ((eight_digits(top) + _ZEROS) >> (_EIGHT - n)) | (middle << n)
    w1 = (middle >> (_EIGHT - n)) | (low << n)
    w2 = low >> (_EIGHT - n)
    put_word(target, w0)
    put_word(target + 8, w1)
    put_word(target + 16, w2)
    return fold(fold(fold(SEED, w0), w1), w2)


@njit(nogil=True)
def write_digits(values, begin, count, text, start, length, key):  # type: ignore[no-untyped-def]
    """Write every number of `values` (none below zero) behind the one before, and hash it; the bytes written.

    Stretch k of the numbers, `count[k]` of them from `begin[k]` on, follows stretch k − 1. Digits are written as whole
    words, so that the bytes behind a number are overwritten by the next: `text` has 24 spare bytes.
    """
    base = address_of(text)
    at, i = 0, 0
    digits, limit = 1, np.uint64(10)
    for k in range(len(begin)):
        for row in range(begin[k], begin[k] + count[k]):
            value = np.uint64(values[row])
            if value >= limit or value * np.uint64(10) < limit:  # another length than the number before
                digits = digit_count(value)
                limit = np.uint64(1)
                for _ in range(digits):
                    limit *= np.uint64(10)
            start[i], length[i] = at, digits
            key[i] = finish(write_number(value, digits, base + at), digits)
            at, i = at + digits, i + 1
    return at


def digits_of(
    values: NDArray[np.int64], spare: int, stretches: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
) -> tuple[NDArray[np.uint8], Array, NDArray[np.uint16], NDArray[np.uint64]]:
    """(text with `spare` bytes behind it, where each number begins, how long it is, its hash).

    `stretches`: (where each begins, how many numbers it has), in the order in which they are wanted.

    >>> text, start, length, key = digits_of(np.array([7, 120]), 0)
    >>> bytes(text), start.tolist(), length.tolist()
    (b'7120', [0, 1], [1, 3])
    """
    room = len(values) * len(str(int(values.max(initial=0))))
    text = np.empty(room + spare + 24, np.uint8)
    start = np.empty(len(values), np.uint32 if room < 2**32 else np.int64)
    length, key = np.empty(len(values), np.uint16), np.empty(len(values), np.uint64)
    begin, count = stretches or (np.zeros(1, np.int64), np.array([len(values)]))
    used = write_digits(np.ascontiguousarray(values), begin, count, text, start, length, key)
    text[used:] = 0
    return text[: used + spare], start, length, key
