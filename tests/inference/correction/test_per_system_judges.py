"""Systems that were judged by different judges."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from audited_study import study
from refusals import refused, stated
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError


def counts(se, sp, n_relevant=200, n_other=200):
    hit, passed = round(se * n_relevant), round(sp * n_other)
    return ds.Confusion(None, counts=[[passed, n_other - passed], [n_relevant - hit, hit]])


# ── judges of their own ──────────────────────────────────────────────────────────────────────────────────────────────
def two_judges():
    """Runs of two systems with documents in common, and the labels of two judges who judged everything."""
    runs, ann, _ = study(topics=20, systems=("A", "B"))
    _, ben, _ = study(topics=20, systems=("A", "B"), se=0.6, sp=0.95)
    both = pl.concat([j.to_frame().with_columns(assessor=pl.lit(n)) for n, j in (("ann", ann), ("ben", ben))])
    return runs, ds.Judgments.from_frame(both, scale="0..1")


def test_each_system_is_scored_by_its_own_judge():
    runs, both = two_judges()
    own = {"A": counts(0.85, 0.8), "B": counts(0.6, 0.95)}
    result = ds.correct(runs, both, own, ["P@5", "DCG@10"], assessor={"A": "ann", "B": "ben"})
    scores = ds.evaluate(runs, both, ["P@5", "DCG@10"])
    for name in scores:
        naive = result.table.filter(pl.col("measure") == name)["naive"].to_numpy()
        expected = [float(scores[name].sel(assessor=j, system=s).mean()) for s, j in (("A", "ann"), ("B", "ben"))]
        np.testing.assert_allclose(naive, expected)
    swapped = ds.correct(runs, both, own, "P@5", assessor={"A": "ann", "B": "ann"})
    plain = ds.correct(runs, both, own, "P@5", assessor="ann")
    np.testing.assert_allclose(swapped.covariance["P@5"], plain.covariance["P@5"])
    assert stated(result.notes, "A", "ann", "B", "ben")


def test_topics_that_one_judge_left_out():
    runs, both = two_judges()
    rows = (pl.col("assessor") == "ben") & (pl.col("topic") == "q03")
    fewer = ds.Judgments.from_frame(both.to_frame().filter(~rows), scale="0..1")
    own = dict.fromkeys("AB", counts(0.85, 0.8))
    result = ds.correct(runs, fewer, own, "P@5", assessor={"A": "ann", "B": "ben"})
    assert len(result.topics) == 19
    assert any(phrase("per-system-judges.topics-some-judges-judged", 1) in n for n in result.notes)


@pytest.mark.parametrize(
    ("given", "known", "measure", "values"),
    [
        ({"A": "ann"}, "each", "P@5", ("B", "A")),
        ({"A": "ann", "B": "ben", "X": "ben"}, "each", "P@5", ("X", "A", "B")),
        ({"A": "ann", "B": "eve"}, "each", "P@5", ("eve", "ann", "ben")),
        ({"A": "ann", "B": "ben"}, "one", "P@5", ()),
        ({"A": "ann", "B": "ben"}, "each", "nDCG@5", ("nDCG@5",)),
    ],
)
def test_wrong_assessors(given, known, measure, values):
    runs, both = two_judges()
    one = counts(0.85, 0.8)
    with refused(InputError, *values, by="correction"):
        ds.correct(runs, both, one if known == "one" else {"A": one, "B": one}, measure, assessor=given)
