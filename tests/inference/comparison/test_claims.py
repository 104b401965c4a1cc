"""Claims: one sentence for every kind, made of its values."""

from __future__ import annotations

import math
from typing import get_args

import pytest
from wording import phrase

from dissensus.inference.comparison.claims import _SENTENCES, Claim, Kind, names

PAIR = {"difference": 0.031, "low": 0.008, "high": 0.054, "p_value": 0.004, "family": 6.0}


def test_every_kind_has_a_sentence_that_names_its_systems():
    assert set(_SENTENCES) == set(get_args(Kind))
    for kind in get_args(Kind):
        sentence = str(Claim(kind, ("first",), ("second",), "AP", PAIR, ("third",)))
        assert "first" in sentence or kind == "no-answer"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "B beats A by 0.031 [0.008, 0.054], p = 0.004, both adjusted for 6 comparisons"),
        ({"low": math.nan}, phrase("comparison-claims.beats-adjusted-comparisons", "B", "A", "0.031", "0.004", 6)),
        ({"family": 1.0, "p_value": 0.0001}, "B beats A by 0.031 [0.008, 0.054], p < 0.001"),
        ({"high": math.inf}, phrase("comparison-difference.beats-how-much-data", "B", "A", "0.004")),
    ],
)
def test_the_numbers_of_a_pair(changes, sentence):
    assert str(Claim("better", ("B",), ("A",), "AP", PAIR | changes)) == sentence


def test_verbs_follow_the_number_of_systems():
    assert str(Claim("best", ("x",), ("y",))) == phrase("comparison-claims.better-system", "x")
    assert str(Claim("best", ("x", "y"), ("a", "b", "c"))) == phrase(
        "comparison-claims.better-all-systems", "x", "y", 3
    )
    assert str(Claim("ahead", ("x", "y"), ("z",), rest=("w",))).startswith(
        phrase("comparison-claims.come-first-better", "x", "y", "z")
    )


def test_of_many_systems_five_are_named():
    assert names([f"s{i}" for i in range(8)]).endswith("s6 and s7")
    assert names([f"s{i}" for i in range(9)]) == "s0, s1, s2, s3, s4 and 4 more"


def test_the_form_for_json_has_its_values_and_no_number_that_json_lacks():
    data = Claim("better", ("B",), ("A",), "AP", {**PAIR, "high": math.inf}).to_dict()
    assert data["values"]["high"] is None
    assert data["values"]["difference"] == 0.031
    assert (data["kind"], data["systems"], data["others"]) == ("better", ["B"], ["A"])
    assert "rest" not in data
