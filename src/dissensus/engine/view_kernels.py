"""Kernels over Arrow's text views (`arrow_views`): ids copied and hashed in one pass, where a column changes."""

from __future__ import annotations

import numpy as np

from dissensus.engine.hashing import ALL, SEED, finish, fold, hash_bytes
from dissensus.engine.machine_code import njit
from dissensus.engine.raw_memory import address_of, byte_at, put_word, word_at

SPARE = 16  # bytes behind the last id: short ids are written as two words
_INLINE = 12
_VIEW = 16
_HIGHS = np.uint64(0x8080808080808080)
_BLANKS = np.uint64(0x2020202020202020)
_LOW = np.uint64(0xFFFFFFFF)
_S32 = np.uint64(32)


@njit(nogil=True)
def refuse_views(at, rows, buffers, sizes):  # type: ignore[no-untyped-def]
    """IndexError where a view shows bytes that lie in none of its buffers."""
    for i in range(rows):
        n = np.int64(word_at(at + _VIEW * i) & _LOW)
        if n > _INLINE:
            place = word_at(at + _VIEW * i + 8)
            buffer = np.int64(place & _LOW)
            if buffer >= len(buffers) or np.int64(place >> _S32) + n > sizes[buffer]:
                raise IndexError("a text view points outside its buffers")


@njit(nogil=True)
def text_size(at, rows, buffers, sizes):  # type: ignore[no-untyped-def]
    """(bytes of all texts, of the shortest, of the longest) of `rows` views at the address `at`, which are checked."""
    refuse_views(at, rows, buffers, sizes)
    total, shortest, longest = np.int64(0), np.int64(1) << 40, np.int64(0)
    for i in range(rows):
        n = np.int64(word_at(at + _VIEW * i) & _LOW)
        total += n
        shortest, longest = min(shortest, n), max(longest, n)
    return total, shortest, longest


@njit(nogil=True)
def low_bytes(word, n):  # type: ignore[no-untyped-def]
    """The first n of eight bytes, 1 ≤ n ≤ 8; zeros behind them."""
    return word & (ALL >> np.uint64(64 - 8 * n))


@njit(nogil=True)
def has_control(word, n):  # type: ignore[no-untyped-def]
    """Is one of the first n bytes of a word, 1 ≤ n ≤ 8, below a blank?"""
    kept = ALL >> np.uint64(64 - 8 * n)
    word = (word & kept) | (_BLANKS & ~kept)
    return (word - _BLANKS) & ~word & _HIGHS != np.uint64(0)


@njit(nogil=True)
def tail_word(p, n, limit):  # type: ignore[no-untyped-def]
    """The last n bytes of a text, 1 ≤ n ≤ 7, as a word with zeros behind them; nothing from `limit` on is read."""
    if p + 8 <= limit:
        return low_bytes(word_at(p), n)
    word = np.uint64(0)
    for i in range(n):
        word |= np.uint64(byte_at(p + i)) << np.uint64(8 * i)
    return word


@njit(nogil=True)
def copy_long(p, n, limit, target):  # type: ignore[no-untyped-def]
    """Copy n bytes to `target` (and up to seven zeros behind them); is one of them a control character?"""
    stop, odd = p + n, False
    while p + 8 <= stop:
        word = word_at(p)
        odd |= has_control(word, 8)
        put_word(target, word)
        p, target = p + 8, target + 8
    if p < stop:
        word = tail_word(p, stop - p, limit)
        odd |= has_control(word, stop - p)
        put_word(target, word)
    return odd


@njit(nogil=True, inline="always")
def copy_id(view, buffers, sizes, target):  # type: ignore[no-untyped-def]
    """Copy the id of a view to `target`; (its length, its hash, does it break a rule?)"""
    n = np.int64(word_at(view) & _LOW)
    if n <= _INLINE:
        word, rest = word_at(view + 4), np.uint64(0)
        if n > 8:
            rest = low_bytes(word_at(view + 8) >> _S32, n - 8)
            odd = has_control(word, 8) or has_control(rest, n - 8)
        else:
            word = low_bytes(word, n)
            odd = has_control(word, n)
        put_word(target, word)
        put_word(target + 8, rest)
        h = fold(SEED, word)
        key = finish(fold(h, rest) if n >= 8 else h, n)
    else:
        place = word_at(view + 8)
        buffer = np.int64(place & _LOW)
        p, limit = buffers[buffer] + np.int64(place >> _S32), buffers[buffer] + sizes[buffer]
        odd = copy_long(p, n, limit, target)
        key = hash_bytes(p, n, limit)
    return n, key, odd or byte_at(target) == 32 or byte_at(target + n - 1) == 32


@njit(nogil=True)
def copy_ids(at, begin, count, buffers, sizes, text, here, start, length, key, row):  # type: ignore[no-untyped-def]
    """Copy ids of a chunk to `text[here:]` and hash them, as rows `row` …; where the next one goes.

    Stretch k of the chunk, `count[k]` views from `begin[k]` on, follows stretch k − 1. −1 where an id breaks a rule: a
    control character, a blank at one of its ends. No id is empty, `text` has room for all of them and `SPARE` bytes.
    """
    base = address_of(text)
    for k in range(len(begin)):
        for i in range(begin[k], begin[k] + count[k]):
            if here + np.int64(word_at(at + _VIEW * i) & _LOW) + SPARE > len(text):
                raise IndexError("there is no room for the ids")
            n, hashed, odd = copy_id(at + _VIEW * i, buffers, sizes, base + here)
            if odd:
                return np.int64(-1)
            start[row], length[row], key[row] = here, n, hashed
            here, row = here + n, row + 1
    return here


@njit(nogil=True)
def same_text(view, other, buffers):  # type: ignore[no-untyped-def]
    """Do two views of a chunk show the same text?"""
    if word_at(view) != word_at(other):  # the length and the first four bytes
        return False
    if word_at(view + 8) == word_at(other + 8):
        return True
    n = np.int64(word_at(view) & _LOW)
    if n <= _INLINE:
        return False
    a, b = word_at(view + 8), word_at(other + 8)
    p = buffers[np.int64(a & _LOW)] + np.int64(a >> _S32)
    q = buffers[np.int64(b & _LOW)] + np.int64(b >> _S32)
    i = 0
    while i + 8 <= n:
        if word_at(p + i) != word_at(q + i):
            return False
        i += 8
    while i < n:
        if byte_at(p + i) != byte_at(q + i):
            return False
        i += 1
    return True


@njit(nogil=True)
def change_rows(at, rows, buffers, sizes):  # type: ignore[no-untyped-def]
    """The rows of a chunk whose text is another than that of the row above; the first row is one."""
    refuse_views(at, rows, buffers, sizes)
    count = 1
    for i in range(1, rows):
        count += not same_text(at + _VIEW * i, at + _VIEW * (i - 1), buffers)
    out = np.zeros(count, np.int64)
    count = 1
    for i in range(1, rows):
        if not same_text(at + _VIEW * i, at + _VIEW * (i - 1), buffers):
            out[count] = i
            count += 1
    return out


@njit(nogil=True)
def any_control(at, rows, buffers, sizes):  # type: ignore[no-untyped-def]
    """Does a text of a chunk hold a control character?"""
    refuse_views(at, rows, buffers, sizes)
    for i in range(rows):
        view = at + _VIEW * i
        if i > 0 and word_at(view) == word_at(view - 16) and word_at(view + 8) == word_at(view - 8):
            continue
        n = np.int64(word_at(view) & _LOW)
        if n > _INLINE:
            place = word_at(view + 8)
            buffer = np.int64(place & _LOW)
            p, limit = buffers[buffer] + np.int64(place >> _S32), buffers[buffer] + sizes[buffer]
            stop = p + n
            while p + 8 <= stop:
                if has_control(word_at(p), 8):
                    return True
                p += 8
            if p < stop and has_control(tail_word(p, stop - p, limit), stop - p):
                return True
        elif n > 0 and (
            has_control(word_at(view + 4), min(n, 8)) or (n > 8 and has_control(word_at(view + 8) >> _S32, n - 8))
        ):
            return True
    return False
