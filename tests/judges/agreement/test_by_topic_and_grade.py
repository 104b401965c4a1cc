"""Agreement topic by topic and grade by grade."""

from __future__ import annotations

import numpy as np
import pytest
from label_matrices import from_matrix

from dissensus.judges.agreement.api import agreement


def test_per_topic_and_per_grade() -> None:
    matrix = np.array([[0, 0], [1, 0], [1, 1], [2, 2]])
    a = agreement(from_matrix(matrix, "0..2", topics=2), resamples=99)
    assert a.per_topic["percent"].to_list() == [1.0, 0.5]
    assert a.per_grade["agreement"].to_list() == pytest.approx([2 / 3, 2 / 3, 1.0])
