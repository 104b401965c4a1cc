"""What labels are worth before the audit."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.inference.correction.prior import Prior

BINARY = Prior.of(np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0]))


def test_four_labels_worth_of_belief() -> None:
    total, count, labels = np.array([0.0, 30.0, 0.0]), np.array([20.0, 40.0, 0.0]), np.array([2, 4, 0])
    assert BINARY.means(total, count, labels) == pytest.approx([0.4 / 6, (3.6 + 4 * 0.75) / 8, 0.5])
    assert BINARY.squares(total, count, labels) == pytest.approx([4 * 0.09 / 6, (0.36 + 4 * 0.75) / 8, 0.25])


def test_graded_values_and_their_range() -> None:
    graded = Prior.of(np.array([0.0, 1.0, 3.0, 0.0]), np.array([0.0, 1.0, 3.0]))
    assert graded.mean == pytest.approx([0.3, 3 * (0.1 + 0.8 / 3), 2.7, 1.5])
    assert graded.square[0] == pytest.approx(9 * 0.09)


def test_one_label_says_nothing() -> None:
    assert Prior.of(np.array([0.0, 0.0]), np.array([0.0, 1.0])).mean == pytest.approx([0.5, 0.5])
