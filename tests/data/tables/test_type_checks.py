"""Runs and judgments given the wrong way round, or not made yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dissensus as ds
from dissensus.errors import InputError

RUNS = ds.Runs.from_dict({"s": {"q": {"d": 1.0}}})
JUDGMENTS = ds.Judgments.from_dict({"a": {"q": {"d": 1}}})


@pytest.mark.parametrize(
    "call",
    [
        lambda: ds.evaluate(JUDGMENTS, RUNS, ["AP"]),  # type: ignore[arg-type]
        lambda: ds.Collection(JUDGMENTS, RUNS),  # type: ignore[arg-type]
        lambda: ds.aware(JUDGMENTS, RUNS, ["AP"]),  # type: ignore[arg-type]
        lambda: ds.check(JUDGMENTS),  # type: ignore[arg-type]
    ],
)
def test_exchanged_arguments_are_named(call: Callable[[], Any]) -> None:
    with pytest.raises(InputError, match=r"(?s)runs is a Judgments, not Runs.*Runs come first"):
        call()


@pytest.mark.parametrize("call", [ds.agreement, ds.merge, ds.disagreement])
@pytest.mark.parametrize(("wrong", "name"), [(RUNS, "Runs"), ("labels.csv", "str"), (None, "NoneType")])
def test_what_is_no_judgments_is_named(call: Callable[[Any], Any], wrong: object, name: str) -> None:
    with pytest.raises(InputError, match=f"judgments is a {name}, not Judgments"):
        call(wrong)


def test_paths_and_dicts_are_told_the_way_in() -> None:
    with pytest.raises(InputError, match=r"(?s)runs is a str.*read_runs, or use Runs\.from_dict"):
        ds.evaluate("bm25.run", JUDGMENTS, ["AP"])  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"(?s)judgments is a dict.*read_judgments, or use Judgments\.from_dict"):
        ds.evaluate(RUNS, {"q": {"d": 1}}, ["AP"])  # type: ignore[arg-type]
