"""CG, DCG, nDCG, RBP: METHODS' values, and ideals over the pool."""

from __future__ import annotations

import pytest

import dissensus as ds
from dissensus.errors import MeasureError


@pytest.mark.parametrize(
    ("ranking", "value"),
    [((3, 0, 0, 0, 0), 3), ((0, 0, 0, 0, 1), 0.4307), ((0, 0, 1, 1, 1), 1.5616), ((1, 1, 1, 1, 1), 3.5616)],
)
def test_dcg_of_jarvelin_and_kekalainen(ranking: tuple[int, ...], value: float) -> None:
    assert ds.measure("DCG(dcg='jk')").score(list(ranking)) == pytest.approx(value, abs=6e-5)


def test_the_ideal_is_cut_at_k_and_never_at_the_runs_length() -> None:
    pool = [1] * 10
    assert ds.measure("nDCG@3").score([1, 1, 1], pool) == pytest.approx(1)
    assert ds.measure("nDCG").score([1, 1, 1], pool) < 0.7


def test_rbp_is_binary_unless_gains_lie_in_the_unit_interval() -> None:
    assert ds.measure("RBP(p=0.8)").score([4] * 10) == pytest.approx(0.8926, abs=6e-5)
    with pytest.raises(MeasureError, match="between 0 and 1"):
        ds.measure("RBP(gains={0: 0, 1: 2})")
