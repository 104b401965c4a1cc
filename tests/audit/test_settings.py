"""What is fixed before the first label."""

from __future__ import annotations

import pytest
from refusals import refused

import dissensus as ds
from dissensus.audit.settings import Stop, StudySettings, scale_from_json, scale_to_json
from dissensus.errors import InputError


@pytest.mark.parametrize("text", ["decided", "margin:0.02", "width:0.05", "budget:300"])
def test_a_stop_rule_reads_back_and_has_words(text):
    rule = Stop.parse(text)
    assert str(rule) == text
    assert rule.sentence()


@pytest.mark.parametrize(
    "text", ["", "never", "margin", "margin:-1", "width:inf", "budget:2.5", "budget:0", "decided:3"]
)
def test_other_rules_are_refused(text):
    with refused(InputError):
        Stop.parse(text)


def test_what_the_sequence_is_asked_for():
    assert Stop.parse("margin:0.02").half_width(scores=False) == 0.02
    assert Stop.parse("width:0.05").half_width(scores=True) == 0.025
    assert Stop.parse("width:0.05").half_width(scores=False) is None
    assert Stop.parse("budget:300").budget == 300


@pytest.mark.parametrize(
    "changes",
    [
        {"experts": ()},
        {"experts": ("ann", "ann")},
        {"experts": ("owner",)},
        {"experts": (" ",)},
        {"second_share": 1.5},
        {"repeat_share": -0.1},
        {"scores": True},
        {"scores": True, "stop": Stop("margin", 0.1)},
    ],
)
def test_settings_that_make_no_sense_are_refused(changes):
    with pytest.raises(InputError):
        StudySettings("P@5", **changes)


def test_a_scale_reads_back():
    for scale in (ds.Scale.range(1, 4), ds.Scale(("schlecht", "gut"))):
        again = scale_from_json(scale_to_json(scale))
        assert (again.names, again.low) == (scale.names, scale.low)
