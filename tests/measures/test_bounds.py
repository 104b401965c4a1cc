"""Bounds against all labellings of the unjudged documents, and condensed rankings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.engine.walks import ap_bounds


def random_case(seed: int) -> tuple[list[int | None], list[int]]:
    rng = np.random.default_rng(seed)
    ranking = [None if rng.random() < 0.5 else int(rng.integers(0, 2)) for _ in range(8)]
    extra = rng.integers(0, 2, size=rng.integers(0, 4)).tolist()
    return ranking, [g for g in ranking if g is not None] + extra


def collection_of(ranking: list[int | None], pool: list[int], scale: str = "0..1") -> ds.Collection:
    run = {f"d{i}": float(-i) for i in range(len(ranking))}
    grades: dict[str, int] = {f"d{i}": g for i, g in enumerate(ranking) if g is not None}
    rest = list(pool)
    for g in grades.values():
        rest.remove(g)
    grades |= {f"x{i}": g for i, g in enumerate(rest)}
    if not grades:
        grades = {"x": 0}
    return ds.Collection(
        ds.Runs.from_dict({"s": {"q": run}}), ds.Judgments.from_dict({"j": {"q": grades}}, scale=scale)
    )


@pytest.mark.parametrize("name", ["AP", "AP@4", "P@5", "RBP(p=0.8)", "DCG@6", "SetP"])
def test_bounds_are_reached_and_never_passed(name: str) -> None:
    m = ds.measure(name)
    for seed in range(40):
        ranking, pool = random_case(seed)
        free = [i for i, g in enumerate(ranking) if g is None]
        scores = []
        for labels in itertools.product((0, 1), repeat=len(free)):
            filled = list(ranking)
            for i, g in zip(free, labels, strict=True):
                filled[i] = g
            scores.append(m.score(filled, [*pool, *labels]))
        result = collection_of(ranking, pool).evaluate([name], unjudged="bounds")
        known = [s for s in scores if not np.isnan(s)]
        if not known:
            continue
        assert result[f"{m}.low"].item() == pytest.approx(min(known), abs=1e-12), seed
        assert result[f"{m}.high"].item() == pytest.approx(max(known), abs=1e-12), seed


def test_rbps_bounds_are_its_residual() -> None:
    result = collection_of([1, None, 0, None], [1, 0]).evaluate(["RBP(p=0.5)"], unjudged="bounds")
    assert result["RBP(p=0.5).low"].item() == 0.5
    assert result["RBP(p=0.5).high"].item() == 0.5 + 0.25 + 0.0625


def test_other_measures_have_scenarios_not_bounds() -> None:
    result = collection_of([1, None, 0], [1, 0, 1]).evaluate(["nDCG"], unjudged="bounds")
    assert list(result.data_vars) == ["nDCG", "nDCG.unjudged_bottom", "nDCG.unjudged_top"]
    assert result["nDCG.unjudged_top"].item() == pytest.approx(ds.measure("nDCG").score([1, 1, 0], [1, 0, 1, 1]))
    assert result["nDCG.unjudged_bottom"].item() == pytest.approx(ds.measure("nDCG").score([1, 0, 0], [1, 0, 1, 0]))


def test_policies_that_cannot_be_combined_say_so() -> None:
    collection = collection_of([1, 0], [1, 0])
    for unjudged in ("condense", "bounds"):
        with refused(ds.DissensusError, 'ties="expected"'):
            collection.evaluate(["AP"], ties="expected", unjudged=unjudged)


def average_precision(grades: list[int], relevant: int, cutoff: int) -> float:
    ranks = [k for k, g in enumerate(grades[:cutoff], start=1) if g >= 2]
    return sum((i + 1) / k for i, k in enumerate(ranks)) / relevant


@pytest.mark.parametrize("cutoff", [3, 100])
def test_no_labelling_leaves_the_bounds_and_two_reach_them(cutoff: int) -> None:
    rng = np.random.default_rng(cutoff)
    for _ in range(30):
        grades = rng.choice([-128, -1, 0, 1, 2, 3], 8)
        missed = int(rng.integers(0, 3))  # relevant documents that were not retrieved
        free = np.flatnonzero(grades < 0)
        relevant = int((grades >= 2).sum()) + missed
        scores = []
        for labels in itertools.product((0, 2), repeat=len(free)):
            filled = grades.copy()
            filled[free] = labels
            total = int((filled >= 2).sum()) + missed
            if total:
                scores.append(average_precision(filled.tolist(), total, cutoff))
        low, high = ap_bounds(grades.astype(np.int8), relevant, 2, cutoff)
        if scores:
            assert (low, high) == pytest.approx((min(scores), max(scores)), abs=1e-12)
        else:
            assert np.isnan(low)
