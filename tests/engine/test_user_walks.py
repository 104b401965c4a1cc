"""C/W/L users step by step: w₁ = 1, w_{r+1} = w_r·C(r), the score Σ w·v / Σ w over 60 ranks."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_twins import empty, hits, listed, rankings, twin

from dissensus.engine.user_walks import bpm_scores, inst_scores, normalised_cascade

DEPTH = 60
GAIN = {1: 1 / 3, 2: 2 / 3, 3: 1.0}


def by_label(values: dict[int, float], kind: type = float) -> np.ndarray:
    table = np.zeros(256, kind)
    for grade, value in values.items():
        table[grade + 128] = value
    return table


def padded(grades: list[int]) -> list[float]:
    return [GAIN.get(g, 0.0) for g in grades] + [0.0] * (DEPTH - len(grades))


def test_normalised_cascade() -> None:
    joined = rankings()

    def slow(grades: list[int], pool: list[int]) -> float:
        w, read, gained = 1.0, 0.0, 0.0
        for v in padded(grades):
            read, gained = read + w, gained + w * v
            w *= 0.9 * (1 - v)
        return gained / read

    running = np.concatenate([[0.0], np.cumsum(0.9 ** np.arange(DEPTH))])
    out = empty(joined)
    start, who = listed(joined, 1)
    normalised_cascade(
        *hits(joined), joined.hit_rank, joined.hit_item, start, who, joined.labels, by_label(GAIN), running,
        float(running[-1]), out,
    )  # fmt: skip
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-12)


def test_bpm_scores() -> None:
    joined = rankings(1)

    def slow(grades: list[int], pool: list[int]) -> float:
        gained = 0.0
        for read, v in enumerate(padded(grades), start=1):
            gained += v
            if gained >= 1.2 or read == DEPTH:
                return gained / read
        raise AssertionError

    out = empty(joined)
    start, who = listed(joined, 1)
    bpm_scores(
        *hits(joined), joined.hit_rank, joined.hit_item, start, who, joined.labels, by_label(GAIN), 1.2, DEPTH, out
    )
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-12)


@pytest.mark.parametrize("wanted", [1.0, 2.5])
def test_inst_scores(wanted: float) -> None:
    from scipy.special import zeta

    joined = rankings(2)

    def slow(grades: list[int], pool: list[int]) -> float:
        w, read, gained, c = 1.0, 0.0, 0.0, 2 * wanted
        for r, v in enumerate(padded(grades), start=1):
            read, gained = read + w, gained + w * v
            c -= v
            w *= ((r + c - 1) / (r + c)) ** 2
        return gained / read

    steps = by_label({1: 1, 2: 2, 3: 3}, np.int64)
    tail = zeta(2.0, 2 * wanted + np.arange(DEPTH * 3 + 1) / 3)
    out = empty(joined)
    start, who = listed(joined, 1)
    inst_scores(
        *hits(joined), joined.hit_rank, joined.hit_item, start, who, joined.labels, steps, 3, wanted, tail, DEPTH, out
    )
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-11)
