"""Policies: one default each, and no other value."""

from __future__ import annotations

import importlib
import inspect

import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.measures.policies import CHOICES, Policies


def test_the_defaults_of_evaluate_are_those_of_policies() -> None:
    signature = inspect.signature(ds.evaluate)
    assert {name: signature.parameters[name].default for name in CHOICES} == Policies().to_dict()


@pytest.mark.parametrize("policy", CHOICES)
def test_another_value_is_refused(policy: str) -> None:
    with refused(InputError, f'{policy}="maybe"'):
        Policies(**{policy: "maybe"})


def test_what_cannot_be_combined() -> None:
    with refused(InputError, 'ties="expected"', 'unjudged="bounds"'):
        Policies(ties="expected", unjudged="bounds")


def test_one_set_of_measures_for_all_commands() -> None:
    from dissensus.measures.policies import DEFAULT_LINEAR, DEFAULT_MEASURE, DEFAULT_MEASURES

    table = {"evaluate": None, "correct": list(DEFAULT_MEASURES), "aware": list(DEFAULT_MEASURES)}
    one = {"compare": [DEFAULT_MEASURE], "gate": [DEFAULT_MEASURE], "ceiling": [DEFAULT_MEASURE]}
    single = {"judges": DEFAULT_MEASURE, "plan": [DEFAULT_LINEAR]}
    pages = {"report": list(DEFAULT_MEASURES), "figures": list(DEFAULT_MEASURES)}
    for name, expected in {**table, **one, **single, **pages}.items():
        parameters = inspect.signature(importlib.import_module(f"dissensus.cli.{name}").command).parameters
        given = parameters["measure" if "measure" in parameters else "measures"].default
        shown = list(given) if isinstance(given, tuple | list) else given
        assert shown == expected, name
    assert isinstance(ds.measure(DEFAULT_LINEAR), ds.Linear)
