"""The hash of `hashing.py` in plain numpy, for columns so short that compiling a kernel would take longer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FEW = 20_000
_SEED, _M1, _M2 = (np.uint64(c) for c in (0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53))


def hash_few(buffer: NDArray[np.uint8], start: NDArray[np.int64], length: NDArray[np.uint16]) -> NDArray[np.uint64]:
    """Hash of every id of a column that lies in one buffer: all first words, then all second words …"""
    size = length.astype(np.int64)
    text = np.r_[buffer, np.zeros(8, np.uint8)]
    h = np.full(len(start), _SEED)
    for word in range(int(size.max(initial=0)) // 8 + 1):
        rows = np.flatnonzero(size // 8 >= word)  # ids that are not over yet; the last word may be empty
        place = 8 * word + np.arange(8)
        inside = place < size[rows, None]
        letters = np.where(inside, text[np.where(inside, start[rows, None] + place, 0)], 0).astype(np.uint8)
        mixed = (h[rows] ^ letters.view("<u8")[:, 0]) * _M1
        h[rows] = mixed ^ (mixed >> np.uint64(32))
    h = (h ^ size.astype(np.uint64)) * _M2
    return h ^ (h >> np.uint64(29))
