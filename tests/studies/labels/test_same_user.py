"""The same user again, or another."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import dissensus as ds
from dissensus.studies.labels.same_user import histogram, same_user_again


def crowd(labels: int = 6, topics: int = 12, seed: int = 1) -> ds.Judgments:
    rng = np.random.default_rng(seed)
    rows = []
    for t in range(topics):
        for d in range(20):
            taste = rng.dirichlet((2, 2, 1))
            for k in range(labels):
                rows.append((str(t), f"d{d}", f"w{k}", int(rng.choice(3, p=taste))))
    return ds.Judgments.from_frame(pl.DataFrame(rows, schema=["topic", "doc", "assessor", "grade"], orient="row"))


def test_same_user_again():
    rows = [
        ("1", f"d{i}", who, grade) for i in range(30) for who, grade in (("a", i % 2), ("a", i % 2), ("b", 1), ("b", 0))
    ]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "grade"], orient="row")
    again = same_user_again(ds.Judgments.from_frame(frame, repeated="keep"), samples=50)
    mean = {(w, g): p for w, g, p in again.group_by("who", "grade").agg(pl.col("p").mean()).rows()}
    # a always repeats herself, b never does: among all repeats of a 1, half are a's and stay
    assert mean["self", "1"] == pytest.approx(0.5, abs=0.05)
    assert mean["other", "1"] == pytest.approx(0.5, abs=0.05)
    assert same_user_again(crowd()) is None
    bins = histogram(again, bins=10)
    assert set(bins.columns) == {"who", "grade", "p", "density", "mean", "sd"}
