"""Bytes compared as words, against Python's bytes."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from dissensus.engine.arrow_views import views_of
from dissensus.engine.hashing import hash_ids
from dissensus.engine.join.grouping import group
from dissensus.engine.join.ordering import first_duplicate
from dissensus.engine.raw_memory import address_of, compare_spans, refuse_outside
from dissensus.engine.view_kernels import refuse_views


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


@pytest.mark.parametrize(("start", "length", "spare"), [(-1, 1, 0), (5, 4, 0), (0, 8, 1), (2**40, 1, 0)])
def test_an_id_outside_its_text_is_refused(start: int, length: int, spare: int) -> None:
    starts, lengths = np.array([0, start]), np.array([8, length], np.uint16)
    refuse_outside(8, starts[:1], lengths[:1], 0)
    with pytest.raises(IndexError, match="outside the text"):
        refuse_outside(8, starts, lengths, spare)


def test_kernels_refuse_ids_outside_their_text() -> None:
    text, bounds = np.frombuffer(b"abcd", np.uint8), np.array([0, 2])
    ids = text, np.array([0, 3]), np.array([2, 2], np.uint16)
    with pytest.raises(IndexError, match="outside the text"):
        hash_ids(*ids)
    with pytest.raises(IndexError, match="outside the text"):
        first_duplicate(bounds, np.zeros(2, np.uint64), *ids)
    with pytest.raises(IndexError, match="outside the text"):  # no spare bytes
        group(
            np.arange(1), np.array([0, 1]), text, np.zeros(1, np.int64), np.array([2], np.uint16), np.zeros(1, np.int32)
        )


def test_views_that_point_outside_their_buffers_are_refused() -> None:
    with views_of(pl.Series(["a text longer than a view"])) as chunks:
        assert chunks is not None
        (chunk,) = chunks
        refuse_views(chunk.at, chunk.rows, chunk.buffers, chunk.sizes)
        for buffers, sizes in ((chunk.buffers, chunk.sizes - 1), (chunk.buffers[:0], chunk.sizes[:0])):
            with pytest.raises(IndexError, match="outside its buffers"):
                refuse_views(chunk.at, chunk.rows, buffers, sizes)
