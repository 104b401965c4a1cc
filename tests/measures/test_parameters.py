"""Declared parameters: every measure declares all of them, and all are checked by the same rules."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from refusals import refused

from dissensus.errors import MeasureError
from dissensus.measures import catalog
from dissensus.measures.parameters import Parameter, freeze_gains, gain_table
from dissensus.tables.scale import Scale


@pytest.mark.parametrize("name", catalog.names())
def test_every_measure_declares_its_parameters_and_its_facts(name: str) -> None:
    cls = catalog.measure_class(name)
    assert [f.name for f in fields(cls) if f.name != "cutoff"] == list(cls.declared())
    assert all(p.text for p in cls.declared().values())
    assert all((cls.formula, cls.user, cls.reference))


@pytest.mark.parametrize(
    ("parameter", "rule", "right", "wrong"),
    [
        (Parameter("number", "", above=0, below=1), "a number strictly between 0 and 1", (0.5,), (0, 1, "a", True)),
        (Parameter("number", "", least=0, most=1), "a number between 0 and 1", (0, 1), (-1, float("nan"))),
        (Parameter("whole number", "", least=1), "a whole number, at least 1", (1, 7), (0, 1.5, True)),
        (Parameter("choice", "", choices=("a", "b")), "one of 'a', 'b'", ("a",), ("c", 1)),
        (Parameter("flag", ""), "True or False", (True, False), (1, "yes")),
        (Parameter("number", "", optional=True), "a number", (None, 2), ("a",)),
    ],
)
def test_rules(parameter: Parameter, rule: str, right: tuple, wrong: tuple) -> None:
    assert parameter.rule() == rule
    for value in right:
        assert parameter.checked("M", "x", value) == value
    for value in wrong:
        with refused(MeasureError, f"M(x={value!r})", rule):
            parameter.checked("M", "x", value)


def test_numbers_and_names_become_one_sorted_tuple() -> None:
    assert freeze_gains({"2": 1, 0: 0, np.int64(1): 0.5, "Key": 2}) == ((0, 0.0), (1, 0.5), (2, 1.0), ("Key", 2.0))
    assert freeze_gains(None) is None
    assert freeze_gains(freeze_gains({1: 1, 0: 0})) == ((0, 0.0), (1, 1.0))


def test_gains_in_the_order_of_the_scale() -> None:
    scale = Scale(("Non", "Rel", "Key"))
    assert gain_table(freeze_gains({"Key": 3, "Non": 0, 1: 0.5, -1: 9}), scale, "nDCG").tolist() == [0, 0.5, 3]
    with refused(MeasureError, "nDCG", "Key"):
        gain_table(freeze_gains({0: 0, 1: 1}), scale, "nDCG")


@pytest.mark.parametrize("gains", [{0: float("nan")}, {0: True}, {0: "1"}, 5])
def test_what_is_not_a_table_of_gains(gains: object) -> None:
    with pytest.raises(MeasureError):
        freeze_gains(gains)


def test_numbers_and_their_texts_are_one_grade() -> None:
    assert freeze_gains({"2": 5, 0: 0, 1: 1}) == ((0, 0.0), (1, 1.0), (2, 5.0))
    assert freeze_gains(None) is None


@pytest.mark.parametrize("wrong", [{0: float("nan")}, {0: True}, {0: "much"}, 3])
def test_gains_must_be_finite_numbers(wrong: object) -> None:
    with pytest.raises(MeasureError):
        freeze_gains(wrong)  # type: ignore[arg-type]


def test_every_grade_needs_a_gain() -> None:
    scale = Scale(("bad", "fair", "good"))
    assert gain_table((("bad", 0.0), ("fair", 0.3), ("good", 1.0)), scale, "nDCG").tolist() == [0.0, 0.3, 1.0]
    with refused(MeasureError, "nDCG", "bad"):
        gain_table((("bad", 0.0), ("fair", 0.3)), scale, "nDCG")


def test_a_number_beyond_doubles_is_refused_in_words() -> None:
    for name in ("RBP(p={})", "ERR(max={})@5", "P(rel={})@5"):
        with pytest.raises(MeasureError):
            catalog.measure(name.format("9" * 400))
