"""A 64-bit hash of an id's bytes, the same for ids in files and ids in frames.

Eight bytes at a time are folded in by xor, multiplication by a large odd constant and a shift (the scheme of
MurmurHash's 64-bit finaliser). Hashes only shorten comparisons: where two agree, the bytes are compared.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

_SEED = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xFF51AFD7ED558CCD)
_M2 = np.uint64(0xC4CEB9FE1A85EC53)
_S32 = np.uint64(32)
_S29 = np.uint64(29)


@njit(cache=True, nogil=True, inline="always")
def fold(h, word):  # type: ignore[no-untyped-def]
    """Fold one 64-bit word into the hash."""
    h = (h ^ word) * _M1
    return h ^ (h >> _S32)


@njit(cache=True, nogil=True, inline="always")
def finish(h, length):  # type: ignore[no-untyped-def]
    """Mix in the length and spread the bits."""
    h = (h ^ np.uint64(length)) * _M2
    return h ^ (h >> _S29)


@njit(cache=True, nogil=True, inline="always")
def hash_span(buffer, start, length):  # type: ignore[no-untyped-def]
    """Hash of `buffer[start : start + length]`."""
    h = _SEED
    i = np.int64(start)
    stop = i + np.int64(length)
    while i + 8 <= stop:
        # eight byte loads: the compiler joins them into one
        word = (
            np.uint64(buffer[i])
            | (np.uint64(buffer[i + 1]) << np.uint64(8))
            | (np.uint64(buffer[i + 2]) << np.uint64(16))
            | (np.uint64(buffer[i + 3]) << np.uint64(24))
            | (np.uint64(buffer[i + 4]) << np.uint64(32))
            | (np.uint64(buffer[i + 5]) << np.uint64(40))
            | (np.uint64(buffer[i + 6]) << np.uint64(48))
            | (np.uint64(buffer[i + 7]) << np.uint64(56))
        )
        h = fold(h, word)
        i += 8
    word = np.uint64(0)
    shift = np.uint64(0)
    while i < stop:
        word |= np.uint64(buffer[i]) << shift
        shift += np.uint64(8)
        i += 1
    return finish(fold(h, word), length)


_bytes = types.Array(types.uint8, 1, "C", readonly=True)
_starts = types.Array(types.int64, 1, "C", readonly=True)
_lengths = types.Array(types.uint16, 1, "C", readonly=True)


@njit(types.uint64[::1](_bytes, _starts, _lengths), cache=True, nogil=True)
def hash_ids(buffer, start, length):  # type: ignore[no-untyped-def]
    """Hash of every id of a column that lies in one buffer."""
    out = np.empty(len(start), np.uint64)
    for i in range(len(start)):
        out[i] = hash_span(buffer, start[i], length[i])
    return out
