"""What a user says about files: columns, maps, thresholds."""

from __future__ import annotations

import pytest

from dissensus.data.readers.choices import CHOSEN, Choices, choices, parse_columns, parse_map
from dissensus.errors import InputError


def test_a_call_wins_over_the_command() -> None:
    token = CHOSEN.set(Choices(columns={"topic": "qid"}, missing="skip", threshold=(0.5,)))
    try:
        assert choices() == Choices(columns={"topic": "qid"}, missing="skip", threshold=(0.5,))
        mixed = choices({"doc": "docno"}, threshold=(0.8, 0.3), map={"bin": {1: 2}})
        assert mixed == Choices({"doc": "docno"}, None, "skip", {"bin": {"1": "2"}}, (0.3, 0.8))
    finally:
        CHOSEN.reset(token)
    assert choices(threshold=1) == Choices(threshold=(1.0,))


@pytest.mark.parametrize("text", ["topic", "topic=", "=qid", "topic=a,topic=b"])
def test_columns_that_say_nothing(text: str) -> None:
    with pytest.raises(InputError):
        parse_columns(text)


@pytest.mark.parametrize("text", ["1=2", "bin:", "bin:1", ":1=2", "bin:1=2,3"])
def test_maps_that_say_nothing(text: str) -> None:
    with pytest.raises(InputError):
        parse_map([text])


def test_names_may_hold_colons_and_maps_add_up() -> None:
    assert parse_map(["a:b:1=2", "a:b:0=1"]) == {"a:b": {"1": "2", "0": "1"}}
    for wrong in ({"missing": "drop"}, {"columns": {"mood": "x"}}):
        with pytest.raises(InputError):
            Choices(**wrong)
