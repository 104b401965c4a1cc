"""Self-consistency: what an assessor says of a document the second time."""

from __future__ import annotations

import pytest
from wording import phrase

from dissensus.judging.agreement.api import agreement
from dissensus.tables.judgments import Judgments


def test_repeats_enter_self_consistency_only() -> None:
    import polars as pl

    rows = [(1, "x", "a", 2), (1, "x", "a", 2), (1, "x", "b", 1), (1, "y", "a", 1), (1, "y", "a", 0), (1, "y", "b", 1)]
    rows += [(1, "z", "a", 0), (1, "z", "b", 0)]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "grade"], orient="row")
    j = Judgments.from_frame(frame, repeated="keep")
    a = agreement(j, replicates=99)
    assert a.percent == pytest.approx(2 / 3)
    assert a.self_consistency is not None
    assert float(a.self_consistency) == pytest.approx(0.5)
    assert a.self_consistency.n_documents == 2
    # x: a says 2,2 against b's 1; y: a says 1,0 against b's 1: one of four pairs agrees
    assert float(a.self_consistency.other) == pytest.approx(1 / 4)
    assert phrase("consistency.repeated-labels", 2) in str(a)
