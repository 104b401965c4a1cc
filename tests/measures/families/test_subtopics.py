"""Measures averaged over intents are the means of the plain ones."""

from __future__ import annotations

import numpy as np
import pytest

import dissensus as ds
from dissensus.measures.families.average import AP
from dissensus.measures.families.precision import P
from dissensus.measures.families.subtopics import AP_IA, P_IA, StRecall

RNG = np.random.default_rng(1)


POOL = [{i for i in range(4) if RNG.random() < 0.4} for _ in range(12)]


RANKING = [POOL[d] for d in RNG.permutation(12)[:8]]


INTENTS = sorted(set().union(*POOL))


def binary(docs: list[set[int]], intent: int) -> list[int]:
    return [int(intent in d) for d in docs]


def test_means_over_intents() -> None:
    each = [AP().score(binary(RANKING, i), binary(POOL, i)) for i in INTENTS]
    assert AP_IA().score(RANKING, POOL) == pytest.approx(np.mean(each))
    shares = [P(cutoff=5).score(binary(RANKING, i), binary(POOL, i)) for i in INTENTS]
    assert P_IA(cutoff=5).score(RANKING, POOL) == pytest.approx(np.mean(shares))


def test_recall_of_intents() -> None:
    for k in (1, 3, 8):
        covered = set().union(*RANKING[:k])
        assert StRecall(cutoff=k).score(RANKING, POOL) == len(covered) / len(INTENTS)


EXAMPLE_POOL = [{1, 2}, {1}, {3}, set(), {2}]


EXAMPLE_RANKING = [{1}, set(), {1, 2}, None, {3}]


def plain(intent: int) -> tuple[list[int | None], list[int]]:
    ranking = [None if d is None else int(intent in d) for d in EXAMPLE_RANKING]
    return ranking, [int(intent in d) for d in EXAMPLE_POOL]


@pytest.mark.parametrize(("diverse", "measure"), [("AP_IA", "AP"), ("P_IA@5", "P@5"), ("StRecall@2", "Success@2")])
def test_they_are_means_over_intents(diverse: str, measure: str) -> None:
    expected = np.mean([ds.measure(measure).score(*plain(i)) for i in (1, 2, 3)])
    assert ds.measure(diverse).score(EXAMPLE_RANKING, EXAMPLE_POOL) == pytest.approx(expected)
