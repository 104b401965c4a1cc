"""Verdicts on pairs."""

from __future__ import annotations

import math

from wording import phrase

from dissensus.inference.comparison.difference import Difference
from dissensus.stats.intervals import ConfidenceSet


def difference(**changes):
    base = {
        "a": "A", "b": "B", "measure": "P@5", "difference": -0.031, "se": 0.01, "interval": (-0.054, -0.008),
        "p_value": 0.004, "level": 0.95, "method": "rectified", "adjusted": "max-t", "family": 6,
    }  # fmt: skip
    return Difference(**{**base, **changes})


def test_verdicts():
    assert difference().verdict == phrase(
        "comparison-difference.beats-both-adjusted-comparisons", "B", "A", "0.031", "[0.008, 0.054]", "0.004", 6
    )
    told = difference(difference=0.01, interval=(-0.01, 0.03), p_value=0.4, advice="audit more")
    assert told.verdict.startswith(
        phrase("comparison-difference.cannot-tell", "A", "B", "0.010", "[−0.010, 0.030]", "0.400")
    )
    assert told.verdict.endswith(phrase("comparison-difference.audit-more"))
    nothing = difference(difference=math.nan, interval=(math.nan, math.nan), p_value=math.nan, notes=("no matrix.",))
    assert nothing.verdict == phrase("comparison-difference.no-answer-no-matrix", "A", "B")
    assert str(nothing).count("no matrix") == 1
    stepwise = difference(interval=(math.nan, math.nan), adjusted="holm")
    assert stepwise.verdict == phrase("comparison-claims.beats-adjusted-comparisons", "B", "A", "0.031", "0.004", 6)
    assert difference(difference=0.0, se=0.0, interval=(0, 0), p_value=1).verdict == phrase(
        "comparison-difference.identical-same-score-every", "A", "B"
    )
    wide = difference(difference=1.0, interval=(-math.inf, math.inf), p_value=0.01)
    assert wide.claim.kind == "undecided"  # p alone does not decide against its interval
    turned = difference().reversed()
    assert (turned.a, turned.difference, turned.interval) == ("B", 0.031, (0.008, 0.054))


def test_fiellers_rays_do_not_tell_who_is_better():
    """Zero is outside, but the true difference may lie on either side of it."""
    rays = ConfidenceSet(((-math.inf, -0.1), (0.2, math.inf)))
    both = difference(interval=rays.hull, fieller=rays, by="fieller", p_value=0.01)
    assert both.significant
    assert both.claim.kind == "differ"
    ray = ConfidenceSet(((-math.inf, -0.1),))
    one = difference(interval=ray.hull, fieller=ray, by="fieller", p_value=0.01)
    assert one.verdict == phrase("comparison-difference.beats-how-much-data", "B", "A", "0.010")
    line = ConfidenceSet(((-math.inf, math.inf),))
    assert difference(interval=line.hull, fieller=line, by="fieller", p_value=0.2).claim.kind == "undecided"


def test_an_interval_that_holds_zero_forbids_the_word_beats():
    assert difference(interval=(-0.05, 0.005), p_value=0.032).claim.kind == "undecided"
