"""A 64-bit hash of an id's bytes, the same for ids in files and ids in frames.

Eight bytes at a time are folded in by xor, multiplication by a large odd constant and a shift (the scheme of
MurmurHash's 64-bit finaliser). Hashes only shorten comparisons: where two agree, the bytes are compared.
"""

from __future__ import annotations

import numpy as np
from numba import types

from dissensus.engine.machine_code import njit
from dissensus.engine.raw_memory import address_of, byte_at, refuse_outside, word_at

SEED = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xFF51AFD7ED558CCD)
_M2 = np.uint64(0xC4CEB9FE1A85EC53)
_S32 = np.uint64(32)
_S29 = np.uint64(29)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)  # a mask of all bits


@njit(nogil=True)
def fold(h, word):  # type: ignore[no-untyped-def]
    """Fold one 64-bit word into the hash."""
    h = (h ^ word) * _M1
    return h ^ (h >> _S32)


@njit(nogil=True)
def finish(h, length):  # type: ignore[no-untyped-def]
    """Mix in the length and spread the bits."""
    h = (h ^ np.uint64(length)) * _M2
    return h ^ (h >> _S29)


@njit(nogil=True)
def hash_bytes(address, length, limit):  # type: ignore[no-untyped-def]
    """Hash of the `length` bytes at an address; nothing from `limit` on is looked at."""
    h = SEED
    stop = address + length
    while address + 8 <= stop:
        h = fold(h, word_at(address))
        address += 8
    word = np.uint64(0)
    left = stop - address
    if left > 0:
        if address + 8 <= limit:
            # the bytes behind the id are masked out
            word = word_at(address) & (ALL >> np.uint64(64 - 8 * left))
        else:
            for i in range(left):
                word |= np.uint64(byte_at(address + i)) << np.uint64(8 * i)
    return finish(fold(h, word), length)


_bytes = types.Array(types.uint8, 1, "C", readonly=True)
_starts = types.Array(types.int64, 1, "C", readonly=True)
_lengths = types.Array(types.uint16, 1, "C", readonly=True)


@njit(types.uint64[::1](_bytes, _starts, _lengths), nogil=True)
def hash_ids(buffer, start, length):  # type: ignore[no-untyped-def]
    """Hash of every id of a column that lies in one buffer."""
    refuse_outside(len(buffer), start, length, 0)
    base = address_of(buffer)
    limit = base + len(buffer)
    out = np.empty(len(start), np.uint64)
    for i in range(len(start)):
        out[i] = hash_bytes(base + start[i], np.int64(length[i]), limit)
    return out
