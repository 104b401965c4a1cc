"""Arrays that nobody can write into."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import dissensus as ds
from dissensus.data.tables.frozen import freeze_arrays


def test_runs_and_judgments_cannot_be_written_into():
    runs = ds.Runs.from_dict({"s": {1: {"a": 1.0}}})
    judgments = ds.Judgments.from_dict({"ann": {1: {"a": 1}}})
    for array in (runs.score, runs.key, runs.bounds, judgments.grade, judgments.item, judgments.assessor):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@dataclass(frozen=True, eq=False)
class Holder:
    array: np.ndarray
    name: str = "x"


def test_the_array_that_was_given_stays_as_it_was() -> None:
    given = np.zeros(2)
    holder = Holder(given)
    freeze_arrays(holder)
    with pytest.raises(ValueError, match="read-only"):
        holder.array[0] = 1
    given[0] = 5
    assert holder.array.tolist() == [5, 0]  # a view, not a copy
