"""TBG and U: METHODS' values by hand, and lengths that must be given."""

from __future__ import annotations

import pytest

import dissensus as ds
from dissensus.errors import MeasureError


@pytest.mark.parametrize("name", ["TBG", "U"])
def test_lengths_are_needed(name: str) -> None:
    runs = {"s": {"1": {"a": 1.0}}}
    labels = ds.Judgments.from_dict({"ann": {"1": {"a": 1}}}, scale="0..3")
    with pytest.raises(MeasureError, match="length"):
        ds.evaluate(runs, labels, [name])
