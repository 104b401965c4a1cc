"""From columns to rankings: order, scores, repeats."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dissensus.data.tables.run_table import finite_scores, run_codes
from dissensus.errors import RunError


def place(row: int) -> str:
    return f"row {row + 1}"


def test_rank_order_is_score_then_id_descending() -> None:
    codes = run_codes(["s"] * 4, [1, 1, 1, 2], ["a", "c", "b", "a"], [1, 2, 2, 0], place=place, systems=["idle", "s"])
    assert codes["ids"].strings() == ["c", "b", "a", "a"]
    assert codes["bounds"].tolist() == [0, 3, 4]
    assert codes["systems"] == ("idle", "s")
    assert codes["segment_system"].tolist() == [1, 1]


def test_scores_as_doubles_and_one_zero() -> None:
    assert finite_scores([1, 2.5, -0.0], place).tolist() == [1, 2.5, 0]
    assert not np.signbit(finite_scores(["-0"], place))[0]
    assert finite_scores(["1e-3", " +2 "], place).tolist() == [0.001, 2]


@pytest.mark.parametrize("wrong", [float("inf"), None, "1_0", "0x1", "", True, 10**400])
def test_scores_that_are_not_numbers_are_named_by_row(wrong: object) -> None:
    with refused(RunError, 2, by="run_table"):
        finite_scores([1, wrong, "x"] if isinstance(wrong, str | bool) else [1, wrong], place)


def test_a_document_twice_in_one_ranking() -> None:
    with refused(RunError, 1, 3, by="run_table"):
        run_codes(["s"] * 3, [1, 1, 1], ["a", "b", "a"], [1, 2, 3], place=place)
