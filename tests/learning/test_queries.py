"""Documents of queries: groups, pairs, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dissensus.errors import InputError
from dissensus.learning.queries import as_matrix, as_queries


def test_groups_and_pairs() -> None:
    data = as_queries(np.eye(5), [0, 1, 1, 2, 2], [3, 2])
    assert data.group.tolist() == [3, 2]
    assert data.query.tolist() == [0, 0, 0, 1, 1]
    assert data.pairs() if callable(data.pairs) else data.pairs
    assert data.graded
    assert not as_queries(np.eye(2), [0.5, 1], [2]).graded


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ((np.eye(2), ["a", "b"], [2]), ("y", "'a'")),
        ((np.eye(2), [0, -1], [2]), ("y[1]", -1)),
        ((np.eye(2), [0, 1], ["x"]), ("group",)),
    ],
)
def test_what_is_refused(given: tuple[object, ...], values: tuple[object, ...]) -> None:
    with refused(InputError, *values):
        as_queries(*given)


def test_a_matrix_of_the_right_width() -> None:
    assert as_matrix([[1, 2]], 2).dtype == np.float64
    with refused(InputError, 3, 2):
        as_matrix([[1, 2]], 3)
