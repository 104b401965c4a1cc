"""Copies are named, and judges on different scales are refused by every verb that compares judges."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import ScaleError
from dissensus.inference.multiverse.api import multiverse
from dissensus.tables.copies import copied_assessors, copied_systems, copy_notes
from dissensus.tables.other_scales import check_one_scale, grade_counts, other_scale

TOPICS, DOCS = 12, 20


def labels(**judges: np.ndarray) -> ds.Judgments:
    rows = [(str(i // DOCS), f"d{i}", who, str(g)) for who, grades in judges.items() for i, g in enumerate(grades)]
    return ds.Judgments.from_frame(pl.DataFrame(rows, schema=["topic", "doc", "assessor", "grade"], orient="row"))


@pytest.fixture(scope="module")
def truth() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 4, TOPICS * DOCS)


def erring(truth: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(truth)) < 0.7, truth, rng.integers(0, 4, len(truth)))


def runs() -> ds.Runs:
    rng = np.random.default_rng(1)
    return ds.Runs.from_dict(
        {
            s: {str(t): {f"d{t * DOCS + d}": float(rng.random()) for d in range(DOCS)} for t in range(TOPICS)}
            for s in "xyz"
        }
    )


@pytest.mark.parametrize(
    ("name", "grades"),
    [
        ("binary", lambda g: (g >= 2).astype(int)),
        ("shifted", lambda g: g + 1),
        ("percent", lambda g: g * 3),
    ],
)
def test_another_scale_is_an_error_in_every_verb_that_compares_judges(truth, name, grades) -> None:
    both = labels(ann=truth, bob=erring(truth, 1), **{name: grades(erring(truth, 2))})
    for verb in (
        lambda: ds.evaluate(runs(), both, "nDCG@5"),
        lambda: ds.agreement(both),
        lambda: ds.merge(both),
        lambda: ds.aware(runs(), both, "AP", replicates=20),
        lambda: multiverse(runs(), both, "nDCG@5", replicates=20),
    ):
        with refused(ScaleError, name):
            verb()
    assert ds.evaluate(runs(), both.select(assessors=[name]), "nDCG@5").sizes["assessor"] == 1


def test_a_declared_scale_is_believed(truth) -> None:
    both = labels(ann=truth, binary=(truth >= 2).astype(int))
    declared = both.with_grades(both.grade, ds.Scale.range(0, 3))
    check_one_scale(declared)
    with refused(ScaleError, "binary", "ann"):
        check_one_scale(both)


def test_strict_lazy_and_rare_judges_are_on_the_same_scale(truth) -> None:
    """Never the top grade, one grade for everything, twenty labels: strict, lazy, rare, but no other scale."""
    check_one_scale(labels(ann=truth, strict=np.minimum(truth, 2), lazy=np.zeros_like(truth)))
    check_one_scale(labels(ann=truth, rare=(truth[:40] >= 2).astype(int)))
    assert other_scale(grade_counts(labels(ann=truth, map=np.where(truth >= 2, 2, 0)))) is None  # 1 mapped to 2


def test_copies_of_judges_are_named_and_twins_by_chance_are_not(truth) -> None:
    both = labels(ann=truth, bob=erring(truth, 1), cyd=truth)
    assert copied_assessors(both) == (("ann", "cyd"),)
    assert copied_assessors(labels(ann=truth[:15], bob=truth[:15])) == ()
    rare = np.zeros(200, int)
    rare[0] = 1
    assert copied_assessors(labels(ann=rare, bob=rare)) == ()  # all but one are 0: that may be chance
    (said,) = copy_notes(both)
    assert {"ann", "cyd"} <= set(said.split())
    assert said in ds.agreement(both).notes
    assert said in ds.merge(both).notes
    found = [f for f in ds.check(judgments=both).findings if phrase("copies.same-grades") in f.what]
    assert len(found) == 1


def test_copies_of_systems_are_named(truth) -> None:
    frame = runs().to_frame()
    three = ds.Runs.from_frame(pl.concat([frame, frame.filter(system="x").with_columns(system=pl.lit("x2"))]))
    assert copied_systems(runs()) == ()
    assert copied_systems(three) == (("x", "x2"),)
    judge = labels(llm=erring(truth, 3))
    gold = labels(expert=truth)
    made = ds.correct(three, judge, gold, ["P(rel=2)@5"])
    assert any("x and x2" in str(f) for f in made.diagnosis["audit"])
