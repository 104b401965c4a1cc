"""The stand-in is one on which measures disagree, and every seed gives one."""

from __future__ import annotations

import numpy as np
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.studies.generated.systems import generated_systems


def test_measures_differ_about_the_systems() -> None:
    made = generated_systems(48, topics=20, seed=1)
    scores = ds.evaluate(made.runs, made.judgments, ["AP", "P@10", "R@100"]).mean("topic").sel(assessor="assessor")
    taus = [ds.kendall_tau(scores["AP"].values, scores[m].values) for m in ("P@10", "R@100")]
    assert len(made.runs.systems) == 48
    assert all(0.4 < tau < 0.95 for tau in taus)
    assert 0.05 < float(scores["AP"].min()) < float(scores["AP"].max()) < 0.95


def test_equal_seeds_equal_systems() -> None:
    one, two, other = (generated_systems(5, topics=3, documents=40, depth=20, seed=s) for s in (0, 0, 1))
    assert one.runs.to_frame().equals(two.runs.to_frame())
    assert not np.array_equal(one.runs.to_frame()["score"], other.runs.to_frame()["score"])


def test_nothing_is_refused() -> None:
    with refused(InputError, "depth=0"):
        generated_systems(depth=0)
