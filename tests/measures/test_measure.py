"""The base of all measures: names, cut-offs, gains, and the three shapes."""

from __future__ import annotations

import numpy as np
import pytest

import dissensus as ds
from dissensus.data.tables.scale import Scale
from dissensus.errors import MeasureError
from dissensus.measures.measure import Linear, Ratio, count_grades, relevant_count


@pytest.mark.parametrize("name", ["P@10", "nDCG(dcg='exp-log2')@5", "RBP(p=0.8)", "AP", "IPrec@0.1", "ERR(max=3)@20"])
def test_a_name_reads_back_to_itself(name: str) -> None:
    assert str(ds.measure(name)) == name
    assert ds.measure(str(ds.measure(name))) == ds.measure(name)


@pytest.mark.parametrize("name", ["P", "P@0", "P@-1", "AP_IA@5", "P@99999999999"])
def test_wrong_cutoffs_are_refused(name: str) -> None:
    with pytest.raises(MeasureError):
        ds.measure(name)


def test_the_three_shapes() -> None:
    assert isinstance(ds.measure("P@5"), Linear)
    assert isinstance(ds.measure("nDCG@5"), Ratio)
    assert ds.measure("AP").shape == "not linear"


def test_a_linear_form_gives_the_score() -> None:
    scale = Scale.range(0, 3)
    pool = np.array([3, 2, 1, 0, 0], np.int8)
    weights, values = ds.measure("nDCG@3").linear_form(count_grades(pool, scale), 4, scale)
    by_hand = weights @ values[np.array([0, 3, 1, 2])]
    assert by_hand == pytest.approx(ds.measure("nDCG@3").score([0, 3, 1, 2], pool.tolist(), "0..3"))
    assert relevant_count(count_grades(pool, scale), 2, scale) == 2


def test_only_measures_with_gains_take_them() -> None:
    assert "gains" in str(ds.measure("nDCG@5").with_gains({0: 0, 1: 0.5, 2: 1}))
    with pytest.raises(MeasureError, match="has no gains"):
        ds.measure("AP").with_gains({0: 0, 1: 1})
