from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from followed_sample import MEASURE, PAIR, sample
from refusals import refused
from sequential_example import example_order

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.sequential.order import commit, ordered


def test_the_order_of_the_methods_page():
    assert example_order().item[:5].tolist() == [0, 162, 170, 166, 83]


def test_documents_without_a_rate_are_not_drawn_and_one_seed_gives_one_order():
    rate = np.array([1.0, 0.0, 3.0, 2.0])
    order = commit(rate, 7)
    assert sorted(order.item.tolist()) == [0, 2, 3]
    assert order.item.tolist() == commit(rate, 7).item.tolist()
    assert (np.diff(order.key) > 0).all()


def test_the_first_document_is_drawn_in_proportion_to_its_rate():
    rate = np.array([1.0, 2.0, 5.0])
    first = [commit(rate, seed).item[0] for seed in range(2000)]
    assert np.abs(np.bincount(first, minlength=3) / 2000 - rate / 8).max() < 0.035


def test_inclusion_is_one_when_all_are_labelled():
    order = ordered(np.array([1.0, 2.0]), np.array([0.5, 0.4]))
    assert order.inclusion(2).tolist() == [1.0, 1.0]
    assert order.inclusion(1).tolist() == (1 - np.exp(-np.array([2.0, 1.0]) * 0.5)).tolist()


def test_an_order_is_for_differences_unless_it_is_planned_for_scores():
    runs, llm, _ = sample()
    pair = runs.select(systems=list(PAIR))
    sizes = [ds.plan(pair, llm, measures=MEASURE, order=True, purpose=p).sample.height for p in (None, "scores")]
    assert sizes[0] == ds.Sequential(pair, llm, MEASURE).order.height
    assert sizes[0] < sizes[1] == ds.Sequential(pair, llm, MEASURE, scores=True).order.height


def test_the_beginning_of_an_order_for_all_systems_serves_a_pair():
    runs, llm, truth = sample()
    frame = ds.plan(runs, llm, measures=MEASURE, order=True, seed=2).sample
    grades = pl.Series([truth[t, d] for t, d in frame.select("topic", "doc").iter_rows()])
    whole = frame.with_columns(grade=pl.when(pl.col("draw") <= 60).then(grades))
    tables = [ds.sequential(runs, llm, f, MEASURE, systems=PAIR).table for f in (whole, whole.head(60))]
    assert tables[0]["low"].to_list() == pytest.approx(tables[1]["low"].to_list(), abs=1e-9)
    with refused(InputError):
        ds.sequential(runs, llm, whole.head(60).with_columns(pl.col("rate") * 2), MEASURE, systems=PAIR)
