"""P, R, Rprec, Fallout, Success, Judged, IPrec: what they divide by."""

from __future__ import annotations

import pytest

import dissensus as ds

RANKING, POOL = [1, 0, None, 1], [1, 0, 1, 1, 1, 0]  # four relevant, two not
VALUES = {
    "P@10": 0.2, "R@10": 0.5, "Rprec": 0.5, "Fallout@10": 0.5, "Success@1": 1, "Judged@10": 0.3, "IPrec@0.5": 0.5,
    "P(rel=2)@10": 0,
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), VALUES.items())
def test_short_runs_are_divided_by_k_and_by_the_pool(name: str, value: float) -> None:
    assert ds.measure(name).score(RANKING, POOL, "0..2") == pytest.approx(value)
