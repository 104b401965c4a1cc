"""C/W/L measures: METHODS' values, weights that sum to one, the infinite sums."""

from __future__ import annotations

import pytest

import dissensus as ds
from dissensus.errors import MeasureError

RANKING, POOL = [2, 0, 3, 1, None, 0, 1], [2, 0, 3, 1, 0, 1, 3, 1, 0]
VALUES = {
    "INSQ(max_rel=4)": 0.288509, "INST(max_rel=4)": 0.346023, "BPM(max_rel=4)@10": 0.416667,
    "NERR8(max_rel=4)@5": 0.408451, "NERR9(max_rel=4)@5": 0.431463, "NERR10(max_rel=4)": 0.342567,
    "NERR11(max_rel=4)": 0.421523, "SDCG(max_rel=4)@5": 0.333282,
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), VALUES.items())
def test_the_values_of_the_example(name: str, value: float) -> None:
    assert ds.measure(name).score(RANKING, POOL, "0..4") == pytest.approx(value, abs=6e-7)


@pytest.mark.parametrize("name", VALUES)
def test_a_thousand_perfect_documents_score_one(name: str) -> None:
    assert ds.measure(name).score([4] * 1000, [4] * 1000, "0..4") == pytest.approx(1)


def test_depth_none_is_the_infinite_sum() -> None:
    """cwl-eval's 1000 ranks put INSQ(T=10) two per cent above the paper's."""
    cut = ds.measure("INSQ(max_rel=4, T=10)").score(RANKING, POOL, "0..4")
    whole = ds.measure("INSQ(max_rel=4, T=10, depth=None)").score(RANKING, POOL, "0..4")
    assert cut / whole == pytest.approx(1.02, abs=0.005)


def test_max_rel_is_required() -> None:
    with pytest.raises(MeasureError, match="max_rel"):
        ds.measure("INST")
