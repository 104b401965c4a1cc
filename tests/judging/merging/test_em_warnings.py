"""Warnings fall where a model fails: on dependent judges, not on crowds where it wins."""

from __future__ import annotations

import warnings

import crowd_sets
import numpy as np
import pytest

import dissensus as ds
from dissensus.errors import DissensusWarning
from dissensus.judging.label_table import labels
from dissensus.judging.merging.api import merge
from dissensus.judging.merging.em_warnings import distinct_share

N = 600


def crowd_of(kind: str) -> tuple[ds.Judgments, np.ndarray]:
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 3, N)

    def judge(accuracy: float) -> np.ndarray:
        return np.where(rng.random(N) < accuracy, truth, rng.integers(0, 3, N))

    def children(parent: np.ndarray, n: int) -> list[np.ndarray]:
        return [np.where(rng.random(N) < 0.8, parent, judge(0.5)) for _ in range(n)]

    one = judge(0.5)
    said = {
        "independent": lambda: [judge(a) for a in rng.uniform(0.3, 0.9, 8)],
        "a family": lambda: children(judge(0.35), 6) + [judge(0.6) for _ in range(6)],
        "three families": lambda: [c for _ in range(3) for c in children(judge(0.35), 5)],
        "adversarial minority": lambda: [judge(0.6) for _ in range(6)] + [2 - judge(0.7) for _ in range(2)],
        "lazy half": lambda: [judge(0.6) for _ in range(4)] + [np.zeros(N, int)] * 4,
        "never disagree": lambda: [one] * 6,
    }[kind]()
    content = {f"w{k:02}": {1: {f"d{i:03}": int(g) for i, g in enumerate(x)}} for k, x in enumerate(said)}
    return ds.Judgments.from_dict(content, scale="0..2"), truth


@pytest.mark.parametrize(
    ("kind", "warned"),
    [
        ("independent", []),
        ("a family", ["dependent"]),
        ("three families", ["dependent"]),
        ("adversarial minority", []),
        ("lazy half", []),
        ("never disagree", ["dependent"]),
    ],
)
def test_generated_crowds(kind: str, warned: list[str]) -> None:
    j, truth = crowd_of(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DissensusWarning)
        em, vote = merge(j, "em-mv", temper=False), merge(j)
    assert [d.kind for d in em.doubts] == warned
    by_em, by_vote = ((m.judgments.grade == truth).mean() for m in (em, vote))
    if warned and kind != "never disagree":
        assert by_em < by_vote - 0.05  # the warning is right
    elif not warned:
        assert by_em > by_vote - 0.01


@pytest.mark.parametrize("name", ["rte", "temp", "wsd"])
def test_real_crowds_where_em_wins_are_not_warned_of(name: str) -> None:
    j = crowd_sets.snow2008(name)
    merge(j.select(assessors=[a for a in j.assessors if a != "gold"]), "em-mv", temper=False)  # warnings are errors


def test_families_count_once() -> None:
    j, _ = crowd_of("never disagree")
    assert distinct_share(labels(j), [[0, 1, 2]]) == pytest.approx(4 / 6)
    assert distinct_share(labels(j), []) == 1
