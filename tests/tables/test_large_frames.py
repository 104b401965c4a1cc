"""Large frames by kernels: the Runs and Judgments of the careful ways, which say what is wrong; names by stretches."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from refusals import refused

from dissensus.errors import DissensusError, InputError
from dissensus.tables import runs as runs_module
from dissensus.tables.columns import worth_kernels
from dissensus.tables.ids import natural_order
from dissensus.tables.judgment_table import judgment_codes
from dissensus.tables.large_frames import change_rows, judgment_fields, name_stretches, run_fields
from dissensus.tables.runs import Runs, run_codes
from dissensus.tables.scale import Scale


def by_kernels(fields: Any, *columns: pl.Series, **options: Any) -> Any:
    """What the kernels give for columns of any length; None where they are not asked, or give up."""
    return fields(*columns, **options) if worth_kernels(columns[:3], columns[3], 1) else None


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
def test_both_ways_give_the_same_runs(ids: str, topics: str, order: str) -> None:
    table = frame(3, ids, topics, order)
    columns = [table[c] for c in ("system", "topic", "doc", "score")]
    fields = by_kernels(run_fields, *columns, systems=["s1", "silent"])
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
    monkeypatch.setattr(runs_module, "MANY_RUNS", 1)
    table = frame(4, "text", "int", "sorted").with_columns(pl.col("topic").cast(pl.String))
    wrong = pl.Series(column, [value, *table[column].to_list()[1:]], dtype=table[column].dtype)
    table = table.with_columns(wrong)
    assert by_kernels(run_fields, *(table[c] for c in ("system", "topic", "doc", "score"))) is None
    with refused(DissensusError, named):
        Runs.from_frame(table)


def test_a_document_twice_is_refused_with_both_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs_module, "MANY_RUNS", 1)
    table = pl.DataFrame({"system": ["s"] * 3, "topic": [1] * 3, "doc": [5, 6, 5], "score": [3.0, 2.0, 1.0]})
    with refused(DissensusError, 1, 3, 5):
        Runs.from_frame(table)


def place(row: int) -> str:
    return f"row {row + 1}"


def columns(seed: int, number_ids: bool, sorted_topics: bool) -> list[pl.Series]:
    rng = np.random.default_rng(seed)
    n = 3000
    topic = rng.integers(1, 30, n)
    doc = rng.integers(0, 200, n)
    frame = pl.DataFrame(
        {
            "topic": topic,
            "doc": doc if number_ids else [f"D-é{d}" for d in doc],
            "assessor": [f"a{k}" for k in rng.integers(0, 12, n)],
            "grade": rng.integers(-1, 4, n),
        }
    )
    return (frame.sort("topic") if sorted_topics else frame).get_columns()


@pytest.mark.parametrize("number_ids", [True, False])
@pytest.mark.parametrize("sorted_topics", [True, False])
@pytest.mark.parametrize("scale", [None, Scale.range(0, 5)])
def test_both_ways_are_one(number_ids: bool, sorted_topics: bool, scale) -> None:
    given = columns(int(number_ids), number_ids, sorted_topics)
    quick = by_kernels(judgment_fields, *given, scale=scale, place=place)
    assert quick is not None
    careful = judgment_codes(*given, scale=scale, place=place)
    np.testing.assert_array_equal(quick[1], careful[1])
    for name, theirs in careful[0].items():
        ours = quick[0][name]
        if name == "item_ids":
            assert ours.strings(np.arange(len(ours))) == theirs.strings(np.arange(len(theirs)))
            np.testing.assert_array_equal(ours.keys, theirs.keys)
        elif isinstance(theirs, np.ndarray):
            np.testing.assert_array_equal(ours, theirs, err_msg=name)
            assert ours.dtype == theirs.dtype, name
        else:
            assert ours == theirs, name


@pytest.mark.parametrize(
    ("column", "value"), [(0, None), (1, " b"), (1, ""), (1, "a\tb"), (2, None), (2, " x"), (3, None)]
)
def test_what_the_careful_way_refuses_is_left_to_it(column: int, value) -> None:
    given = [pl.Series(["1", "1"]), pl.Series(["a", "b"]), pl.Series(["x", "x"]), pl.Series([0, 1])]
    given[column] = pl.Series([value, given[column][1]], dtype=given[column].dtype)
    assert by_kernels(judgment_fields, *given, scale=None, place=place) is None


def test_fractions_and_words_are_left_to_the_careful_way() -> None:
    given = [pl.Series(["1", "1"]), pl.Series(["a", "b"]), pl.Series(["x", "x"])]
    for grades in ([0.5, 1.0], ["Rel", "Non"]):
        assert by_kernels(judgment_fields, *given, pl.Series(grades), scale=None, place=place) is None


RNG = np.random.default_rng(1)
VALUES = np.repeat(RNG.integers(0, 12, 80), RNG.integers(1, 5, 80))


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(VALUES),
        pl.Series(VALUES - 5),
        pl.Series(VALUES.astype(np.uint64) + np.uint64(2**63)),
        pl.Series([f"t{v}" for v in VALUES]),
        pl.Series([f"a topic with a long name, {v}" for v in VALUES]),
        pl.Series([str(v) for v in VALUES], dtype=pl.Categorical),
        pl.Series([f"t{v}" for v in VALUES], dtype=pl.Enum([f"t{v}" for v in range(20)])),
    ],
)
@pytest.mark.parametrize("further", [(), ("t3", "7", "silent")])
def test_names_and_codes_are_those_of_every_row(column: pl.Series, further: tuple[str, ...]) -> None:
    texts = [str(v) for v in column]
    found = name_stretches(column, "topic", further)
    every = [*dict.fromkeys([*texts, *further])]
    assert found.names == tuple(every[i] for i in natural_order(every))
    codes = np.repeat(found.code, np.diff(np.r_[found.row, len(column)]))
    assert [found.names[c] for c in codes] == texts
    assert found.row.tolist() == [i for i in range(len(texts)) if i == 0 or texts[i] != texts[i - 1]]


def test_a_bad_name_is_refused() -> None:
    with refused(InputError, "' b'"):
        name_stretches(pl.Series(["a", " b"]), "topic")


def test_a_text_that_goes_on_in_the_next_chunk_is_no_change() -> None:
    long = "a text that is longer than a view"
    column = pl.concat([pl.Series([long]), pl.Series([long, "b"]), pl.Series(["c", long])], rechunk=False)
    assert change_rows(column).tolist() == [0, 2, 3, 4]
