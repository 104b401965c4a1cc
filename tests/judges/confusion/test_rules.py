"""The rules of a confusion matrix."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dissensus.data.tables.scale import Scale
from dissensus.errors import ConfusionError
from dissensus.judges.confusion.api import Confusion
from dissensus.judges.confusion.rules import check_counts, check_rows, shares, square


def test_rows_must_sum_to_one_and_the_message_names_the_row() -> None:
    with refused(ConfusionError, 1, "0.9"):
        Confusion([[1, 0], [0.3, 0.6]])
    with refused(ConfusionError, 0, 1, "[1.2, -0.2]"):
        Confusion([[1.2, -0.2], [0, 1]])
    with refused(ConfusionError, "(1, 2)", by="rules"):
        Confusion([[0.5, 0.5]])
    with refused(ConfusionError, "Confusion()", by="confusion.api"):
        Confusion()
    with refused(ConfusionError, "0…2", by="confusion.api"):
        Confusion([[1, 0], [0, 1]], scale=Scale.range(0, 2))


def test_noise_profiles_take_a_scale_and_refuse_nonsense() -> None:
    scale = Scale(("Non", "Rel", "HRel"))
    assert Confusion.uniform(scale, 0.1).scale == scale
    with refused(ConfusionError, 0, 1, "Confusion.uniform"):
        Confusion.uniform(3, 1.5)
    with refused(ConfusionError, 2, "Confusion.distance"):
        Confusion.distance(1, 0.1)


def test_shares_and_unknown_rows() -> None:
    counts = np.array([[3.0, 1.0], [0.0, 0.0]])
    matrix = shares(counts)
    assert matrix[0].tolist() == [0.75, 0.25]
    assert np.isnan(matrix[1]).all()
    check_rows(matrix, counts, Scale.range(0, 1))  # a row without counts is unknown, not wrong
    with refused(ConfusionError, 1, 0, by="rules.check_rows"):
        check_rows(matrix, None, Scale.range(0, 1))
    check_rows(np.array([[0.5, 0.5 + 5e-7], [0, 1]]), None, Scale.range(0, 1))  # rounding


def test_counts_and_shapes() -> None:
    for wrong in ([[1, -1], [0, 1]], [[1, np.inf], [0, 1]]):
        with refused(ConfusionError, 0, by="rules.check_counts"):
            check_counts(np.array(wrong, float), np.eye(2))
    with refused(ConfusionError, "(3, 3)"):
        check_counts(np.eye(3), np.eye(2))
    for wrong in ("text", [[1, 2]], [], [["a", "b"], ["c", "d"]]):
        with pytest.raises(ConfusionError):
            square(wrong, "matrix")
