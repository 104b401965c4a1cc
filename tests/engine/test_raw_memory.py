"""Bytes compared as words, against Python's bytes."""

from __future__ import annotations

import numpy as np

from dissensus.engine.raw_memory import address_of, compare_spans


def test_spans_compare_as_bytes_do() -> None:
    rng = np.random.default_rng(0)
    texts = [b"", b"a", b"ab", b"abcdefgh", b"abcdefgi", b"abcdefghz", "é".encode(), b"\xff" * 9, b"\x01" * 17]
    texts += [bytes(rng.integers(97, 99, int(n)).astype(np.uint8)) for n in rng.integers(0, 20, 20)]
    buffer = np.frombuffer(b"".join(texts) + b"\0" * 8, np.uint8).copy()
    start = np.r_[0, np.cumsum([len(t) for t in texts])]
    base = address_of(buffer)
    for i, a in enumerate(texts):
        for j, b in enumerate(texts):
            assert compare_spans(base + int(start[i]), len(a), base + int(start[j]), len(b)) == (a > b) - (a < b)
