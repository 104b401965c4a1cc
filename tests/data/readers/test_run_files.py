"""Run files: the scanner's way and the exact one are the same."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from small_files import file

from dissensus.data.readers.run_files import trec_runs
from dissensus.data.tables.runs import Runs
from dissensus.errors import RunError


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
