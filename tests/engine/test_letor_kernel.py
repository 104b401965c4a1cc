"""LETOR lines in a buffer: statuses, spans, numbers left to Python."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.engine import letor_kernel as kernel


def scan(line: str) -> tuple[int, ...]:
    data = line.encode()
    text = np.frombuffer(data + b"\n" * 8, np.uint8)
    two, four = np.empty((0, 2), np.int64), np.empty((0, 4), np.int64)
    return kernel.scan(text, len(data), 0, np.empty((0, 0)), np.empty(0), two, two, two[:, 0].copy(), four)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("2 qid:7 1:0.5 3:2e-1 #docid = D\n", kernel.OK),
        ("# a comment\n\n1 qid:1 5:1", kernel.OK),
        ("x qid:1 1:1\n", kernel.BAD_LABEL),
        ("1 qid:1 a:1\n", kernel.BAD_INDEX),
        ("1 qid:1 1:a\n", kernel.BAD_VALUE),
        ("1 qid:1 2:1 2:1\n", kernel.NOT_ASCENDING),
        ("1 qid:1 word\n", kernel.NO_COLON),
        ("1 qid: 1:1\n", kernel.BAD_QID),
        ("1 qid:1 qid:2\n", kernel.SECOND_QID),
    ],
)
def test_what_may_be_wrong_with_a_line(line: str, status: int) -> None:
    assert scan(line)[0] == status


def test_rows_and_the_span_of_features() -> None:
    assert scan("0 qid:1 4:1 9:2\n1 qid:1 2:5\n") == (kernel.OK, 0, 0, 2, 2, 9, 0)
    assert scan("0 qid:1 4:0.12345678901234567890123\n")[-1] == 1  # only Python can round it


def test_filling() -> None:
    data = b"1.5 qid:7 2:0.25 #docid = D\n0 qid:8\n"
    text = np.frombuffer(data + b"\n" * 8, np.uint8)
    matrix, label, offset = np.zeros((2, 2)), np.empty(2), np.empty(2, np.int64)
    qid, comment = np.empty((2, 2), np.int64), np.empty((2, 2), np.int64)
    kernel.scan(text, len(data), 1, matrix, label, qid, comment, offset, np.empty((0, 4), np.int64))
    assert (matrix.tolist(), label.tolist(), offset.tolist()) == ([[0, 0.25], [0, 0]], [1.5, 0], [0, 28])
    assert [data[a:b] for a, b in qid.tolist()] == [b"7", b"8"]
    assert data[slice(*comment[0])] == b"docid = D"
    assert comment[1, 0] == -1
