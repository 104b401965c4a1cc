"""Which judged documents lie in which result lists."""

from __future__ import annotations

import pytest
from labelled_documents import labels
from refusals import refused

from dissensus.errors import InputError
from dissensus.judging.disagreement.result_lists import listed, within_lists
from dissensus.tables.runs import Runs

JUDGED = labels({"1/x": [2, 1], "1/y": [0, 1], "2/z": [1, 0], "2/w": [0, 0]})
RUNS = Runs.from_dict(
    {"s": {"1": {"1/x": 3, "1/y": 2, "1/new": 1}, "2": {"2/z": 3}}, "t": {"1": {"1/y": 9, "1/x": 1}, "2": {"2/w": 1}}}
)


@pytest.mark.parametrize(
    ("runs", "depth", "lists", "expected"),
    [
        (None, None, "all", "wxyz"),
        (None, None, "top", "xy"),
        (None, None, "no-top", "wxyz"),
        (RUNS, None, "top", "xy"),
        (RUNS, 1, "all", "wxyz"),
        (RUNS, 1, "top", "x"),
        (RUNS, 1, "no-top", "wxyz"),
        (RUNS.select(systems=["s"]), 1, "all", "xz"),
    ],
)
def test_the_documents_of_the_chosen_lists(runs: Runs | None, depth: int | None, lists: str, expected: str) -> None:
    inside, _, words = within_lists(JUDGED, runs, depth, lists, 2)
    assert sorted(d[-1] for d, here in zip(JUDGED.doc_ids(), inside, strict=True) if here) == list(expected)
    assert words.startswith(f"{len(expected)} of 4 documents")


def test_judged_documents_within_a_depth() -> None:
    number, item = listed(JUDGED, RUNS, 1)
    assert sorted(JUDGED.doc_ids(item)) == ["1/x", "1/y", "2/w", "2/z"]
    assert len(set(number.tolist())) == 4
    with refused(InputError):
        listed(JUDGED, Runs.from_dict({"s": {"1": {"unknown": 1.0}}}), None)


@pytest.mark.parametrize(
    ("depth", "lists", "value"), [(None, "best", "lists="), (0, "all", "depth=0"), (3, "all", "depth=")]
)
def test_what_is_refused(depth: int | None, lists: str, value: str) -> None:
    with refused(InputError, value):
        within_lists(JUDGED, None, depth, lists, 2)
