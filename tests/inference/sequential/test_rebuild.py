"""An order read back from its beginning."""

from __future__ import annotations

import polars as pl
import pytest
from followed_sample import MEASURE, PAIR, sample
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError


def test_the_beginning_of_an_order_for_all_systems_serves_a_pair():
    runs, llm, truth = sample()
    frame = ds.plan(runs, llm, measure=MEASURE, order=True, seed=2).sample
    grades = pl.Series([truth[t, d] for t, d in frame.select("topic", "doc").iter_rows()])
    whole = frame.with_columns(grade=pl.when(pl.col("draw") <= 60).then(grades))
    tables = [ds.sequential(runs, llm, f, MEASURE, systems=PAIR).table for f in (whole, whole.head(60))]
    assert tables[0]["low"].to_list() == pytest.approx(tables[1]["low"].to_list(), abs=1e-9)
    with refused(InputError, by="rebuild"):
        ds.sequential(runs, llm, whole.head(60).with_columns(pl.col("rate") * 2), MEASURE, systems=PAIR)
