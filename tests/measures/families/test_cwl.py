"""C/W/L measures against their users, step by step: w₁ = 1, w_{r+1} = w_r·C(r)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import MeasureError
from dissensus.measures.catalog import measure
from dissensus.measures.families.cwl import INSQ

Continue = Callable[[int, float, float], float]  # rank, gain here, gain so far → probability to go on


def insq(r: int, v: float, so_far: float) -> float:
    return ((r + 3) / (r + 4)) ** 2  # T = 2


USERS: dict[str, Continue] = {
    "INSQ(max_rel=3, T=2, depth=40)": insq,
    "INST(max_rel=3, T=2, depth=40)": lambda r, v, so_far: ((r + 3 - so_far) / (r + 4 - so_far)) ** 2,
    "BPM(max_rel=3, T=1.5, depth=40)@12": lambda r, v, so_far: float(so_far < 1.5 and r < 12),
    "NERR8(max_rel=3, depth=40)@12": lambda r, v, so_far: (1 - v) * (r < 12),
    "NERR9(max_rel=3, depth=40)@12": lambda r, v, so_far: (1 - v) * r / (r + 1) * (r < 12),
    "NERR10(max_rel=3, p=0.7, depth=40)": lambda r, v, so_far: 0.7 * (1 - v),
    "NERR11(max_rel=3, T=2, depth=40)": lambda r, v, so_far: (1 - v) * insq(r, v, so_far),
    "SDCG(max_rel=3, depth=40)@12": lambda r, v, so_far: float(np.log2(r + 1) / np.log2(r + 2)) * (r < 12),
}


@pytest.mark.parametrize("name", USERS)
def test_gain_per_document_read(name: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        ranking = [None if rng.random() < 0.2 else int(rng.integers(0, 4)) for _ in range(15)]
        w, read, gained, so_far = 1.0, 0.0, 0.0, 0.0
        for r in range(1, 41):
            v = (ranking[r - 1] or 0) / 3 if r <= len(ranking) else 0.0
            so_far += v
            read, gained = read + w, gained + w * v
            w *= USERS[name](r, v, so_far)
        assert measure(name).score(ranking, scale="0..3") == pytest.approx(gained / read, abs=1e-12)


def test_infinite_sums_are_the_limit_of_long_ones() -> None:
    endless, long = (INSQ(max_rel=4, T=1.5, depth=depth).total() for depth in (None, 10**6))
    assert endless == pytest.approx(long, rel=1e-5)
    for name in ("INST", "NERR10", "NERR11"):
        deep, all_ranks = (
            measure(f"{name}(max_rel=3, depth={d})").score([2, 0, 3], scale="0..3") for d in (10**5, None)
        )
        assert deep == pytest.approx(all_ranks, rel=1e-4)


def test_gains_lie_between_two_grades() -> None:
    with refused(MeasureError, "min_rel", "max_rel"):
        measure("INSQ(max_rel=2, min_rel=2)")
    plain = measure("NERR8(max_rel=2, min_rel=1)@3")
    assert plain.score([3, 1, 0], scale="0..3") == plain.score([2, 0, 0], scale="0..3")


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
    with refused(MeasureError, "max_rel"):
        ds.measure("INST")
