"""Weights are reliable only where p rises with the grade."""

from __future__ import annotations

import numpy as np
import pytest
from wording import phrase

import dissensus as ds


def judged(signal: float, seed: int = 0) -> ds.Judgments:
    """Two users on 40 topics of 20 documents, three grades; with `signal` 0 they grade at random."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, (40, 20))
    content = {}
    for user in ("u", "v"):
        said = np.where(rng.random(truth.shape) < signal, truth, rng.integers(0, 3, truth.shape))
        content[user] = {t: {d: int(said[t, d]) for d in range(20)} for t in range(40)}
    return ds.Judgments.from_dict(content, scale="0..2")


def test_random_grades_are_not_reliable_however_many() -> None:
    flat = ds.disagreement(judged(0.0))
    assert min(flat.count.values()) > 200
    assert set(flat.unreliable) >= {1}
    table = flat.to_frame()
    assert not table.filter(table["grade"] == "1")["reliable"].item()
    assert phrase("model.not-shown-exceed") in str(flat)


def test_shared_grades_are_reliable() -> None:
    model = ds.disagreement(judged(0.7))
    assert model.rise[2][1] > 0
    assert 2 not in model.unreliable
    assert model.rise[2][0] == pytest.approx(model.p[2] - model.p[0])


def test_rise_covers() -> None:
    """95 % intervals of the rise hold 0 where grades are random."""
    hits = sum(low <= 0 <= high for s in range(60) for _, low, high in [ds.disagreement(judged(0.0, s)).rise[2]])
    assert hits >= 53


def test_labels_without_order_go_by_count() -> None:
    names = {w: {1: {d: "cat" if d % 2 else "dog" for d in range(120)}} for w in ("a", "b")}
    model = ds.disagreement(ds.Judgments.from_dict(names), top="cat")
    assert model.rise == {}
    assert model.unreliable == ()
