"""The section of differences."""

from __future__ import annotations

import itertools

import polars as pl
import pytest
from compared_pairs import pair
from reported_study import full_outcome, full_study
from wording import phrase

from dissensus.inference.comparison.difference import Difference
from dissensus.inference.comparison.evidence_value import Evidence
from dissensus.inference.comparison.outcome import conclude
from dissensus.reporting.answer import Answer
from dissensus.reporting.sections.differences import build, difference_table, line


def made_up(pairs: list[Difference], scores: dict[str, float]) -> Answer:
    naive = {s: (v, v - 0.1, v + 0.1) for s, v in scores.items()}
    return Answer(conclude(Evidence("AP", "llm", tuple(scores), tuple(pairs), {"naive": naive}, 9)), "made up", "")


def test_differences_are_drawn_best_minus_rest() -> None:
    flipped = made_up([pair("y", "x", -0.1, 0.5)], {"x": 0.5, "y": 0.4})
    row = difference_table(flipped).row(0, named=True)
    assert row["pair"] == "x − y"
    assert row["difference"] == pytest.approx(0.1)
    assert row["low"] == pytest.approx(-0.01)


def test_the_line_counts_pairs_that_were_shown():
    pairs = full_outcome().pairs
    shown = pairs.filter(pl.col("claim") == "better").height
    assert line(full_outcome()).startswith(phrase("differences.better-in-pairs", shown, pairs.height))


def test_the_first_against_all_others_and_neighbours_are_drawn():
    found = full_outcome()
    drawn = difference_table(found)["pair"].to_list()
    first, *rest = found.order
    assert drawn[: len(rest)] == [f"{first} − {s}" for s in rest]
    assert drawn[len(rest) :] == [f"{a} − {b}" for a, b in itertools.pairwise(rest)]


def test_one_system_has_no_differences():
    nothing = made_up([], {"x": 0.5})
    assert build(full_study(), nothing).missing == phrase("differences.no-pair-systems-compare")
