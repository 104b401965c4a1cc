"""Pieces hold whole topics, all of them, once."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from dissensus.errors import FileError, RunError
from dissensus.io import chunks as module
from dissensus.io.chunks import _edges, _ranges, plan, read_piece


@settings(deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=40), st.integers(1, 60))
def test_edges_take_as_many_topics_as_fit(weight: list[int], piece: int) -> None:
    edges = _edges(np.array(weight), piece)
    assert edges[0] == 0
    assert edges[-1] == len(weight)
    for a, b in itertools.pairwise(edges):
        assert a < b
        assert sum(weight[a:b]) <= piece or b == a + 1
        assert b == len(weight) or sum(weight[a : b + 1]) > piece


def test_ranges_of_a_file_in_another_order() -> None:
    numbers = np.array([2, 0, -1, 1, 3])  # topics of the file, in the common order; one nobody judged
    starts = np.array([0, 10, 15, 20, 40, 45])
    assert _ranges(numbers, starts, [(0, 2), (2, 4)]) == [[(10, 15), (20, 40)], [(0, 10), (40, 45)]]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    topic = np.repeat(np.arange(20), 5)
    pl.DataFrame({"topic": topic, "doc": [f"d{i}" for i in range(100)], "score": np.arange(100.0)}).write_parquet(
        tmp_path / "s.parquet"
    )
    judged = topic[:90]
    pl.DataFrame({"topic": judged, "doc": [f"d{i}" for i in range(90)], "grade": np.arange(90) % 3}).write_parquet(
        tmp_path / "ann.parquet"
    )
    return tmp_path / "s.parquet", tmp_path / "ann.parquet"


@pytest.mark.parametrize("piece", [1, 33, 10_000])
def test_every_judged_topic_is_in_one_piece(files: tuple[Path, Path], piece: int) -> None:
    whole = plan([files[0]], [files[1]], piece=piece)
    assert whole.topics == 18
    assert whole.unknown == 2
    assert whole.systems == ("s",)
    assert whole.assessors == ("ann",)
    assert str(whole.scale).startswith("0…2")
    seen: list[str] = []
    for unit in whole.pieces:
        runs, judgments = read_piece(whole, unit)
        assert runs.topics == judgments.topics
        assert len(runs) == len(judgments) == 5 * len(runs.topics)
        seen += runs.topics
    assert sorted(map(int, seen)) == list(range(18))


def test_a_system_absent_from_a_piece_stays_known(files: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "late.parquet"
    pl.DataFrame({"topic": [17] * 3, "doc": ["d85", "d86", "x"], "score": [3.0, 2.0, 1.0]}).write_parquet(other)
    whole = plan([files[0], other], [files[1]], piece=20)
    assert whole.systems == ("late", "s")
    runs, _ = read_piece(whole, whole.pieces[0])
    assert runs.systems == ("late", "s")


def test_errors_name_the_row_of_the_file(files: tuple[Path, Path]) -> None:
    frame = pl.read_parquet(files[0])
    frame[62, "score"] = float("inf")
    frame.write_parquet(files[0])
    whole = plan([files[0]], [files[1]], piece=30)
    with refused(RunError, "s.parquet", 63):
        _ = [read_piece(whole, unit) for unit in whole.pieces]


def test_files_in_quite_another_order_are_refused(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    topics = rng.permutation(3000)
    pl.DataFrame({"topic": topics, "doc": "d", "score": 1.0}).write_parquet(files[0])
    pl.DataFrame({"topic": np.arange(3000), "doc": "d", "grade": 1}).write_parquet(files[1])
    monkeypatch.setattr(module, "_FRAGMENTS", 5)
    with refused(FileError, "s.parquet"):
        plan([files[0]], [files[1]], piece=100)
