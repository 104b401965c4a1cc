"""Every kernel equals the definition applied ranking by ranking."""

from __future__ import annotations

import numpy as np
import pytest
from random_collections import EVERY, random_collection

import dissensus as ds
from dissensus.measures import linear
from dissensus.measures.single import score_all


@pytest.mark.parametrize("name", EVERY)
def test_kernels_equal_the_definition(name: str) -> None:
    m = ds.measure(name)
    for seed in range(3):
        joined = random_collection(seed, assessors=4).joined
        fast = np.where(joined.in_topic[:, None], m.scores(joined), np.nan)
        np.testing.assert_allclose(fast, score_all(m, joined), atol=1e-12, err_msg=f"{name}, seed {seed}")


@pytest.mark.parametrize("name", EVERY)
def test_threads_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    m = ds.measure(name)
    joined = random_collection(7, assessors=3).joined
    alone = m.scores(joined)
    monkeypatch.setattr(linear, "SMALL", -1)
    monkeypatch.setattr(linear, "cores", lambda: 3)
    np.testing.assert_array_equal(m.scores(joined), alone)
