"""The planned sample of an audit in order."""

from __future__ import annotations

from followed_sample import MEASURE, PAIR, sample

import dissensus as ds


def test_an_order_is_for_differences_unless_it_is_planned_for_scores():
    runs, llm, _ = sample()
    pair = runs.select(systems=list(PAIR))
    sizes = [ds.plan(pair, llm, measure=MEASURE, order=True, purpose=p).sample.height for p in (None, "scores")]
    assert sizes[0] == ds.Sequential(pair, llm, MEASURE).order.height
    assert sizes[0] < sizes[1] == ds.Sequential(pair, llm, MEASURE, scores=True).order.height
