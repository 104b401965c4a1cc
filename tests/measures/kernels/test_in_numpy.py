"""The steps of a kernel as arrays, against its loops."""

from __future__ import annotations

import numpy as np

from dissensus.measures.kernels.in_numpy import add_up, walked


def test_the_steps_of_rankings_and_their_sums() -> None:
    rng = np.random.default_rng(0)
    first = np.array([0, 4, 4, 9])
    last = np.array([3, 4, 8, 12])  # one ranking without hits, some cut off before the next begins
    steps = [(s, h) for s in range(1, 4) for h in range(first[s], last[s])]
    segment, hit = walked(1, 4, first, last)
    assert list(zip(segment.tolist(), hit.tolist(), strict=True)) == steps
    for assessors in (2, 9):  # one assessor at a time, and one step at a time
        values, out = rng.random((len(steps), assessors)), np.ones((4, assessors))
        add_up(segment, values.__getitem__, out)
        slow = np.ones((4, assessors))
        for (s, _), value in zip(steps, values, strict=True):
            slow[s] += value
        np.testing.assert_allclose(out, slow, atol=1e-14)
