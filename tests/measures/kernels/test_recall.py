"""Depths that depend on the assessor: relevant documents within them, and precision from a recall level on."""

from __future__ import annotations

import numpy as np
from kernel_twins import empty, grades_of, hits, rankings

from dissensus.measures.kernels.recall import interpolated, relevant_within


def test_relevant_within_a_depth_for_every_assessor() -> None:
    joined = rankings()
    depth = np.random.default_rng(0).integers(0, 30, (len(joined.length), len(joined.assessors)))
    out = empty(joined)
    relevant_within(*hits(joined), joined.hit_rank, joined.hit_item, joined.labels, np.int8(1), depth, out)
    for s, a in np.ndindex(out.shape):
        assert out[s, a] == sum(g >= 1 for g in grades_of(joined, s, a)[: depth[s, a]])


def test_interpolated_precision() -> None:
    joined = rankings(1)
    needed = np.random.default_rng(1).integers(0, 6, (len(joined.length), len(joined.assessors)))
    out = empty(joined)
    interpolated(*hits(joined), joined.hit_rank, joined.hit_item, joined.labels, np.int8(1), needed, out)
    for s, a in np.ndindex(out.shape):
        grades = grades_of(joined, s, a)
        found = np.cumsum([g >= 1 for g in grades]).tolist()
        here = [n / k for k, n in enumerate(found, start=1) if n >= needed[s, a]]
        assert out[s, a] == max(here, default=0.0)
