"""The normal approximation: exact where nothing varies, close where many documents do."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.engine.normal_ranks import _window, normal_score, normal_scores

P3 = np.concatenate(([0.0, 1 / 3, 2 / 3], np.ones(98)))  # cumulative weights of P@3


def test_a_window_lies_within_six_deviations_and_within_what_is_possible():
    assert _window(10.2, 1e-12, 50) == (10, 10)
    assert _window(10.0, 4.0, 50) == (0, 22)
    assert _window(10.0, 1.0, 12) == (4, 12)
    assert _window(-3.0, 0.01, 5) == (0, 0)


def test_a_judge_without_errors_puts_the_relevant_first():
    got = normal_score(np.array([40, 2]), np.eye(2), P3, np.array([0.0, 1.0]))
    assert got == pytest.approx(2 / 3, abs=1e-12)


def test_labels_that_say_nothing_give_the_random_ranking():
    got = normal_score(np.array([80, 20]), np.array([[0.0, 1.0], [0.0, 1.0]]), P3, np.array([0.0, 1.0]))
    assert got == pytest.approx(0.2, abs=1e-12)


def test_a_range_of_topics_is_filled_and_no_other():
    counts, values = np.array([[40, 2], [10, 5], [3, 3]]), np.tile([0.0, 1.0], (3, 1))
    out = np.full(3, -1.0)
    normal_scores(counts, np.eye(2)[None], np.zeros(3, np.int64), np.tile(P3, (3, 1)), values, 1, 3, out)
    assert out == pytest.approx([-1.0, 1.0, 1.0])
