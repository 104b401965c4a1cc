"""A generated collection whose audit is played label by label, for the tests of audits in order."""

from __future__ import annotations

from functools import cache

import dissensus as ds
from dissensus.io.samples import generated_collection

MEASURE = "P(rel=2)@10"
PAIR = ("crossenc", "llm-rewrite")


@cache
def sample():
    sample = generated_collection(topics=12)
    truth = {(t, d): g for t, d, _, g in sample.truth.to_frame().iter_rows()}
    return sample.runs, sample.judgments.select(assessors=["llm"]), truth


def played(n: int | None = None, **options):
    runs, llm, truth = sample()
    followed = ds.Sequential(runs, llm, MEASURE, **{"systems": PAIR, "seed": 1, **options})
    while followed.next() and (followed.labels < n if n is not None else followed.decided_at is None):
        topic, doc = followed.next()[0]
        followed.add(topic, doc, truth[topic, doc])
    return followed


def difference(a: str, b: str | None = None) -> float:
    runs, _, truth = sample()
    gold = ds.Judgments.from_dict({"g": {t: {d: g for (q, d), g in truth.items() if q == t} for t in runs.topics}})
    means = ds.evaluate(runs, gold, [MEASURE])[MEASURE].mean("topic").squeeze("assessor")
    return float(means.sel(system=a)) - (0.0 if b is None else float(means.sel(system=b)))
