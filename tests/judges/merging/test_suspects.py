"""Suspects dropped, weighed, kept; repeats as evidence."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from crowds import crowd, good
from refusals import refused
from wording import phrase

from dissensus.data.tables.judgments import Judgments
from dissensus.errors import InputError
from dissensus.judges.merging.api import merge


@pytest.fixture(scope="module")
def spammed() -> tuple[Judgments, np.ndarray]:
    """Three good assessors and five that toss coins."""
    truth = np.random.default_rng(1).integers(0, 2, 500)
    return crowd(truth, [good(2, 0.97)] * 4 + [good(2, 0.5)] * 3, None, seed=2), truth


def share_right(j: Judgments, truth: np.ndarray) -> float:
    return float(np.mean([truth[int(d[1:])] == g for d, g in zip(j.doc_ids(j.item), j.grade, strict=True)]))


def test_dropping_or_weighing_coins_helps_the_vote(spammed: tuple[Judgments, np.ndarray]) -> None:
    j, truth = spammed
    kept, dropped, weighed = (merge(j, suspects=s) for s in ("keep", "drop", "weigh"))  # type: ignore[arg-type]
    assert set(dropped.suspects) == {"w4", "w5", "w6"}
    assert share_right(dropped.judgments, truth) > share_right(kept.judgments, truth) + 0.01
    assert share_right(weighed.judgments, truth) > share_right(kept.judgments, truth) + 0.01
    assert any(phrase("suspects.suspects-left-out", 3) in n for n in dropped.notes)
    assert kept.suspects == {}
    with refused(InputError, 'suspects="weigh"', by="merging.api"):
        merge(j, "em-mv", suspects="weigh")
    with refused(InputError, 'suspects="hide"'):
        merge(j, suspects="hide")  # type: ignore[arg-type]


def test_repeats_are_evidence_in_models_and_said_in_votes() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 300)
    rows = [
        (1, f"d{i:03}", f"w{k}", int(t if rng.random() < 0.7 else 1 - t))
        for i, t in enumerate(truth)
        for k in range(3)
        for _ in range(3)
    ]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "grade"], orient="row")
    all_labels, first = (Judgments.from_frame(frame, repeated=r) for r in ("keep", "first"))  # type: ignore[arg-type]
    with_repeats, without = merge(all_labels, "em-mv"), merge(first, "em-mv")
    assert share_right(with_repeats.judgments, truth) > share_right(without.judgments, truth) + 0.03
    assert any(phrase("suspects.repeated-labels-used-evidence", "1,800") in n for n in with_repeats.notes)
    vote = merge(all_labels)
    assert np.array_equal(vote.judgments.grade, merge(first).judgments.grade)
    assert any(phrase("suspects.first-label") in n for n in vote.notes)
