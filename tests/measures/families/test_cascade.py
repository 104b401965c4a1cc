"""RR, ERR, ESL: METHODS' values and the scale's top grade."""

from __future__ import annotations

import pytest

import dissensus as ds
from dissensus.errors import MeasureError


@pytest.mark.parametrize(
    ("ranking", "value"),
    [((3, 0, 0, 0, 0), 0.875), ((0, 0, 0, 0, 1), 0.025), ((0, 1, 1, 1, 1), 0.1396), ((1, 1, 1, 1, 1), 0.2472)],
)
def test_err_by_methods(ranking: tuple[int, ...], value: float) -> None:
    assert ds.measure("ERR").score(list(ranking), scale="0..3") == pytest.approx(value, abs=6e-5)


def test_err_needs_a_top_grade() -> None:
    with pytest.raises(MeasureError):
        ds.measure("ERR").score([1, 0])
    assert ds.measure("ERR(max=3)").score([3, 0]) == pytest.approx(0.875)


def test_rr_and_its_cutoff() -> None:
    assert ds.measure("RR").score([0, 0, 1]) == pytest.approx(1 / 3)
    assert ds.measure("RR@2").score([0, 0, 1]) == 0
