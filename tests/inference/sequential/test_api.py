from __future__ import annotations

import polars as pl
import pytest
from followed_sample import MEASURE, PAIR, sample
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError


def test_a_file_of_the_order_gives_what_the_incremental_form_gives(tmp_path):
    runs, llm, truth = sample()
    plan = ds.plan(runs, llm, measures=MEASURE, systems=PAIR, order=True, seed=9)
    frame = plan.sample
    assert frame["draw"].to_list() == list(range(1, frame.height + 1))
    graded = [truth[t, d] if i < 40 else None for i, (t, d) in enumerate(frame.select("topic", "doc").iter_rows())]
    whole = frame.with_columns(grade=pl.Series(graded))
    whole.write_csv(tmp_path / "order.csv")
    followed = ds.Sequential(runs, llm, MEASURE, systems=PAIR, order=frame)
    for t, d in followed.next(40):
        followed.add(t, d, truth[t, d])
    read = ds.sequential(runs, llm, ds.read_audit(tmp_path / "order.csv"), MEASURE, systems=PAIR)
    start = ds.sequential(runs, llm, whole.head(40).sample(fraction=1, shuffle=True, seed=1), MEASURE, systems=PAIR)
    for result in (read, start):
        for column in ("estimate", "low", "high"):
            assert result.table[column].to_list() == pytest.approx(followed.table[column].to_list(), abs=1e-9)
    assert read.closing.estimate == pytest.approx(followed.closing().estimate)


def test_what_cannot_be_followed_is_refused_with_the_way_out():
    runs, llm, truth = sample()
    with refused(InputError, "nDCG@10"):
        ds.Sequential(runs, llm, "nDCG@10", systems=PAIR)
    gold = ds.Judgments.from_dict({"g": {"q01": {d: g for (t, d), g in truth.items() if t == "q01"}}})
    with refused(InputError):
        ds.sequential(runs, llm, gold, MEASURE, systems=PAIR)
    pair = ds.plan(runs, llm, measures=MEASURE, systems=PAIR, order=True).sample.with_columns(grade=pl.lit(1))
    with refused(InputError, "bm25", "dense"):
        ds.sequential(runs, llm, pair, MEASURE, systems=("bm25", "dense"))
