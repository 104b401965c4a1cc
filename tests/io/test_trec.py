"""TREC files, line by line: the quick way reads what the exact one does."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from small_files import file

from dissensus.errors import RunError
from dissensus.io import trec
from dissensus.io.trec import trec_runs
from dissensus.tables.runs import Runs


@pytest.mark.parametrize(
    "text",
    [
        "1 0 d 1\n2 0 e 0\n",
        "1 0 d 1\n 2\t0  e 0",
        "1 0 d 1\r\n2 0 e 0\n",
        "# x\n1 0 d 1\n",
        "1 0 ü 1\n",
        "1 0 d 1\n\n2 0 e 0",
    ],
)
def test_columns_and_lines_of_qrels(text: str) -> None:
    found = trec.qrels_rows(text.encode(), "q")
    rows = [(i, line.split()) for i, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] != "#"]
    assert list(zip(found.topic, found.second, found.doc, found.value, strict=True)) == [tuple(r) for _, r in rows]
    assert (found.line.tolist(), found.comments) == ([i for i, _ in rows], text.count("#"))


@pytest.mark.parametrize(
    "text",
    [
        "1 Q0 d 1 2.5 t\n2 Q0 e 1 1e-3 t\n",
        "1 Q0 d 1 2.5 t\n 2\tQ0  e 1 .5 t",
        "1 Q0 d 1 2.5 t\n2 Q0 e 1 -0 t more words\n",
        "# x\n1 Q0 d 1 2.5 t\n",
        "1 Q0 ü 1 2.5 t\n",
    ],
)
def test_columns_and_lines_of_runs(text: str) -> None:
    found = trec.run_rows(text.encode(), "r")
    rows = [(i, line.split()) for i, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] != "#"]
    there = zip(found.topic, found.doc, found.rank, found.value, found.tag, strict=True)
    assert list(there) == [(r[0], *r[2:6]) for _, r in rows]
    assert (found.line.tolist(), found.comments) == ([i for i, _ in rows], text.count("#"))
    assert found.trailing == text.count("more words")


@pytest.mark.parametrize("score", ["nan", "inf", "1e999", "0x1p3", "1_000", "x"])
def test_a_plain_run_with_a_score_that_is_not_a_finite_number_is_refused_at_its_line(score: str) -> None:
    with refused(RunError, "r:2", score):
        trec.run_rows(f"1 Q0 d 1 2.5 t\n1 Q0 e 2 {score} t\n".encode(), "r")


@pytest.mark.parametrize("by_tag", [False, True])
def test_both_ways_give_the_same_runs(tmp_path, by_tag: bool) -> None:
    rng = np.random.default_rng(0)
    lines = [f"{rng.integers(0, 3)} Q0 d{i} {i} {rng.integers(0, 9)} {rng.choice(['a', 'b'])}\n" for i in range(60)]
    path = file(tmp_path, "r.run", "# c\n" + "".join(lines))  # topics and tags interleaved
    quick, exact = (Runs.from_pieces([trec_runs(path, by_tag, small=small)]) for small in (False, True))
    assert quick.to_frame().equals(exact.to_frame())
    assert quick.systems == (("a", "b") if by_tag else ("r",))
    assert [n.partition(": ")[2] for n in quick.notes] == [n.partition(": ")[2] for n in exact.notes]
    assert trec_runs(path, by_tag, name="mine").systems == ("mine",)


@pytest.mark.parametrize("small", [False, True])
def test_a_document_twice_is_named_with_its_lines(tmp_path, small: bool) -> None:
    path = file(tmp_path, "r.run", "# c\n1 Q0 x 1 2 t\n2 Q0 x 1 2 t\n1 Q0 y 2 1 t\n1 Q0 x 3 0 t\n")
    with refused(RunError, "r.run:2", "r.run:5", 1):
        trec_runs(path, False, small=small)
