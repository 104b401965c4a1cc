"""The balancing index: the thesis's numbers, and the numeric search against the closed forms."""

from __future__ import annotations

import json

import pytest
from closed_forms import ap_index, err_index, ndcg_index, rbp_index
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError, MeasureError
from dissensus.theory.balancing import balancing_curve


def test_graded_examples() -> None:
    assert ds.balancing_index("DCG(dcg='jk')", 5, low=1, high=3) == 1
    assert ds.balancing_index("ERR", 5, low=1, high=3) is None


def test_rbp_saturates() -> None:
    assert [ds.balancing_index("RBP(p=0.8)", n) for n in (20, 21, 50, 1000)] == [7, 8, 8, 8]
    assert ds.balancing_index("RBP(p=0.95)", 1000) == 59


def test_err_is_the_most_top_heavy_and_ap_and_ndcg_hardly_are() -> None:
    for n in (1, 10, 300):
        assert ds.balancing_index("ERR", n) == 1
    assert ds.balancing_index("AP", 1000) > 950
    assert ds.balancing_index("nDCG", 1000) > 985
    assert ds.balancing_index("P@10", 1000) == 10


@pytest.mark.parametrize("p", [0.5, 0.8, 0.95, 0.99])
def test_rbp_closed_form(p: float) -> None:
    for n in range(1, 201):
        assert ds.balancing_index(f"RBP(p={p})", n) == rbp_index(n, p)


def test_ap_closed_form() -> None:
    for n in range(1, 201):
        assert ds.balancing_index("AP", n) == ap_index(n)


@pytest.mark.parametrize(("low", "high"), [(1, 1), (1, 2), (1, 3)])
def test_err_closed_form(low: int, high: int) -> None:
    for n in [*range(1, 200, 1 if high == 1 else 9), 200]:
        assert ds.balancing_index("ERR", n, low, high) == err_index(n, low, high)


@pytest.mark.parametrize(("low", "high"), [(1, 1), (1, 3), (2, 3)])
@pytest.mark.parametrize(
    ("name", "dcg", "base"), [("nDCG", "log2", 2), ("nDCG(dcg='jk')", "jk", 2), ("nDCG(dcg='jk', base=10)", "jk", 10)]
)
def test_ndcg_closed_form(name: str, dcg: str, base: int, low: int, high: int) -> None:
    for n in range(1, 201):
        assert ds.balancing_index(name, n, low, high) == ndcg_index(n, low, high, dcg, base)


def test_scan_and_weights_agree() -> None:
    """MP has no weights of its own; where it is linear in disguise, scan and tail sums must agree."""
    import numpy as np

    from dissensus.tables.scale import Scale
    from dissensus.theory.balancing import _scanned_index

    for name in ("RBP(p=0.9)", "nDCG@7", "DCG", "P@5"):
        m = ds.measure(name)
        for n in (1, 6, 30):
            pool = np.array([1] * n + [0] * n, np.int8)
            assert _scanned_index(m, n, 1, 1, Scale.range(0, 1), pool) == ds.balancing_index(m, n)


def test_curve() -> None:
    curve = balancing_curve(["RBP(p=0.8)", "ERR"], [20, 21, 5], low=1, high=1)
    assert curve.lengths == (5, 20, 21)
    assert curve.indices == {"RBP(p=0.8)": (3, 7, 8), "ERR": (1, 1, 1)}
    assert curve.to_frame().height == 6
    assert json.loads(curve.to_json())["indices"]["ERR"] == [1, 1, 1]
    undefined = balancing_curve(["ERR"], [5], low=1, high=3)
    assert phrase("balance.is-undefined", "B(5)") in str(undefined)
    assert undefined.to_frame()["index"].to_list() == [None]


@pytest.mark.parametrize(
    ("kwargs", "error", "values"),
    [
        ({"length": 0}, InputError, ("length=0",)),
        ({"length": 5, "low": 3, "high": 1}, InputError, ("low=3", "high=1")),
        ({"length": 5, "low": 0}, InputError, ("low=0",)),
    ],
)
def test_what_has_no_index(kwargs: dict[str, int], error: type[Exception], values: tuple[object, ...]) -> None:
    with refused(error, *values):
        ds.balancing_index("AP", **kwargs)
    with refused(MeasureError, "ESL"):
        ds.balancing_index("ESL", 5)
