"""Several contrasts along one order."""

from __future__ import annotations

import polars as pl
from followed_sample import difference, played

from dissensus.inference.sequential.result import Verdicts


def test_several_pairs_are_decided_by_holm_and_name_the_right_winners():
    systems = ("crossenc", "colbert", "llm-rewrite")
    followed = played(systems=systems)
    verdict = followed.verdict
    assert isinstance(verdict, Verdicts)
    assert verdict.open == 0
    for v in verdict.each:
        assert difference(v.winner, v.loser) > 0
    table = followed.table
    assert table["labels"].max() == followed.decided_at
    assert table.filter(pl.col("labels") == followed.decided_at).height == 3
    assert followed.forecast == followed.decided_at
