"""Large frames by kernels: the same Runs as the careful way, and its errors."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from refusals import refused

from dissensus.data.tables import run_columns
from dissensus.data.tables.run_columns import run_fields
from dissensus.data.tables.run_table import run_codes
from dissensus.data.tables.runs import Runs
from dissensus.errors import DissensusError


def frame(seed: int, ids: str, topics: str, order: str) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    rows = [
        (f"s{s}", t, d, float(rng.integers(0, 6)) - (0.0 if d % 2 else -0.0))
        for t in (2, 10, 9)
        for s in range(3)
        for d in rng.permutation(30)[:20].tolist()
    ]
    if order == "mixed":
        rows = [rows[i] for i in rng.permutation(len(rows))]
    system, topic, doc, score = zip(*rows, strict=True)
    docs = list(doc) if ids == "int" else [f"{'ü' * (d % 3)}d-{d}" for d in doc]
    table = pl.DataFrame({"system": system, "topic": topic, "doc": docs, "score": score})
    if topics == "category":
        table = table.with_columns(
            pl.col("topic").cast(pl.String).cast(pl.Categorical), pl.col("system").cast(pl.Categorical)
        )
    return table


@pytest.mark.parametrize("ids", ["int", "text"])
@pytest.mark.parametrize("topics", ["int", "category"])
@pytest.mark.parametrize("order", ["sorted", "mixed"])
def test_both_ways_give_the_same_runs(monkeypatch: pytest.MonkeyPatch, ids: str, topics: str, order: str) -> None:
    monkeypatch.setattr(run_columns, "LARGE", 1)
    table = frame(3, ids, topics, order)
    columns = [table[c] for c in ("system", "topic", "doc", "score")]
    fields = run_fields(*columns, systems=["s1", "silent"])
    assert fields is not None
    fast = Runs(**fields)
    careful = Runs(**run_codes(*columns, place=str, systems=["s1", "silent"]))
    assert fast.systems == careful.systems
    assert fast.topics == careful.topics
    assert fast.to_frame().equals(careful.to_frame())
    for name in ("segment_system", "segment_topic", "bounds", "score"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(careful, name))
    np.testing.assert_array_equal(fast.ids.keys, careful.ids.keys)


@pytest.mark.parametrize(
    ("column", "value", "named"),
    [
        ("doc", " d", "' d'"),
        ("doc", "d\t1", "'d\\t1'"),
        ("doc", "", 1),
        ("topic", "", 1),
        ("score", float("nan"), "nan"),
        ("doc", None, 1),
    ],
)
def test_what_is_wrong_is_left_to_the_careful_way(
    monkeypatch: pytest.MonkeyPatch, column: str, value: object, named: object
) -> None:
    monkeypatch.setattr(run_columns, "LARGE", 1)
    table = frame(4, "text", "int", "sorted").with_columns(pl.col("topic").cast(pl.String))
    wrong = pl.Series(column, [value, *table[column].to_list()[1:]], dtype=table[column].dtype)
    table = table.with_columns(wrong)
    assert run_fields(*(table[c] for c in ("system", "topic", "doc", "score"))) is None
    with refused(DissensusError, named):
        Runs.from_frame(table)


def test_a_document_twice_is_refused_with_both_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_columns, "LARGE", 1)
    table = pl.DataFrame({"system": ["s"] * 3, "topic": [1] * 3, "doc": [5, 6, 5], "score": [3.0, 2.0, 1.0]})
    with refused(DissensusError, 1, 3, 5, by="run_table"):
        Runs.from_frame(table)
