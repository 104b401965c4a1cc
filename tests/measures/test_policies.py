"""Policies: one default each, and no other value."""

from __future__ import annotations

import inspect

import pytest

import dissensus as ds
from dissensus.errors import InputError
from dissensus.measures.policies import CHOICES, Policies


def test_the_defaults_of_evaluate_are_those_of_policies() -> None:
    signature = inspect.signature(ds.evaluate)
    assert {name: signature.parameters[name].default for name in CHOICES} == Policies().to_dict()


@pytest.mark.parametrize("policy", CHOICES)
def test_another_value_is_refused(policy: str) -> None:
    with pytest.raises(InputError, match=f'{policy}="maybe" is none of'):
        Policies(**{policy: "maybe"})


def test_what_cannot_be_combined() -> None:
    with pytest.raises(InputError, match="cannot be combined"):
        Policies(ties="expected", unjudged="bounds")
