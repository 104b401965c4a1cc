"""An audit of every document of a few topics: what is known of these topics is known exactly, of others hardly."""

from __future__ import annotations

import polars as pl
import pytest

import dissensus as ds
from dissensus.inference.comparison.belief import raised, topics_part
from dissensus.inference.comparison.outcome import Outcome
from dissensus.io.samples import generated_collection

SAMPLE = generated_collection(seed=5, topics=12)


def corrected(topics: int, systems: int, measure: str, target: str = "these_topics") -> ds.Corrected:
    here = pl.col("topic").is_in(list(SAMPLE.runs.topics[:topics]))
    runs = SAMPLE.runs.select(systems=list(SAMPLE.runs.systems[:systems])).to_frame().filter(here)
    judge = SAMPLE.judgments.select(assessors=["llm"]).to_frame().filter(here)
    every = SAMPLE.truth.to_frame().filter(here).select("topic", "doc", "grade", inclusion=pl.lit(1.0))
    return ds.correct(
        ds.Runs.from_frame(runs), ds.Judgments.from_frame(judge, scale="0..3"),
        ds.Audit.from_frame(every, scale="0..3"), measure, target=target,
    )  # fmt: skip


def outcome(topics: int, systems: int, measure: str) -> Outcome:
    return corrected(topics, systems, measure).outcome


@pytest.mark.parametrize("measure", ["nDCG@10", "AP(rel=2)", "P(rel=2)@5"])
def test_a_census_decides_every_pair_on_its_topics(measure: str) -> None:
    """Whole topics had Student's t on their number, although none was left to draw: all four could be the best."""
    found = outcome(6, 4, measure)
    truth = found.scores
    for d in found.pairs:
        gap = truth[d.a][0] - truth[d.b][0]
        assert d.interval == pytest.approx((gap, gap))
        assert d.claim.kind == ("within" if abs(gap) < 1e-12 else "better")


def test_the_same_mean_is_not_the_same_score_on_every_topic() -> None:
    found = outcome(6, 4, "P(rel=2)@10")
    same = next(d for d in found.pairs if {d.a, d.b} == {"bm25", "crossenc"})
    assert same.difference == 0
    assert (same.claim.kind, same.claim.values["margin"]) == ("within", 0)
    assert found.identical == ()
    assert set(found.best) == {"bm25", "crossenc"}


def test_three_topics_do_not_make_sure() -> None:
    """Predictions hardly differ between three topics where the truth does: p was 0.42, the chance over 99%."""
    made = corrected(3, 2, "P(rel=2)@10", "population")
    result = made.results["P(rel=2)@10"]
    expected = topics_part(result)
    assert raised(expected, result.estimate).trace() > 2 * expected.trace()
    found = made.outcome
    assert found.headline.kind == "undecided"
    assert found.decision is not None
    assert found.decision.of(found.decision.choice)[1] < 0.97
    assert "labels" not in found.outlook  # there is no document left to label
