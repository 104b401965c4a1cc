"""The number of labels that is named finds a difference as often as was asked for."""

from __future__ import annotations

import pytest
from wording import phrase

from dissensus.studies.audits.labels_needed import power_table


def test_the_power_found_is_the_power_asked_for():
    """200 repetitions: Monte Carlo error .03."""
    [row] = power_table(200, 4, questions=((30, 0.15, 0.8),), executor=1).to_dicts()
    assert row["power"] == pytest.approx(0.8, abs=0.05)
    assert row["labels"] > 50
    assert row[phrase("labels-needed.no-audit-settle")] == 0


def test_a_difference_that_topics_hide_is_named_as_such():
    [row] = power_table(2, 0, questions=((10, 0.01, 0.8),), executor=1).to_dicts()
    assert row[phrase("labels-needed.no-audit-settle")] == 1
