"""Options that commands share: one wording, one default, commas that separate measures."""

from __future__ import annotations

import pytest

from dissensus.cli.commands import COMMANDS, load
from dissensus.cli.inputs.options import ONE_MEASURE, TABLE_MEASURES, _split
from dissensus.measures.policies import DEFAULT_MEASURES, Policies


def test_commas_separate_measures_but_not_their_parameters():
    assert _split(["nDCG@10,AP", "RBP(p=0.8, rel=2)"]) == ["nDCG@10", "AP", "RBP(p=0.8, rel=2)"]
    assert _split(None) == []


def test_defaults_are_those_of_the_library():
    assert list(DEFAULT_MEASURES) == TABLE_MEASURES
    assert len(ONE_MEASURE) == 1


@pytest.mark.parametrize("policy", ["ties", "topics", "unjudged", "empty"])
def test_every_command_that_takes_a_policy_has_its_choices_and_default(policy):
    held = {}
    for name in (n for names in COMMANDS.values() for n in names if n not in ("audit", "merge")):
        for parameter in load(name).params:
            if parameter.name == policy:
                held[name] = (tuple(parameter.type.choices), parameter.default)
    assert {"evaluate", "compare", "correct", "plan"} <= set(held)
    assert len({choices for choices, _ in held.values()}) == 1
    assert {default for _, default in held.values()} <= {getattr(Policies, policy), None}
