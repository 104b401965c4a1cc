"""One pass over the text of TREC files, as a kernel: where the ids are, their hashes, the scores or grades.

A line costs some 40 ns: blanks are found eight bytes at a time, a topic is compared with the one above and the end of
a line (blank, tag, line end) with the end of the line above, and a document id is hashed and copied while it is in the
first cache. Ids are copied out of the text, so nothing depends on the file once it is read.

The kernel knows the plain language only: blanks and tabs between columns, \\n or \\r\\n at line ends, comments,
numbers written with digits. Whatever else it meets, it gives up the file (`ODD`), and `trec.py` reads it slowly and
either finds the error or accepts the line.
"""

from __future__ import annotations

import numpy as np

from dissensus.engine.hashing import SEED, finish, fold
from dissensus.engine.machine_code import njit
from dissensus.engine.numbers import number, small_integer
from dissensus.engine.raw_memory import address_of, byte_at, put_word, trailing_zeros, word_at

RUN, QRELS = 0, 1
GOING, ODD = 0, 1
SPARE = 32  # bytes behind the text, line ends, so that words can be read past it
LONGEST = 65_535

# the state between two pieces of a file
ROW, TEXT, TOPICS, NAMES, TAIL, RANK, DISORDER, COMMENTS, EXACT, STATUS, SIZE = range(11)

_HIGHS = np.uint64(0x8080808080808080)
_BLANKS = np.uint64(0x2121212121212121)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@njit(nogil=True)
def word_end(p):  # type: ignore[no-untyped-def]
    """The first byte from `p` on that is a blank or a control character."""
    while True:
        word = word_at(p)
        found = (word - _BLANKS) & ~word & _HIGHS
        if found != np.uint64(0):
            return p + (trailing_zeros(found) >> 3)
        p += 8


@njit(nogil=True)
def next_word(p):  # type: ignore[no-untyped-def]
    """Behind the blanks at `p`; `p` itself where there are none."""
    while byte_at(p) == 32 or byte_at(p) == 9:
        p += 1
    return p


@njit(nogil=True)
def same(a, b, length):  # type: ignore[no-untyped-def]
    """Are the bytes at two addresses the same?"""
    while length >= 8:
        if word_at(a) != word_at(b):
            return False
        a += 8
        b += 8
        length -= 8
    return length == 0 or (word_at(a) ^ word_at(b)) & (_ALL >> np.uint64(64 - 8 * length)) == np.uint64(0)


@njit(nogil=True)
def copy(a, b, length):  # type: ignore[no-untyped-def]
    """Copy bytes from a to b, and up to seven bytes behind them."""
    for k in range(0, length, 8):
        put_word(b + k, word_at(a + k))


@njit(nogil=True)
def keep_bytes(a, end, b, room):  # type: ignore[no-untyped-def]
    """How many bytes there are from a to its end; copied to b, which has `room`; 0 where that is too little."""
    length = end - a if end - a <= room - 8 else 0
    copy(a, b, length)
    return length


@njit(nogil=True)
def line_end(p):  # type: ignore[no-untyped-def]
    """Behind the line end at `p`, 0 if there is none."""
    if byte_at(p) == 10:
        return p + 1
    return p + 2 if byte_at(p) == 13 and byte_at(p + 1) == 10 else 0


@njit(nogil=True)
def comment_end(p):  # type: ignore[no-untyped-def]
    """Behind the comment at `p`, 0 if it holds anything odd."""
    while byte_at(p) >= 32 or byte_at(p) == 9:
        p += 1
    return line_end(p)


@njit(nogil=True)
def behind_blanks(p, end):  # type: ignore[no-untyped-def]
    """(the first word from `p` on that does not begin a comment, how many comments were passed); 0 at anything odd."""
    comments = 0
    while 0 < p < end:
        p = next_word(p)
        if byte_at(p) == 35:
            comments += 1
            p = comment_end(p)
        elif byte_at(p) <= 32:
            p = line_end(p)
        else:
            break
    return p, comments


@njit(nogil=True, inline="always")
def rest_of_run(p, end, tail, n_tail):  # type: ignore[no-untyped-def]
    """(score, its span, must Python read it, tag, its end, next line) from the rank on; next line 0: odd.

    The tag is 0 where the line ends like the one above, whose last `n_tail` bytes, from the score on, are at `tail`.
    """
    rank_end = word_end(p)
    begin = next_word(rank_end)
    score, score_end, trouble = number(begin)
    if begin == rank_end or trouble == 2 or (byte_at(score_end) != 32 and byte_at(score_end) != 9):
        return score, begin, score_end, False, 0, 0, 0
    if 0 < n_tail <= end - score_end and same(score_end, tail, n_tail):
        return score, begin, score_end, trouble == 1, 0, 0, score_end + n_tail
    tag = next_word(score_end)
    tag_end = word_end(tag)
    following = line_end(next_word(tag_end)) if tag_end > tag else 0
    return score, begin, score_end, trouble == 1, tag, tag_end, following


@njit(nogil=True)
def rank_at(p, known):  # type: ignore[no-untyped-def]
    """The rank at `p`, −1 where it is not a number; `known` where `p` is 0."""
    if p == 0:
        return np.int64(known)
    rank, rank_end = small_integer(p)
    return np.int64(-1) if rank_end == p or byte_at(rank_end) > 32 else np.int64(rank)


@njit(nogil=True)
def rest_of_qrels(p):  # type: ignore[no-untyped-def]
    """(grade, next line) from the grade on; next line 0: odd."""
    minus = byte_at(p) == 45
    if minus or byte_at(p) == 43:
        p += 1
    size, grade_end = small_integer(p)
    grade = np.int64(size)
    return float(-grade if minus else grade), line_end(next_word(grade_end)) if grade_end > p else 0


@njit(nogil=True)
def begin_stretch(p, end, number, row, rows, starts, text):  # type: ignore[no-untyped-def]
    """(where its name is kept, how long it is, how many there are) of stretch `number`, which begins at `row`.

    Its name, the bytes from `p` to `end`, is appended to the others at `text`.
    """
    copy(p, text + starts[number], end - p)
    rows[number] = row
    starts[number + 1] = starts[number] + end - p
    return text + starts[number], end - p, number + 1


@njit(nogil=True)
def last_stretch(number, starts, text):  # type: ignore[no-untyped-def]
    """(where the name of the last of `number` stretches is kept, how long it is); length 0 without any."""
    begin = starts[number - 1] if number > 0 else 0
    return text + begin, starts[number] - begin


@njit(nogil=True, inline="always")
def first_columns(p):  # type: ignore[no-untyped-def]
    """(end of the topic, second column, its end, document); document 0 where a column is missing or too long."""
    topic_end = word_end(p)
    second = next_word(topic_end)
    second_end = word_end(second)
    doc = next_word(second_end)
    if second == topic_end or doc == second_end or max(topic_end - p, second_end - second) > LONGEST:
        doc = 0
    return topic_end, second, second_end, doc


@njit(nogil=True, inline="always")
def keep_id(p, target):  # type: ignore[no-untyped-def]
    """(end of the id at `p`, its hash, what follows): found, hashed as `hash_bytes` does and copied in one pass.

    What follows is 0 where there is no id, nothing behind it, or it is too long.
    """
    begin, h = p, SEED
    while True:
        word = word_at(p)
        put_word(target + (p - begin), word)
        found = (word - _BLANKS) & ~word & _HIGHS
        if found != np.uint64(0):
            break
        h = fold(h, word)
        p += 8
    # the bytes below the first blank: its lowest bit less one covers them, and seven bits of its own byte
    end = p + (trailing_zeros(found) >> 3)
    h = fold(h, word & (((found & (~found + np.uint64(1))) >> np.uint64(7)) - np.uint64(1)))
    following = next_word(end)
    odd = following == end or end == begin or end - begin > LONGEST
    return end, finish(h, end - begin), 0 if odd else following


@njit(nogil=True)
def scan(  # type: ignore[no-untyped-def]
    text, at, stop, kind, state, key, value, start, length, ids,
    topic_row, topic_start, topic_text, name_row, name_start, name_text, tail, exact,
):  # fmt: skip
    """Read the lines of `text[at:stop]`, which ends with a line end, behind what `state` says was read before.

    A *stretch* is a sequence of rows with one topic (`topic_row`: its first row; its name ends at `topic_start[i + 1]`
    of `topic_text`) or one name (the tag of a run, the second column of qrels). `exact` collects (row, from, to) of
    numbers that Python must read. Arrays are large enough for all lines of the text.
    """
    row, here = state[ROW], state[TEXT]
    if at < 0 or stop + SPARE - 1 > len(text) or here + stop - at + SPARE > len(ids):
        raise IndexError("there is no room behind the text, or none for its ids")
    topics, names, n_tail = state[TOPICS], state[NAMES], state[TAIL]
    last_rank, disorder, comments, n_exact = state[RANK], state[DISORDER], state[COMMENTS], 0
    last_value = value[row - 1] if row > 0 else 0.0
    base, ids_base, tail_at = address_of(text), address_of(ids), address_of(tail)
    topic_base, name_base = address_of(topic_text), address_of(name_text)
    topic, n_topic = last_stretch(topics, topic_start, topic_base)
    name, n_name = last_stretch(names, name_start, name_base)
    p, end = base + at, base + stop
    # what stands before the document (topic and second column, usually those of the line above)
    head = np.empty(256, np.uint8)
    head_at, n_head = address_of(head), 0
    topic_end, second, second_end, rank_above = p, p, p, 0  # where the rank of the line above stands, or `last_rank`
    while 0 < p < end:
        # ── blank lines and comments ──
        if byte_at(p) <= 35:
            p, passed = behind_blanks(p, end)
            comments += passed
            if p == 0 or p >= end:
                break
        # ── topic and second column (usually those of the line above), document ──
        begin, alike = p, 0 < n_head < end - p and same(p, head_at, n_head) and byte_at(p + n_head) > 32
        fresh, doc = False, p + n_head
        if not alike:
            topic_end, second, second_end, doc = first_columns(p)
            fresh = topic_end - p != n_topic or not same(p, topic, n_topic)
            n_head = keep_bytes(p, doc, head_at, len(head))
        doc_end, hashed, p = keep_id(doc, ids_base + here) if doc else (doc, SEED, 0)
        if p == 0:
            break
        # ── what stands behind it ──
        if kind == RUN:
            here_rank = p
            score, number_at, number_end, long, label, label_end, p = rest_of_run(p, end, tail_at, n_tail)
            if long:
                exact[n_exact, 0], exact[n_exact, 1], exact[n_exact, 2] = row, number_at - base, number_end - base
                n_exact, here_rank = n_exact + 1, 0
            known = label == 0 or (label_end - label == n_name and same(label, name, n_name))
            if score > last_value and known and not fresh:  # ranks are looked at only where scores rise
                disorder += rank_at(here_rank, -1) > rank_at(rank_above, last_rank) >= 0
            rank_above, last_rank, last_value = here_rank, np.int64(-1), score
            if label != 0:
                n_tail = keep_bytes(number_end, p, tail_at, len(tail))
        else:
            label, label_end = second, second_end
            known = alike or (label_end - label == n_name and same(label, name, n_name))
            score, p = rest_of_qrels(p)
        # ── keep ──
        if p == 0:
            break
        if fresh:
            topic, n_topic, topics = begin_stretch(begin, topic_end, topics, row, topic_row, topic_start, topic_base)
        if not known:
            name, n_name, names = begin_stretch(label, label_end, names, row, name_row, name_start, name_base)
        key[row], value[row], start[row], length[row] = hashed, score, here, doc_end - doc
        here, row = here + doc_end - doc, row + 1
    last_rank = rank_at(rank_above, last_rank)
    state[ROW], state[TEXT], state[STATUS] = row, here, ODD if p == 0 else GOING
    state[TOPICS], state[NAMES], state[TAIL] = topics, names, n_tail
    state[RANK], state[DISORDER], state[COMMENTS], state[EXACT] = last_rank, disorder, comments, n_exact
