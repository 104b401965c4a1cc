"""The order of systems: places, letters, differences to the first."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dissensus.inference.comparison.difference import Difference, indistinct
from dissensus.report.standings import LETTERS, behind, letters, standings


@pytest.mark.parametrize("seed", range(6))
def test_systems_share_a_letter_just_where_they_are_not_told_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 9))
    score = np.sort(rng.random(n))[::-1]
    different = np.abs(score[:, None] - score[None]) > 0.3
    names = [f"s{i}" for i in range(n)]
    groups = [[names[i] for i in g] for g in indistinct(list(range(n)), different)]
    found = letters(names, groups)
    if not found:
        assert len(groups) > LETTERS or different.sum() == n * (n - 1)
        return
    for i, j in itertools.combinations(range(n), 2):
        assert bool(set(found[names[i]]) & set(found[names[j]])) == (not different[i, j])
    assert all(found.values())


def test_identical_systems_share_place_and_letter() -> None:
    frame = standings(["a", "b", "c"], {"a": (1.0, 0.9, 1.1)}, [], [["a", "b"]], None)
    assert frame["place"].to_list() == [1, 1, 3]
    assert frame["groups"].to_list() == ["a", "a", "b"]
    assert np.isnan(frame["score"][2])


def test_where_every_pair_differs_or_groups_are_many_there_are_no_letters() -> None:
    assert letters(["a", "b"], []) == {}
    names = [f"s{i:02d}" for i in range(LETTERS + 2)]
    assert letters(names, [[a, b] for a, b in itertools.pairwise(names)]) == {}


def test_differences_to_the_first_have_its_sign() -> None:
    def pair(a: str, b: str, gap: float) -> Difference:
        return Difference(a, b, "AP", gap, 0.01, (gap - 0.1, gap + 0.2), 0.5, 0.95, "t")

    found = behind(
        ["x", "y", "z", "t"], [pair("x", "y", 0.3), pair("z", "x", -0.4), pair("x", "t", 1e-9)], [["x", "t"]]
    )
    assert found["x"] == found["t"] == (0.0, 0.0, 0.0)
    assert found["y"] == pytest.approx((-0.3, -0.5, -0.2))
    assert found["z"] == pytest.approx((-0.4, -0.5, -0.2))
