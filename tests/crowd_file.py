"""A file of labels by four assessors and gold, one of whom tosses a coin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest


@pytest.fixture(scope="module", name="labels")
def crowd_labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four assessors and gold on 12 topics of 15 documents; w3 tosses a coin."""
    rng = np.random.default_rng(1)
    rows = []
    for topic in range(12):
        for doc in range(15):
            truth = int(rng.integers(0, 3))
            rows.append((topic, f"d{doc}", "gold", truth))
            for k, skill in enumerate((0.9, 0.85, 0.8, 0.0)):
                rows.append((topic, f"d{doc}", f"w{k}", truth if rng.random() < skill else int(rng.integers(0, 3))))
    path = tmp_path_factory.mktemp("agree") / "labels.csv"
    pl.DataFrame(rows, schema=["topic", "doc", "assessor", "grade"], orient="row").write_csv(path)
    return path
