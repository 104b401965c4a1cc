"""A crowd with a known truth: assessors err as their sort says."""

from __future__ import annotations

import numpy as np
import pytest

import dissensus as ds
from dissensus.studies.generated.crowd import SORTS, generated_crowd


def grades(judgments, names):
    return {n: judgments.select(assessors=[n]).to_frame().sort("topic", "doc")["grade"].to_numpy() for n in names}


def test_assessors_are_as_good_as_their_sort():
    made = generated_crowd(3, topics=6, documents=300, systems=2, relevant=0.2)
    names = made.judgments.assessors
    assert len(names) == 12
    truth = grades(made.truth, ["gold"])["gold"]
    for name, given in grades(made.judgments, names).items():
        _, skill, habit = SORTS[name.rstrip("0123456789")]
        assert given[truth == 0].mean() == pytest.approx((1 - skill) * habit, abs=0.08)
        assert given[truth == 1].mean() == pytest.approx(skill + (1 - skill) * habit, abs=0.12)


def test_shared_errors_make_assessors_alike():
    together, apart = (generated_crowd(1, topics=4, documents=200, systems=2, shared=s) for s in (1.0, 0.0))
    correlation = []
    for made in (together, apart):
        truth = grades(made.truth, ["gold"])["gold"]
        given = grades(made.judgments, ["coin1", "coin2"])
        wrong = [given[n][truth == 0] for n in ("coin1", "coin2")]
        correlation.append(np.corrcoef(*wrong)[0, 1])
    assert correlation[0] > 0.5 > 0.2 > abs(correlation[1])


def test_strong_systems_are_better_than_weak_ones_and_one_seed_gives_one_crowd():
    first, again = (generated_crowd(2, topics=4, documents=120, systems=4) for _ in range(2))
    means = {kind: float(ds.evaluate(runs, first.truth, ["AP"])["AP"].mean()) for kind, runs in first.systems.items()}
    assert means["strong"] > means["weak"] + 0.1
    assert first.judgments.to_frame().equals(again.judgments.to_frame())
    assert first.systems["weak"].to_frame().equals(again.systems["weak"].to_frame())
