"""Declared parameters: every measure declares all of them, and all are checked by the same rules."""

from __future__ import annotations

from dataclasses import fields

import pytest
from refusals import refused

from dissensus.errors import MeasureError
from dissensus.measures import catalog
from dissensus.measures.parameters import Parameter


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
