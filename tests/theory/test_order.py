"""The order of rankings before any measure."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.theory.order import compare_rankings, order

RUN = [0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("r", "s", "by", "expected"),
    [
        (RUN, [0, 1, 1, 2, 3], "rank", "<"),
        (RUN, [0, 1, 1, 1, 3], "rank", None),
        (RUN, [2, 0, 1, 2, 1], "rank", "<"),  # the thesis calls these two not comparable
        (RUN, [2, 0, 1, 2, 1], "set", "="),
        (RUN, [0, 1, 1, 2, 3], "set", "<"),
        (RUN, [0, 1, 1, 1, 3], "set", None),
        ([0, 1, 0, 1, 0], [1, 0, 0, 0, 1], "rank", None),
        ([3, 0], [0, 1], "rank", ">"),
        ([1, 0], [1, 0], "rank", "="),
        ([1, 0], [0, 1], "set", "="),
    ],
)
def test_known_pairs(r: list[int], s: list[int], by: str, expected: str | None) -> None:
    assert ds.order(r, s, by=by) == expected


def test_counts_by_hand() -> None:
    table = compare_rankings(RUN, [2, 0, 1, 2, 1])
    assert table.first[:, 1].tolist() == [0, 1, 2, 3, 4]
    assert table.second[:, 1].tolist() == [1, 1, 2, 3, 4]
    assert table.first[:, 2].tolist() == [0, 0, 0, 1, 2]
    assert table.second[:, 2].tolist() == [1, 1, 1, 2, 2]


def test_inversions_are_those_of_figure_3_2() -> None:
    table = compare_rankings(RUN, [0, 1, 1, 1, 3])
    assert table.inversions == [(4, 2), (5, 2), (5, 3)]
    assert compare_rankings(RUN, [0, 1, 1, 2, 3]).inversions == []
    text = str(table)
    assert text.count("*") == 3
    assert phrase("cli-order.not-comparable") in text
    frame = table.to_frame()
    assert frame.height == 5 * 4
    assert frame["inversion"].sum() == 3
    assert json.loads(table.to_json())["relation"] is None


grades = st.lists(st.integers(0, 3), min_size=5, max_size=5)


@given(grades, grades)
def test_turning_the_pair_turns_the_sign(r: list[int], s: list[int]) -> None:
    turned = {"<": ">", ">": "<", "=": "=", None: None}
    assert ds.order(s, r) == turned[ds.order(r, s)]


@given(grades, grades, grades)
def test_order_is_transitive(r: list[int], s: list[int], t: list[int]) -> None:
    if ds.order(r, s) in ("<", "=") and ds.order(s, t) in ("<", "="):
        assert ds.order(r, t) in ("<", "=")


@given(grades, st.integers(0, 4), st.integers(0, 4))
def test_replacement_and_swap_go_up(run: list[int], i: int, j: int) -> None:
    i, j = sorted((i, j))
    if run[i] < run[j]:
        swapped = list(run)
        swapped[i], swapped[j] = run[j], run[i]
        assert ds.order(run, swapped) == "<"
        assert ds.order(run, swapped, by="set") == "="
    if run[i] < 3:
        replaced = list(run)
        replaced[i] += 1
        assert ds.order(run, replaced) == ds.order(run, replaced, by="set") == "<"


@pytest.mark.parametrize(
    ("r", "s", "by", "values"),
    [
        ([1, 0], [1], "rank", ("r", 2, "s", 1)),
        ([], [], "rank", ("r", "s")),
        ([1, -1], [1, 0], "rank", ("r", -1, 2)),
        ([1, 0], [1, None], "rank", ("s", "None", 2)),
        ([1], [1], "list", ('by="list"', "rank", "set")),
    ],
)
def test_what_cannot_be_ordered(r: list[int], s: list[int], by: str, values: tuple[object, ...]) -> None:
    with refused(InputError, *values):
        ds.order(r, s, by=by)


def test_a_ratio_scale_orders_sets_totally_and_rankings_partially() -> None:
    """Thesis §3.3.1: Fig. 3.1b's runs become equal; §3.3.2: (0,2,1,3,0) and (3,0,1,0,2) stay incomparable."""
    assert order([0, 1, 1, 2, 2], [0, 1, 1, 1, 3], by="set") is None
    assert order([0, 1, 1, 2, 2], [0, 1, 1, 1, 3], by="set", ratio=True) == "="
    assert order([0, 2, 1, 3, 0], [3, 0, 1, 0, 2], ratio=True) is None
    rng = np.random.default_rng(0)
    for r, s in rng.integers(0, 4, (50, 2, 5)):
        expected = "<" if r.sum() < s.sum() else ">" if r.sum() > s.sum() else "="
        assert order(r.tolist(), s.tolist(), by="set", ratio=True) == expected
        ordinal = order(r.tolist(), s.tolist())
        if ordinal in ("<", ">"):  # what counts agree on, sums agree on
            assert order(r.tolist(), s.tolist(), ratio=True) == ordinal


def test_the_words_speak_of_sums() -> None:
    text = str(compare_rankings([1, 0], [2, 0], by="set", ratio=True))
    assert "sum" in text.splitlines()[0]
    assert phrase("theory-order.no-sum-grades-larger") in text
