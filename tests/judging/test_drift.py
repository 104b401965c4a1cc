"""Drift: flips by hand, symmetry with topics, change against gold, swapped systems."""

from __future__ import annotations

import json

import judged_systems as world
import numpy as np
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.judging.drift import drift, symmetry


def judged(seed: int, new_accuracy: float = 0.85, kind: str = "fair") -> tuple[ds.Runs, ds.Judgments]:
    rng = np.random.default_rng(seed)
    truth = (rng.random((20, world.DOCS)) < 0.35).astype(int)
    runs, scores = world.systems(truth, rng, (0.6, 0.9, 1.3, 1.8))
    said = {"gold": truth, "v1": world.with_errors(truth, rng, 0.85), "v2": world.with_errors(truth, rng, new_accuracy)}
    if kind == "partial":
        said["v2"] = world.favouring(truth, rng, 0.95, scores["s3"])
    return runs, world.labels(said)


def test_by_hand() -> None:
    j = ds.Judgments.from_dict(
        {
            "v1": {1: {"a": 0, "b": 1, "c": 1}, 2: {"a": 0, "b": 2}},
            "v2": {1: {"a": 1, "b": 1, "c": 0}, 2: {"a": 1, "b": 2}},
        },
        scale="0..2",
    )
    result = drift(j, "v1", "v2")
    assert result.changed == pytest.approx(3 / 5)
    assert result.upward == pytest.approx(2 / 3)
    assert result.flips.rows() == [("0", "1", 2, 0.4), ("1", "0", 1, 0.2)]
    assert result.n_topics == 2
    assert result.against_gold is None
    assert json.loads(result.to_json())["changed"] == pytest.approx(0.6)


def test_symmetry_keeps_its_size_where_topics_move_together() -> None:
    rng = np.random.default_rng(1)
    topic = np.repeat(np.arange(15), 30)
    rejected = naive = 0
    for _ in range(80):
        old = rng.integers(0, 2, 450)
        up = rng.random(15) < 0.5  # each topic moves one way
        move = rng.random(450) < 0.2
        new = np.where(move, up[topic].astype(int), old)
        rejected += symmetry(old, new, topic, 2, 0) < 0.05
        b, c = int(((old == 0) & (new == 1)).sum()), int(((old == 1) & (new == 0)).sum())
        naive += (b - c) ** 2 / max(b + c, 1) > 3.84
    assert rejected <= 10
    assert naive >= 20  # McNemar as if documents were independent


def test_a_better_version_is_seen_against_gold() -> None:
    _, j = judged(2, 0.97)
    result = drift(j, "v1", "v2", gold="gold")
    assert result.against_gold is not None
    row = result.against_gold.filter(result.against_gold["what"] == "κ with gold").row(0, named=True)
    assert row["low"] > 0
    assert any(phrase("drift.kappa-gold-rose") in s for s in result.sentences())


def test_swapped_systems() -> None:
    runs, j = judged(3, kind="partial")
    result = drift(j, "v1", "v2", gold="gold", runs=runs, measure="P@10")
    assert result.swapped is not None
    assert result.n_pairs == 6
    assert "s3" in set(result.swapped["better_new"])
    same = drift(judged(3)[1], "v1", "v2", runs=runs, measure="P@10")
    assert same.swapped is not None
    assert same.swapped.height < result.swapped.height


def test_names_are_checked() -> None:
    _, j = judged(4)
    with refused(InputError, "new='v3'"):
        drift(j, "v1", "v3")
    with refused(InputError):
        drift(j, "v1", "v1")
