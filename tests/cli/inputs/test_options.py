"""Options that commands share: one wording, one default, commas that separate measures."""

from __future__ import annotations

import pytest

from dissensus.cli.commands import load
from dissensus.cli.inputs.options import ONE_MEASURE, TABLE_MEASURES, _split
from dissensus.measures.policies import DEFAULT_MEASURES, Policies


def test_commas_separate_measures_but_not_their_parameters():
    assert _split(["nDCG@10,AP", "RBP(p=0.8, rel=2)"]) == ["nDCG@10", "AP", "RBP(p=0.8, rel=2)"]
    assert _split(None) == []


def test_defaults_are_those_of_the_library():
    assert list(DEFAULT_MEASURES) == TABLE_MEASURES
    assert len(ONE_MEASURE) == 1


@pytest.mark.parametrize("policy", ["ties", "topics", "unjudged", "empty"])
def test_commands_that_correct_and_compare_have_the_librarys_policies(policy):
    for name in ("compare", "correct", "plan"):
        (parameter,) = (p for p in load(name).params if p.name == policy)
        assert parameter.default in (getattr(Policies, policy), None), name


@pytest.mark.parametrize("name", ["evaluate", "merge", "clicks", "gate", "report"])
def test_every_output_file_has_the_same_flags(name):
    (parameter,) = (p for p in load(name).params if p.name == "output")
    assert (parameter.opts, parameter.metavar) == (["--output", "-o"], "FILE")
