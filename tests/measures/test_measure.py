"""What a measure is: names that read back, cut-offs, linear forms, scales."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import MeasureError
from dissensus.measures.catalog import measure
from dissensus.measures.measure import (
    Linear,
    Measure,
    Ratio,
    count_grades,
    cut,
    relevant_count,
    topic_measures,
    value_of,
)
from dissensus.tables.scale import Scale

SCALE = Scale.range(0, 3)


@dataclass(frozen=True)
class Halving(Linear):
    weight: float = 1.0

    def weights(self, n: int) -> np.ndarray:
        return self.weight * 0.5 ** np.arange(1, n + 1)


def test_score_is_weights_times_values() -> None:
    assert Halving().score([1, 0, 1]) == 0.625
    assert Halving(cutoff=2).score([1, 0, 1]) == 0.5
    assert Halving(weight=2.0).score([1]) == 1.0
    w, v = Halving(cutoff=2).linear_form(np.array([0, 1, 0, 0]), 3, SCALE)
    assert (w.tolist(), v.tolist()) == ([0.5, 0.25, 0], [0, 1, 1, 1])
    assert Measure().linear_form(np.array([1]), 1, SCALE) is None


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "R@5", "Rprec", "P(rel=2)@3", "SetF(beta=2)", "TrecRBP"])
def test_linear_forms_give_the_score(name: str) -> None:
    m, grades, pool = measure(name), np.array([2, 0, 3, -128, 1], np.int8), np.array([2, 0, 3, 1, 1, 3], np.int8)
    form = m.linear_form(count_grades(pool, SCALE), 5, SCALE)
    if name == "AP":
        assert form is None
    else:
        assert form is not None
        assert float(form[0] @ value_of(grades, form[1], SCALE)) == pytest.approx(m.compute(grades, pool, SCALE))


def test_names_show_what_differs_from_the_defaults() -> None:
    assert str(Halving()) == "Halving"
    assert str(Halving(weight=2.0, cutoff=5)) == "Halving(weight=2)@5"
    assert Halving(weight=0.25).parameters() == {"weight": 0.25}


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, 2**31])
def test_cut_offs_are_whole_numbers(wrong: object) -> None:
    with refused(MeasureError):
        Halving(cutoff=wrong)


def test_cut_offs_that_must_or_must_not_be_there() -> None:
    for name in ("P", "SetP@5"):
        with refused(MeasureError):
            measure(name)
    with refused(MeasureError, "P@5", "DCG"):
        measure("P@5").with_gains({0: 0, 1: 1})


def test_a_scale_that_ends_below_what_is_relevant_is_refused() -> None:
    measure("AP(rel=3)").check_scale(SCALE)
    with refused(MeasureError, "AP(rel=3)"):
        measure("AP(rel=4)").check_scale(SCALE)


def test_pieces() -> None:
    counts = count_grades(np.array([0, 3, 3, -1, -128], np.int8), SCALE)
    assert counts.tolist() == [1, 0, 0, 2]
    assert relevant_count(counts, 1, SCALE) == 2
    weights = np.ones(4)
    assert cut(weights, 2).tolist() == [1, 1, 0, 0]
    assert weights.tolist() == [1, 1, 1, 1]


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
    with refused(MeasureError, "AP", "DCG"):
        ds.measure("AP").with_gains({0: 0, 1: 1})


@dataclass(frozen=True)
class Parity(ds.Measure):
    odd: bool | None = None

    def for_topic(self, topic):
        return Parity(int(topic) % 2 == 1)


def test_equal_measures_are_one():
    measures, which = topic_measures(Parity(), ["1", "2", "3", "2"])
    assert measures == (Parity(True), Parity(False))
    assert which.tolist() == [0, 1, 0, 1]


def test_a_measure_that_knows_no_topics_need_not_be_hashable():
    @dataclass(frozen=True)
    class Listed(ds.Linear):
        weight: list[float] = field(default_factory=list)

    m = Listed([1.0])
    measures, which = topic_measures(m, ["1", "2"])
    assert measures == (m,)
    assert which.tolist() == [0, 0]
