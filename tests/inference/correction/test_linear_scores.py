"""Linear measures rectified by an audit of documents, or of topics."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from audited_study import audit, study
from wording import phrase

import dissensus as ds


def test_linear_scores_are_unbiased():
    """Over 300 audits of the same labels the mean corrected score is the gold one, whatever the judge did."""
    runs, bronze, gold = study(topics=12, seed=3, se=0.6, sp=0.9)
    truth = ds.evaluate(runs, gold, ["DCG@10"])["DCG@10"].mean("topic").values[0]
    found = np.array(
        [
            ds.correct(runs, bronze, audit(gold, 0.5, seed), ["DCG@10"], target="these_topics").table["corrected"]
            for seed in range(40)
        ]
    )
    error = found.std(axis=0, ddof=1) / math.sqrt(len(found))
    assert np.all(np.abs(found.mean(axis=0) - truth) < 3.5 * error)


def test_sample_of_topics_is_recognised():
    runs, bronze, gold = study(topics=30)
    some = gold.select(topics=[f"q{q:02d}" for q in range(0, 30, 3)])
    result = ds.correct(runs, bronze, some, ["P@5", "AP"])
    assert phrase("linear-scores.sample-topics", 10, 30) in "\n".join(result.notes)
    assert set(result.table["method"]) == {"rectified", "per-topic"}
    truth = ds.evaluate(runs, gold, ["AP"])["AP"].mean("topic").values[0]
    rows = result.table.filter(pl.col("measure") == "AP")
    inside = (rows["low"].to_numpy() <= truth) & (truth <= rows["high"].to_numpy())
    assert inside.all()
