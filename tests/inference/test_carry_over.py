"""Carry-over: a run like the calibrated ones passes, one that fools the judge fails, a small probe cannot tell."""

from __future__ import annotations

import judged_systems as world
import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.carry_over import carry_over


@pytest.fixture(scope="module")
def calibrated() -> tuple[ds.Runs, ds.Runs, ds.Judgments, ds.Audit]:
    """Two calibrated systems, a new honest one, and one whose top documents fool the judge."""
    rng = np.random.default_rng(5)
    truth = (rng.random((30, world.DOCS)) < 0.3).astype(int)
    runs, scores = world.systems(truth, rng, (0.8, 1.0, 0.9, 3.0))
    judge = world.favouring(truth, rng, 0.95, scores["s3"])
    frame = runs.to_frame()
    old, new = (ds.Runs.from_frame(frame.filter(frame["system"].is_in(s))) for s in (["s0", "s1"], ["s2", "s3"]))
    labels = world.labels({"gold": truth, "llm": judge})
    gold = {f"t{t:02}": {f"d{d:02}": int(g) for d, g in enumerate(row)} for t, row in enumerate(truth)}
    audit = ds.Audit.from_dict(gold, inclusion={t: dict.fromkeys(docs, 1.0) for t, docs in gold.items()})
    return old, new, labels, audit


def shown_by(runs: ds.Runs, audit: ds.Audit, system: str, topics: int) -> ds.Audit:
    """The part of the audit that a system has in its top ten, on the first topics."""
    frame = (
        runs.to_frame().filter(runs.to_frame()["system"] == system).sort(["topic", "score"], descending=[False, True])
    )
    kept: dict[str, dict[str, int]] = {}
    known = {(t, d): g for t, d, _, g in audit.judgments.to_frame().rows()}
    for (topic,), part in frame.group_by("topic", maintain_order=True):
        if len(kept) < topics:
            kept[str(topic)] = {d: known[str(topic), d] for d in part["doc"].head(10)}
    return ds.Audit.from_dict(kept, inclusion={t: dict.fromkeys(docs, 1.0) for t, docs in kept.items()})


def test_outcomes(calibrated: tuple[ds.Runs, ds.Runs, ds.Judgments, ds.Audit]) -> None:
    old, new, labels, audit = calibrated
    trained = shown_by(old, audit, "s0", 30)
    results = {}
    for system in ("s2", "s3"):
        probe = shown_by(new, audit, system, 30)
        one = ds.Runs.from_frame(new.to_frame().filter(new.to_frame()["system"] == system))
        results[system] = carry_over(old, one, labels, "llm", trained, "P@10", margin=0.08, probe=probe)[0]
    assert results["s2"].outcome == "pass"
    assert results["s3"].outcome == "fail"
    assert results["s3"].residual < -0.2
    assert results["s3"].unlike > results["s2"].unlike


def test_without_or_with_a_small_probe_it_cannot_be_told(
    calibrated: tuple[ds.Runs, ds.Runs, ds.Judgments, ds.Audit],
) -> None:
    old, new, labels, audit = calibrated
    without = carry_over(old, new, labels, "llm", audit, "P@10", margin=0.05)
    assert {r.outcome for r in without} == {"cannot tell"}
    assert all(np.isnan(r.residual) for r in without)
    small = carry_over(old, new, labels, "llm", audit, "P@10", margin=0.05, probe=shown_by(new, audit, "s3", 3))
    assert {r.outcome for r in small} == {"cannot tell"}
    same = carry_over(old, old, labels, "llm", audit, "P@10", margin=0.05)
    assert {r.outcome for r in same} == {"pass"}
    assert same[0].unlike == pytest.approx(0)


def test_arguments(calibrated: tuple[ds.Runs, ds.Runs, ds.Judgments, ds.Audit]) -> None:
    old, new, labels, audit = calibrated
    with refused(InputError, "nDCG@10", "P@10"):
        carry_over(old, new, labels, "llm", audit, "nDCG@10", margin=0.05)
    with refused(InputError, "margin=0"):
        carry_over(old, new, labels, "llm", audit, "P@10", margin=0)
