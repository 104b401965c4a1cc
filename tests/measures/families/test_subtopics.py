"""AP_IA, P_IA, StRecall: means over intents of the plain measures."""

from __future__ import annotations

import numpy as np
import pytest

import dissensus as ds

POOL = [{1, 2}, {1}, {3}, set(), {2}]
RANKING = [{1}, set(), {1, 2}, None, {3}]


def plain(intent: int) -> tuple[list[int | None], list[int]]:
    ranking = [None if d is None else int(intent in d) for d in RANKING]
    return ranking, [int(intent in d) for d in POOL]


@pytest.mark.parametrize(("diverse", "measure"), [("AP_IA", "AP"), ("P_IA@5", "P@5"), ("StRecall@2", "Success@2")])
def test_they_are_means_over_intents(diverse: str, measure: str) -> None:
    expected = np.mean([ds.measure(measure).score(*plain(i)) for i in (1, 2, 3)])
    assert ds.measure(diverse).score(RANKING, POOL) == pytest.approx(expected)
