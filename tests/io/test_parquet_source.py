"""Which columns play which role in a Parquet file, and where each topic begins."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from refusals import refused

from dissensus.errors import FileError
from dissensus.io import parquet_source as module
from dissensus.io.parquet_source import count_rows, index, is_parquet, sources

RUN_ROLES = ("system", "topic", "doc", "score")


def write(path: Path, **columns: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(columns).write_parquet(path)
    return path


def run_file(path: Path, topics: list[int]) -> Path:
    return write(path, qid=topics, docno=[f"d{i}" for i in range(len(topics))], score=[1.0] * len(topics))


def test_roles_by_synonym_and_a_name_from_the_file(tmp_path: Path) -> None:
    (source,) = sources([run_file(tmp_path / "bm25.v2.parquet", [1, 1, 2])], RUN_ROLES, "system")
    assert source.columns == {"topic": "qid", "doc": "docno", "score": "score"}
    assert source.constant == {"system": "bm25.v2"}
    assert source.rows == 3
    assert source.values("system") == ["bm25.v2"]
    assert sorted(source.values("topic")) == [1, 2]


def test_roles_from_folders(tmp_path: Path) -> None:
    write(tmp_path / "runs" / "system=a b" / "topic=7" / "x.parquet", doc=["d"], score=[1.0])
    (source,) = sources([tmp_path / "runs"], RUN_ROLES, "system")
    assert source.constant == {"system": "a b", "topic": "7"}
    assert index(source).topics.to_list() == ["7"]
    assert index(source).starts.tolist() == [0, 1]
    assert source.read([(0, 1)], RUN_ROLES).select(RUN_ROLES).row(0) == ("a b", "7", "d", 1.0)


def test_parts_of_a_folder_without_a_system_are_one_system(tmp_path: Path) -> None:
    for part in (0, 1):
        run_file(tmp_path / "splade" / f"part-{part}.parquet", [part])
    found = sources([tmp_path / "splade"], RUN_ROLES, "system")
    assert [s.constant["system"] for s in found] == ["splade", "splade"]


def test_namesakes_are_refused(tmp_path: Path) -> None:
    paths = [run_file(tmp_path / folder / "bm25.parquet", [1]) for folder in ("old", "new")]
    with refused(FileError, "bm25"):
        sources(paths, RUN_ROLES, "system")


@pytest.mark.parametrize("chunk", [1, 2, 3, 100])
def test_topics_are_found_whatever_is_looked_at_together(
    tmp_path: Path, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SCAN", chunk)
    (source,) = sources([run_file(tmp_path / "r.parquet", [9, 9, 9, 10, 3, 3, 8])], RUN_ROLES, "system")
    found = index(source)
    assert found.topics.to_list() == ["9", "10", "3", "8"]
    assert found.starts.tolist() == [0, 3, 4, 6, 7]


def test_a_topic_in_two_places_and_a_missing_one(tmp_path: Path) -> None:
    (source,) = sources([run_file(tmp_path / "r.parquet", [1, 2, 1])], RUN_ROLES, "system")
    with refused(FileError, 1, 3, "r.parquet") as caught:
        index(source)
    assert '.sort("qid").sink_parquet(' in str(caught.value)
    path = write(tmp_path / "n.parquet", topic=[1, None], doc=["a", "b"], score=[1.0, 2.0])
    (source,) = sources([path], RUN_ROLES, "system")
    with refused(FileError, 2, "n.parquet"):
        index(source)


def test_what_is_parquet(tmp_path: Path) -> None:
    path = run_file(tmp_path / "a" / "r.parquet", [1, 1])
    assert is_parquet([path, tmp_path / "a"])
    assert not is_parquet([path, tmp_path / "x.csv"])
    assert count_rows([path, tmp_path / "gone.parquet"]) == 2
    (tmp_path / "bad.parquet").write_text("no")
    assert count_rows([tmp_path / "bad.parquet"]) == 0


def test_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "none.parquet"
    pl.DataFrame(schema={"topic": pl.Int64, "doc": pl.String, "score": pl.Float64}).write_parquet(path)
    with refused(FileError, "none.parquet"):
        sources([path], RUN_ROLES, "system")
