"""The check of refusals fails where the class, the place, a value or an option is wrong, and nowhere else."""

from __future__ import annotations

import warnings

import polars as pl
import pytest
from refusals import refused, stated, states, warned

import dissensus as ds
from dissensus.errors import (
    DataWarning,
    FileError,
    InputError,
    JudgmentError,
    Option,
    ReliabilityWarning,
    Text,
)

REPEATED = {"topic": ["t", "t"], "doc": ["d", "d"], "assessor": ["ann", "ann"], "grade": [0, 2]}


def repeat() -> None:
    """Two grades from one assessor: the fixes name `repeated`, once with each of its values."""
    ds.Judgments.from_frame(pl.DataFrame(REPEATED))


@pytest.mark.parametrize(
    ("values", "checks"),
    [
        ((), {}),
        (("ann", 0, 2), {}),
        (("ann",), {"options": ["repeated"]}),
        ((), {"options": [Option("repeated", "last")]}),
    ],
)
def test_what_is_right_passes(values: tuple[object, ...], checks: dict[str, object]) -> None:
    with refused(JudgmentError, *values, **checks) as caught:
        repeat()
    assert isinstance(caught.value, JudgmentError)


@pytest.mark.parametrize(
    ("values", "checks"),
    [
        (("bob",), {}),
        (("an",), {}),
        ((1, 3), {}),
        ((), {"options": ["merge"]}),
        ((), {"options": [Option("repeated", "never")]}),
    ],
)
def test_a_wrong_value_or_option_fails(values: tuple[object, ...], checks: dict[str, object]) -> None:
    with pytest.raises(AssertionError), refused(JudgmentError, *values, **checks):
        repeat()


def test_another_class_or_no_error_fails() -> None:
    with pytest.raises(JudgmentError), refused(FileError):
        repeat()
    with pytest.raises(pytest.fail.Exception), refused(InputError):
        pass


def test_a_warning_is_found_among_others_and_the_others_go_on() -> None:
    def warn(*topics: int) -> None:
        for topic in topics or (7,):
            warnings.warn(f"topic {topic} has no label", DataWarning, stacklevel=1)

    with warned(DataWarning, 7):
        warn()
    with pytest.raises(pytest.fail.Exception), pytest.warns(DataWarning), warned(DataWarning, 8):
        warn()
    with pytest.raises(pytest.fail.Exception), pytest.warns(DataWarning), warned(ReliabilityWarning, 7):
        warn()
    with pytest.warns(DataWarning, match="8"), warned(DataWarning, 7):
        warn(7, 8)


@pytest.mark.parametrize("value", ["crowd.csv", "crowd.csv:14", 14, 1200, "1,200", "0.25", "k=3", "(2, 2)", "κ", "-1"])
def test_a_value_is_found(value: object) -> None:
    assert states("/tmp/crowd.csv:14 has 1,200 of k=3 (0.25), shape (2, 2), κ=-1.", value)


@pytest.mark.parametrize("value", ["rowd.csv", "csv:1", 4, 200, 120, 25, 0, "crow", "k= 3"])
def test_a_part_of_a_word_or_number_is_not_a_value(value: object) -> None:
    assert not states("/tmp/crowd.csv:14 has 1,200 of k=3 (0.25), shape (2, 2).", value)


def test_one_text_must_state_all_values() -> None:
    assert stated([Text("3 labels of ann"), "4 of bob"], 3, "ann")
    assert not stated(["3 labels of ann", "4 of bob"], 3, "bob")
    assert stated("3 labels of ann\n4 of bob", 4, "bob")
    assert not stated("3 labels of ann\n4 of bob", 3, "bob")
