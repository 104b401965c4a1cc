"""Rank-biased overlap against its definition, all tie breaks, and the numbers its authors print."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.stats.overlap import rbo

X = ["red", {"blue", "green"}, "yellow", "pink"]
Y = [{"blue", "red"}, "white", {"yellow", "black", "purple"}, "green"]

# printed by the implementation that accompanies Corsi & Urbano (2024), p = .95: ext, min, max, res
PRINTED = {
    "w": (0.7068257, 0.3429684, 0.9049857, 0.5620173),
    "a": (0.6922853, 0.3310519, 0.8930692, 0.5620173),
    "b": (0.7207131, 0.3509163, 0.9129336, 0.5620173),
}


def plain(x: list[Any], y: list[Any], p: float, depth: int) -> float:
    """(1−p) Σ p^{d−1} |overlap at d|/d down to a depth, without ties."""
    return (1 - p) * sum(p ** (d - 1) * len(set(x[:d]) & set(y[:d])) / d for d in range(1, depth + 1))


def tie_breaks(ranking: list[Any]) -> list[list[Any]]:
    groups = [sorted(g) if isinstance(g, set) else [g] for g in ranking]
    return [list(itertools.chain(*a)) for a in itertools.product(*[itertools.permutations(g) for g in groups])]


@pytest.mark.parametrize("ties", ["w", "a", "b"])
def test_printed_values(ties: Any) -> None:
    variants: tuple[Any, ...] = ("ext", "min", "max", "res")
    got = [rbo(X, Y, 0.95, variant=v, ties=ties) for v in variants]
    assert got == pytest.approx(PRINTED[ties], abs=1e-7)
    assert got == [rbo(Y, X, 0.95, variant=v, ties=ties) for v in variants]


def test_min_is_the_definition_with_nothing_shared_below() -> None:
    x, y = list("abcdefg"), list("badxfqc")
    unseen = plain(x + [f"x{i}" for i in range(3000)], y + [f"y{i}" for i in range(3000)], 0.9, 1500)
    assert rbo(x, y, 0.9, variant="min") == pytest.approx(unseen, abs=1e-12)


def test_max_is_reached_by_the_most_agreeable_ending() -> None:
    x, y = list("abcd"), list("bxaq")
    # each list goes on with what the other has alone, then both with the same items
    tail = [f"t{i}" for i in range(2000)]
    both = plain(x + list("xq") + tail, y + list("cd") + tail, 0.9, 1500)
    assert rbo(x, y, 0.9, variant="max") == pytest.approx(both, abs=1e-12)


rankings = st.permutations(list("abcdef")).flatmap(
    lambda items: st.lists(st.booleans(), min_size=5, max_size=5).map(lambda cuts: grouped(items, cuts))
)


def grouped(items: list[str], cuts: list[bool]) -> list[Any]:
    groups = [{items[0]}]
    for item, cut in zip(items[1:], cuts, strict=True):
        if cut or len(groups[-1]) == 2:  # at most two tied, so that all breaks can be tried
            groups.append({item})
        else:
            groups[-1].add(item)
    return list(groups)


@settings(max_examples=15, deadline=None)
@given(rankings, rankings)
@example(["a", {"b", "c", "d"}, "e", "f"], [{"e", "a", "c"}, "b", {"d", "f"}])
def test_a_is_the_mean_over_all_tie_breaks(x: list[Any], y: list[Any]) -> None:
    for variant in ("ext", "min", "max"):
        every = [rbo(a, b, 0.8, variant=variant) for a in tie_breaks(x) for b in tie_breaks(y)]
        assert rbo(x, y, 0.8, variant=variant, ties="a") == pytest.approx(np.mean(every), abs=1e-12)


def test_min_of_different_lengths_is_the_mean_over_all_tie_breaks() -> None:
    x, y = ["a", {"b", "c"}], ["c", {"a", "x", "b"}, "y"]
    every = [rbo(a, b, 0.9, variant="min") for a in tie_breaks(x) for b in tie_breaks(y)]
    assert rbo(x, y, 0.9, variant="min", ties="a") == pytest.approx(np.mean(every), abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(rankings)
def test_a_ranking_agrees_with_itself(x: list[Any]) -> None:
    assert rbo(x, x, ties="b") == pytest.approx(1.0)
    assert rbo(x, x, ties="w") == pytest.approx(1.0)
    assert rbo(x, x, ties="a") <= 1.0 + 1e-12


@settings(max_examples=50, deadline=None)
@given(rankings, rankings)
def test_ties_make_b_at_least_a_and_bounds_hold(x: list[Any], y: list[Any]) -> None:
    assert rbo(x, y, ties="a") <= rbo(x, y, ties="b") + 1e-12
    for ties in ("w", "a", "b"):
        low, ext, high = (rbo(x[:-1], y, ties=ties, variant=v) for v in ("min", "ext", "max"))
        assert low - 1e-12 <= ext <= high + 1e-12


def test_scores_and_lists_are_the_same_ranking() -> None:
    assert rbo({"a": 3, "b": 2, "c": 2}, ["a", {"b", "c"}]) == rbo(["a", {"b", "c"}], ["a", {"b", "c"}])


def test_disjoint_rankings() -> None:
    assert rbo(["a", "b"], ["c", "d"]) == 0.0
    assert rbo(["a", "b"], ["c", "d"], variant="min") == 0.0


@pytest.mark.parametrize(
    ("x", "options", "values"),
    [
        (["a", "a"], {}, ("x", "'a'")),
        ([], {}, ("x",)),
        ("abc", {}, ('x="abc"',)),
        ({"a": float("nan")}, {}, ("a", "NaN")),
        (["a"], {"p": 1.0}, ("p=1.0",)),
        (["a"], {"p": True}, ("p=True",)),
        (["a"], {"ties": "z"}, ('ties="z"',)),
        (["a"], {"variant": "mid"}, ('variant="mid"',)),
    ],
)
def test_wrong_input_gives_no_number(x: Any, options: dict[str, Any], values: tuple[object, ...]) -> None:
    with refused(InputError, *values):
        rbo(x, ["a", "b"], **options)


def test_a_number_is_no_ranking() -> None:
    with refused(InputError, "x=3"):
        rbo(3, ["a"])  # type: ignore[arg-type]


def test_a_table_of_scores_is_not_a_ranking() -> None:
    runs = ds.Runs.from_dict({"a": {"1": {"d": 2.0, "e": 1.0}}, "b": {"1": {"e": 2.0, "d": 1.0}}})
    scores = ds.evaluate(runs, ds.Judgments.from_dict({"j": {"1": {"d": 1}}}), ["AP"])
    for wrong in (scores, scores["AP"]):
        with refused(ds.DissensusError):
            ds.rbo(wrong, wrong)
    right = scores["AP"][0].mean("topic").to_series().to_dict()
    assert ds.rbo(right, right) == 1.0
