from __future__ import annotations

import polars as pl
import pytest
from refusals import refused, warned
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError, ReliabilityWarning
from dissensus.tables.drawn_order import drawn_order

ORDER = pl.DataFrame(
    {
        "topic": ["q", "q", "q", "q"],
        "doc": ["x", "y", "z", "w"],
        "grade": ["1", "0", None, "1"],
        "draw": [1, 2, 3, 4],
        "rate": [2.0, 1.0, 1.0, 0.5],
        "next_key": [0.3, 0.7, 0.9, float("inf")],
    }
)


def test_only_the_completed_prefix_is_an_audit_and_its_probabilities_follow_from_the_next_key():
    audit = ds.Audit.from_frame(ORDER)
    assert len(audit) == 2
    assert audit.inclusion.tolist() == pytest.approx([0.753403, 0.503415], abs=1e-6)
    assert audit.order.waiting == 1
    assert any(phrase("drawn-order.not-count") in note for note in audit.notes)


def test_a_table_without_draws_is_an_ordinary_audit():
    assert drawn_order(ORDER.drop("draw"), "the frame") is None
    with warned(ReliabilityWarning):
        audit = ds.Audit.from_frame(ORDER.drop("draw", "rate", "next_key"))
    assert audit.order is None


@pytest.mark.parametrize(
    ("change", "values"),
    [
        ({"draw": [1, 2, 2, 4]}, (2, 3)),
        ({"draw": [0, 1, 2, 3]}, (1,)),
        ({"draw": [2, 1, 3, 4]}, ("next_key", "0.3")),
        ({"rate": [1.0, 0.0, 1.0, 1.0]}, (2, 0)),
        ({"rate": ["1", "two", "1", "1"]}, ("two",)),
    ],
)
def test_an_order_that_was_changed_is_refused(change, values):
    with refused(InputError, *values):
        ds.Audit.from_frame(ORDER.with_columns(**{k: pl.Series(v) for k, v in change.items()}))


def test_an_order_without_a_first_label_is_no_audit_yet():
    with refused(InputError):
        ds.Audit.from_frame(ORDER.with_columns(grade=pl.Series([None, "1", "1", "1"])))
