"""The section of differences."""

from __future__ import annotations

import itertools

import polars as pl
import pytest
from reported_study import full_outcome, full_study
from wording import phrase

from dissensus.reporting.answer import Outcome
from dissensus.reporting.sections.differences import build, difference_table, line


def made_up(pairs: list[tuple[str, str, float, bool]], order: list[str]) -> Outcome:
    rows = [
        {"a": a, "b": b, "difference": d, "low": d - 1, "high": d + 1, "p_value": 0.5, "significant": s,
         "claim": "better" if s else "undecided", "verdict": ""}
        for a, b, d, s in pairs
    ]  # fmt: skip
    return Outcome([], order, pl.DataFrame(), pl.DataFrame(rows), [], "made up", "3 comparisons")


def test_differences_are_drawn_best_minus_rest() -> None:
    flipped = made_up([("y", "x", -0.1, False)], ["x", "y"])
    row = difference_table(flipped).row(0, named=True)
    assert row["pair"] == "x − y"
    assert row["difference"] == pytest.approx(0.1)
    assert row["low"] == pytest.approx(-0.9)


def test_the_line_counts_pairs_that_were_shown():
    pairs = full_outcome().pairs
    shown = pairs.filter(pl.col("claim") == "better").height
    assert line(full_outcome()).startswith(phrase("differences.pairs-systems-shown-differ", shown, pairs.height))


def test_the_first_against_all_others_and_neighbours_are_drawn():
    found = full_outcome()
    drawn = difference_table(found)["pair"].to_list()
    first, *rest = found.order
    assert drawn[: len(rest)] == [f"{first} − {s}" for s in rest]
    assert drawn[len(rest) :] == [f"{a} − {b}" for a, b in itertools.pairwise(rest)]


def test_one_system_has_no_differences():
    nothing = Outcome([], ["x"], pl.DataFrame(), pl.DataFrame(), [], "made up", "")
    assert build(full_study(), nothing).missing == phrase("differences.no-pair-systems-compare")
