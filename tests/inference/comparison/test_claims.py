"""Claims: one sentence for every kind, made of its values."""

from __future__ import annotations

import math
from typing import get_args

import pytest
from wording import phrase

from dissensus.inference.comparison.claims import _SENTENCES, Claim, Kind, names

PAIR = {"difference": 0.031, "low": 0.008, "high": 0.054, "p_value": 0.004, "family": 6.0}

CHOICE = {"margin": 0.02, "within": 0.9, "loss": 0.001, "negligible": 0.02, "gain": 0.005}


def test_every_kind_has_a_sentence_that_names_its_systems():
    assert set(_SENTENCES) == set(get_args(Kind))
    for kind in get_args(Kind):
        sentence = str(Claim(kind, ("first",), ("second",), "AP", PAIR | CHOICE, ("third", "fourth")))
        assert "first" in sentence or kind in ("no-answer", "same-elsewhere", "no-winner")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "B is better than A by 0.031 [0.008, 0.054], p = 0.004, both adjusted for 6 comparisons"),
        ({"low": math.nan}, phrase("comparison-claims.beats-adjusted-comparisons", "B", "A", "0.031", "0.004", 6)),
        ({"family": 1.0, "p_value": 0.0001}, "B is better than A by 0.031 [0.008, 0.054], p < 0.001"),
        ({"high": math.inf}, phrase("comparison-difference.beats-how-much-data", "B", "A", "0.004")),
    ],
)
def test_the_numbers_of_a_pair(changes, sentence):
    assert str(Claim("better", ("B",), ("A",), "AP", PAIR | changes)) == sentence


def test_verbs_follow_the_number_of_systems():
    assert str(Claim("best", ("x",), ("y", "z"))).startswith(phrase("comparison-claims.best-of", "x", 3))
    assert str(Claim("best", ("x", "y"), ("a", "b", "c"))).startswith(
        phrase("comparison-claims.identical-best-of", "x", "y", 5)
    )
    assert str(Claim("refuted", ("x",), ("y",))).endswith("y is better.")
    assert str(Claim("refuted", ("x",), ("y", "z"))).endswith("y and z are better.")


def test_of_many_systems_five_are_named():
    assert names([f"s{i}" for i in range(8)]).endswith("s6 and s7")
    assert names([f"s{i}" for i in range(9)]) == "s0, s1, s2, s3, s4 and 4 more"


def test_the_form_for_json_has_its_values_and_no_number_that_json_lacks():
    data = Claim("better", ("B",), ("A",), "AP", {**PAIR, "high": math.inf}).to_dict()
    assert data["values"]["high"] is None
    assert data["values"]["difference"] == 0.031
    assert (data["kind"], data["systems"], data["others"]) == ("better", ["B"], ["A"])
    assert "rest" not in data
