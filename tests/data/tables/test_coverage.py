"""What an audit can answer, as a value."""

from __future__ import annotations

import pytest
from refusals import refused

from dissensus.data.tables.coverage import EVERYTHING, Coverage
from dissensus.errors import InputError

PAIR = Coverage.of_pairs(("A", "B"))


def test_what_is_covered() -> None:
    assert EVERYTHING.covers("A", "C")
    assert Coverage.differences().covers("A", "C")
    assert PAIR.covers("B", "A")
    assert not PAIR.covers("A", "C")


def test_two_samples_answer_what_either_could() -> None:
    assert PAIR.with_other(EVERYTHING) == EVERYTHING
    assert PAIR.with_other(Coverage.differences()) == Coverage.differences()
    assert PAIR.with_other(PAIR) == PAIR


@pytest.mark.parametrize("coverage", [EVERYTHING, Coverage.differences(), Coverage.of_pairs(("a; b", "c and d"))])
def test_columns_read_back(coverage: Coverage) -> None:
    columns = coverage.columns()
    pairs = [columns["pairs"]] if "pairs" in columns else []
    assert Coverage.from_columns([columns["covers"]], pairs, "file") == coverage


def test_other_words_are_refused() -> None:
    with refused(InputError, "everything", by="coverage"):
        Coverage.from_columns(["everything"], [], "file")
    with refused(InputError, "'A, B'", by="coverage"):
        Coverage.from_columns(["pairs"], ["A, B"], "file")
