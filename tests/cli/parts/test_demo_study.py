"""The end of the demo: who is better by the truth, and where the study stopped."""

from __future__ import annotations

import pytest

import dissensus as ds
from dissensus.cli.parts.demo_study import PAIR, stop_sentence, true_winner
from dissensus.data.samples import generated_collection


def test_the_true_winner_has_the_higher_score_by_true_grades():
    sample = generated_collection(topics=8)
    means = ds.evaluate(sample.runs, sample.truth, ["P(rel=2)@10"])["P(rel=2)@10"].mean("topic").isel(assessor=0)
    values = {s: float(means.sel(system=s)) for s in PAIR}
    name, *_, gap = true_winner(sample, "P(rel=2)@10").split()
    assert name == max(PAIR, key=values.__getitem__)
    assert float(gap) == pytest.approx(abs(values[PAIR[0]] - values[PAIR[1]]), abs=5e-5)


@pytest.mark.parametrize(("where", "words"), [(None, "All 50"), (50, "All 50"), (12, "after 12 of 50")])
def test_where_it_stopped(where, words):
    assert words in stop_sentence(where, 50)
