"""Discrimination, position bias and agreement of judges of pairs."""

from __future__ import annotations

import pytest
from preference_rows import ROWS, simulated

import dissensus as ds


def test_discrimination_and_position_bias_are_found() -> None:
    found = ds.preferences(simulated(3, 150, {"sharp": (2.0, 0.0), "dull": (0.5, 0.8)}))
    assert found.items == "shared"
    gamma = dict(found.judges.rows())
    assert gamma["sharp"] / gamma["dull"] == pytest.approx(4.0, rel=0.35)
    assert gamma["sharp"] * gamma["dull"] == pytest.approx(1.0)
    place = {row["assessor"]: row for row in found.position.rows(named=True)}
    assert place["sharp"]["low"] < 0.5 < place["sharp"]["high"]
    assert place["dull"]["low"] > 0.5
    assert found.strengths["item"].to_list() == ["s0", "s1", "s2", "s3"]
    assert found.strengths["rank_low"].to_list()[0] == 1
    assert "Preferences" in str(found)


def test_agreement_by_hand() -> None:
    row = ds.preferences(ds.Preferences.from_rows(ROWS), items="topic").agreement.row(0, named=True)
    assert (row["assessor"], row["other"], row["n"], row["agreement"]) == ("ann", "bob", 1, 0.0)
