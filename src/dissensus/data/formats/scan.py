"""One pass over the text of TREC files, as a kernel: where the ids are, their hashes, the scores or grades.

A line costs some 25 ns: blanks are found eight bytes at a time, a topic is compared with the one above and the end of
a line (blank, tag, line end) with the end of the line above, and a document id is hashed and copied while it is in the
first cache. Ids are copied out of the text, so nothing depends on the file once it is read.

The kernel knows the plain language only: blanks and tabs between columns, \\n or \\r\\n at line ends, comments,
numbers written with digits. Whatever else it meets, it gives up the file (`ODD`), and `trec.py` reads it slowly and
either finds the error or accepts the line.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from dissensus.data.formats.decimals import to_double
from dissensus.data.hashing import hash_bytes
from dissensus.data.words import address_of, byte_at, put_word, trailing_zeros, word_at

RUN, QRELS = 0, 1
GOING, ODD = 0, 1
SPARE = 32  # bytes behind the text, line ends, so that words can be read past it
LONGEST = 65_535

# the state between two pieces of a file
ROW, TEXT, TOPICS, NAMES, TAIL, RANK, DISORDER, COMMENTS, EXACT, STATUS, SIZE = range(11)

_HIGHS = np.uint64(0x8080808080808080)
_BLANKS = np.uint64(0x2121212121212121)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ZEROS = np.uint64(0x3030303030303030)
_BELOW_TEN = np.uint64(0x7676767676767676)
_TENS = np.array([10**i for i in range(9)], np.uint64)
_POWERS = np.array([float(10**i) for i in range(16)])


@njit(cache=True, nogil=True)
def word_end(p):  # type: ignore[no-untyped-def]
    """The first byte from `p` on that is a blank or a control character."""
    while True:
        word = word_at(p)
        found = (word - _BLANKS) & ~word & _HIGHS
        if found != np.uint64(0):
            return p + (trailing_zeros(found) >> 3)
        p += 8


@njit(cache=True, nogil=True)
def next_word(p):  # type: ignore[no-untyped-def]
    """Behind the blanks at `p`; `p` itself where there are none."""
    while byte_at(p) == 32 or byte_at(p) == 9:
        p += 1
    return p


@njit(cache=True, nogil=True)
def same(a, b, length):  # type: ignore[no-untyped-def]
    """Are the bytes at two addresses the same?"""
    while length >= 8:
        if word_at(a) != word_at(b):
            return False
        a += 8
        b += 8
        length -= 8
    return length == 0 or (word_at(a) ^ word_at(b)) & (_ALL >> np.uint64(64 - 8 * length)) == np.uint64(0)


@njit(cache=True, nogil=True)
def copy(a, b, length):  # type: ignore[no-untyped-def]
    """Copy bytes from a to b, and up to seven bytes behind them."""
    for k in range(0, length, 8):
        put_word(b + k, word_at(a + k))


@njit(cache=True, nogil=True)
def line_end(p):  # type: ignore[no-untyped-def]
    """Behind the line end at `p`, 0 if there is none."""
    if byte_at(p) == 10:
        return p + 1
    return p + 2 if byte_at(p) == 13 and byte_at(p + 1) == 10 else 0


@njit(cache=True, nogil=True)
def comment_end(p):  # type: ignore[no-untyped-def]
    """Behind the comment at `p`, 0 if it holds anything odd."""
    while byte_at(p) >= 32 or byte_at(p) == 9:
        p += 1
    return line_end(p)


@njit(cache=True, nogil=True)
def any_number(p, table):  # type: ignore[no-untyped-def]
    """(value, end, trouble) of the decimal number at `p`; trouble 1: Python must read it, 2: it is no number."""
    c = byte_at(p)
    negative = c == 45
    if negative or c == 43:
        p += 1
    w, q, digits, point = np.uint64(0), 0, 0, -1
    first = p
    while True:
        c = byte_at(p)
        if 48 <= c <= 57:
            if digits < 19:
                w = w * np.uint64(10) + np.uint64(c - 48)
                digits += w != np.uint64(0)  # zeros in front do not count
            else:
                digits = 99
        elif c == 46 and point < 0:
            point = p
        else:
            break
        p += 1
    if p - first - (point >= 0) == 0:
        return 0.0, p, 2
    if point >= 0:
        q = point + 1 - p
    if c == 101 or c == 69:
        p += 1
        minus = byte_at(p) == 45
        if minus or byte_at(p) == 43:
            p += 1
        power, first = 0, p
        while 48 <= byte_at(p) <= 57:
            if power < 100_000:
                power = power * 10 + (byte_at(p) - 48)
            p += 1
        if p == first:
            return 0.0, p, 2
        q += -power if minus else power
    if digits == 99:
        return 0.0, p, 1
    value, ok = to_double(w, q, table)
    # adding zero makes one score of 0 and −0
    return (-value if negative else value) + 0.0, p, 0 if ok else 1


@njit(cache=True, nogil=True)
def count_digits(word):  # type: ignore[no-untyped-def]
    """How many of a word's bytes, from the first on, are digits."""
    x = word ^ _ZEROS
    other = ((x + _BELOW_TEN) | x) & _HIGHS
    return 8 if other == np.uint64(0) else trailing_zeros(other) >> 3


@njit(cache=True, nogil=True)
def digits_value(word, n):  # type: ignore[no-untyped-def]
    """The number that a word's first n bytes write, 1 ≤ n ≤ 8: neighbours are joined three times."""
    word = (word << np.uint64(64 - 8 * n)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    word = ((word * np.uint64(2561)) >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
    word = ((word * np.uint64(6553601)) >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)
    return (word * np.uint64(42949672960001)) >> np.uint64(32)


@njit(cache=True, nogil=True)
def number(p, table):  # type: ignore[no-untyped-def]
    """(value, end, trouble) of the number at `p`: one to seven digits, a point, up to fifteen more; or any other."""
    first = p
    negative = byte_at(p) == 45
    p += negative
    word = word_at(p)
    whole = count_digits(word)
    if whole == 0 or whole == 8:
        return any_number(first, table)
    w = digits_value(word, whole)
    p += whole
    part = 0
    if byte_at(p) == 46:
        p += 1
        word = word_at(p)
        part = count_digits(word)
        if part > 0:
            w = w * _TENS[part] + digits_value(word, part)
            p += part
        if part == 8:
            word = word_at(p)
            more = count_digits(word)
            if more == 8 or whole + 8 + more > 19:
                return any_number(first, table)
            if more > 0:
                w = w * _TENS[more] + digits_value(word, more)
                p += more
                part += more
    if byte_at(p) > 32:
        return any_number(first, table)
    if w < np.uint64(1 << 53):
        value = float(np.int64(w)) / _POWERS[part]
    else:
        value, ok = to_double(w, -part, table)
        if not ok:
            return 0.0, p, 1
    return (-value if negative else value) + 0.0, p, 0


@njit(cache=True, nogil=True)
def small_integer(p):  # type: ignore[no-untyped-def]
    """(value, end) of the digits at `p`, at most seven of them: eight or more are not read."""
    word = word_at(p)
    n = count_digits(word)
    if n == 0 or n == 8:
        return np.uint64(0), p
    return digits_value(word, n), p + n


@njit(cache=True, nogil=True)
def scan(  # type: ignore[no-untyped-def]
    text, at, stop, kind, powers, state, key, value, start, length, ids,
    topic_row, topic_start, topic_text, name_row, name_start, name_text, tail, exact,
):  # fmt: skip
    """Read the lines of `text[at:stop]`, which ends with a line end, behind what `state` says was read before.

    A *stretch* is a sequence of rows with one topic (`topic_row`: its first row; its name ends at `topic_start[i + 1]`
    of `topic_text`) or one name (the tag of a run, the second column of qrels). `exact` collects (row, from, to) of
    numbers that Python must read. Arrays are large enough for all lines of the text.
    """
    row, here = state[ROW], state[TEXT]
    topics, names, n_tail = state[TOPICS], state[NAMES], state[TAIL]
    last_rank, disorder, comments, n_exact = state[RANK], state[DISORDER], state[COMMENTS], 0
    last_value = value[row - 1] if row > 0 else 0.0
    base, ids_base, tail_base = address_of(text), address_of(ids), address_of(tail)
    topic_base, name_base = address_of(topic_text), address_of(name_text)
    topic = topic_base + (topic_start[topics - 1] if topics > 0 else 0)
    n_topic = topic_base + topic_start[topics] - topic
    name = name_base + (name_start[names - 1] if names > 0 else 0)
    n_name = name_base + name_start[names] - name
    p, end = base + at, base + stop
    while p < end:
        # ── topic: usually that of the line above ──
        c = byte_at(p)
        if c <= 35:
            if c == 32 or c == 9:
                p = next_word(p)
                c = byte_at(p)
            if c == 35 or c <= 32:
                comments += c == 35
                p = comment_end(p) if c == 35 else line_end(p)
                if p == 0:
                    break
                continue
        begin = p
        fresh = n_topic == 0 or p + n_topic >= end or byte_at(p + n_topic) > 32 or not same(p, topic, n_topic)
        p = word_end(p) if fresh else p + n_topic
        topic_end = p
        # ── second column and document ──
        second = next_word(p)
        second_end = word_end(second)
        doc = next_word(second_end)
        doc_end = word_end(doc)
        p = next_word(doc_end)
        n = doc_end - doc
        if second == topic_end or doc == second_end or p == doc_end or n > LONGEST or n == 0:
            p = 0
            break
        fresh_name, fresh_name_end = second, second_end
        if kind == RUN:
            # ── rank: looked at only to tell whether it agrees with the scores ──
            place, rank_end = small_integer(p)
            rank = np.int64(place)
            if byte_at(rank_end) > 32 or rank_end == p:
                rank, rank_end = np.int64(-1), word_end(p)
            p = next_word(rank_end)
            if p == rank_end:
                p = 0
                break
            # ── score ──
            score, score_end, trouble = number(p, powers)
            if trouble == 2 or (byte_at(score_end) != 32 and byte_at(score_end) != 9):
                p = 0
                break
            if trouble == 1:
                exact[n_exact, 0], exact[n_exact, 1], exact[n_exact, 2] = row, p - base, score_end - base
                n_exact += 1
            elif not fresh and rank > last_rank >= 0 and score > last_value:
                disorder += 1
            last_rank, last_value = rank, score
            # ── tag and line end: usually those of the line above ──
            if 0 < n_tail <= end - score_end and same(score_end, tail_base, n_tail):
                fresh_name = 0
                p = score_end + n_tail
            else:
                fresh_name = next_word(score_end)
                fresh_name_end = word_end(fresh_name)
                p = line_end(next_word(fresh_name_end))
                if p == 0 or fresh_name_end == fresh_name:
                    p = 0
                    break
                n_tail = p - score_end if p - score_end <= len(tail) - 8 else 0
                copy(score_end, tail_base, n_tail)
        else:
            # ── grade ──
            minus = byte_at(p) == 45
            if minus or byte_at(p) == 43:
                p += 1
            size, grade_end = small_integer(p)
            grade = np.int64(size)
            if grade_end == p:
                p = 0
                break
            p = line_end(next_word(grade_end))
            if p == 0:
                break
            score = float(-grade if minus else grade)
        # ── keep ──
        if fresh:
            n_topic = topic_end - begin
            topic = topic_base + topic_start[topics]
            copy(begin, topic, n_topic)
            topic_row[topics] = row
            topics += 1
            topic_start[topics] = topic + n_topic - topic_base
        known = fresh_name == 0 or (names > 0 and fresh_name_end - fresh_name == n_name)
        if not (known and (fresh_name == 0 or same(fresh_name, name, n_name))):
            n_name = fresh_name_end - fresh_name
            name = name_base + name_start[names]
            copy(fresh_name, name, n_name)
            name_row[names] = row
            names += 1
            name_start[names] = name + n_name - name_base
        key[row] = hash_bytes(doc, n, end)
        value[row] = score
        start[row] = here
        length[row] = n
        copy(doc, ids_base + here, n)
        here += n
        row += 1
    state[ROW], state[TEXT] = row, here
    state[TOPICS], state[NAMES], state[TAIL] = topics, names, n_tail
    state[RANK], state[DISORDER], state[COMMENTS], state[EXACT] = last_rank, disorder, comments, n_exact
    state[STATUS] = ODD if p == 0 else GOING
