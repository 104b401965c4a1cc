"""Kernels over text views, against the strings."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from dissensus.engine.arrow_views import views_of
from dissensus.engine.view_kernels import SPARE, any_control, change_rows, copy_ids, text_size
from dissensus.tables.ids import IdColumn

RNG = np.random.default_rng(0)
WORDS = ["".join(RNG.choice(list("abé-7 ~"), n)).strip() or "x" for n in RNG.integers(1, 45, 400)]


def copied(names: list[str]) -> tuple[int, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    with views_of(pl.Series(names)) as chunks:
        assert chunks is not None
        (chunk,) = chunks
        total, shortest, longest = text_size(chunk.at, chunk.rows, chunk.buffers, chunk.sizes)
        sizes = [len(n.encode()) for n in names]
        assert (total, shortest, longest) == (sum(sizes), min(sizes), max(sizes))
        text, start = np.empty(total + SPARE, np.uint8), np.empty(len(names), np.uint32)
        length, key = np.empty(len(names), np.uint16), np.empty(len(names), np.uint64)
        whole = np.zeros(1, np.int64), np.array([chunk.rows])
        end = copy_ids(chunk.at, *whole, chunk.buffers, chunk.sizes, text, 0, start, length, key, 0)
    return int(end), text, start, length, key


def test_ids_are_copied_and_hashed_as_one_by_one() -> None:
    end, text, start, length, key = copied(WORDS)
    assert bytes(text[:end]).decode() == "".join(WORDS)
    spans = zip(start.tolist(), length.tolist(), strict=True)
    assert [bytes(text[a : a + n]).decode() for a, n in spans] == WORDS
    assert key.tolist() == IdColumn.from_strings(WORDS).keys.tolist()


@pytest.mark.parametrize("size", [1, 5, 8, 9, 12, 13, 16, 17, 30])
@pytest.mark.parametrize("bad", ["\x00", "\n", "\x1f"])
def test_control_characters_anywhere_and_blanks_at_the_ends_are_seen(size: int, bad: str) -> None:
    good = "x" * size
    for at in range(size):
        names = ["good", good[:at] + bad + good[at + 1 :]]
        assert copied(names)[0] == -1
        assert seen(names)
    assert copied(["good", " " + good[1:]])[0] == copied(["good", good[:-1] + " "])[0] == -1
    assert copied(["good", good[:1] + "\x7f~é" + good[1:]])[0] > 0
    assert not seen(["good", good[:1] + "\x7f~é" + good[1:], ""])


def seen(names: list[str]) -> bool:
    with views_of(pl.Series(names)) as chunks:
        assert chunks is not None
        return any(any_control(c.at, c.rows, c.buffers, c.sizes) for c in chunks)


def test_rows_at_which_texts_change() -> None:
    pool = ["a", "b", "a text longer than a view", "a text longer than a wiew", "a text longer than a vieW"]
    names = [pool[i] for i in np.repeat(RNG.integers(0, len(pool), 300), RNG.integers(1, 4, 300))]
    with views_of(pl.Series(names)) as chunks:
        assert chunks is not None
        (chunk,) = chunks
        rows = change_rows(chunk.at, chunk.rows, chunk.buffers, chunk.sizes).tolist()
    assert rows == [i for i in range(len(names)) if i == 0 or names[i] != names[i - 1]]
