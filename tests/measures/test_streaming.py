"""Data read in pieces give the scores of data read at once."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import FileError, InputError, RunError, ScaleError, WorkspaceError
from dissensus.measures.evaluate import Collection
from dissensus.measures.policies import Policies
from dissensus.measures.streaming import evaluate_files, score_blocks
from dissensus.work.workspace import Workspace

MEASURES = ["AP", "nDCG@10", "P@5", "ERR@10", "Bpref"]


def generated(topics: int = 40, seed: int = 0) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Three systems and three assessors; missing rankings, unjudged topics, negative grades, ties, partial judging."""
    rng = np.random.default_rng(seed)
    run_rows, judged_rows = [], []
    for topic in range(topics):
        for system in ("bm25", "dense", "fused"):
            if rng.random() < 0.1:
                continue
            docs = rng.choice(60, 20, replace=False)
            run_rows += [(system, topic, f"d{d}", float(np.round(rng.normal(), 1))) for d in docs]
        if topic % 7 == 3:
            continue  # nobody judged it
        for assessor in ("ann", "bob", "cyd"):
            if assessor == "cyd" and topic % 3:
                continue
            docs = rng.choice(60, 25, replace=False)
            grades = rng.choice([-1, 0, 0, 0, 1, 1, 2, 3], 25)
            judged_rows += [(topic, f"d{d}", assessor, int(g)) for d, g in zip(docs, grades, strict=True)]
    runs = pl.DataFrame(run_rows, schema=["system", "topic", "doc", "score"], orient="row")
    judgments = pl.DataFrame(judged_rows, schema=["topic", "doc", "assessor", "grade"], orient="row")
    return runs.sample(fraction=1.0, shuffle=True, seed=1).sort("topic", maintain_order=True), judgments


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    runs, judgments = generated()
    runs.write_parquet(tmp_path / "runs.parquet", row_group_size=100)
    judgments.write_parquet(tmp_path / "labels.parquet", row_group_size=100)
    return tmp_path / "runs.parquet", tmp_path / "labels.parquet"


def in_memory(files: tuple[Path, Path], **policies: Any) -> Any:
    return Collection(ds.read_runs(files[0]), ds.read_judgments(files[1])).score(MEASURES, **policies)


def assert_same(streamed: Any, whole: Any) -> None:
    assert streamed.systems == whole.systems
    assert streamed.assessors == whole.assessors
    assert streamed.topics == whole.topics
    assert list(streamed.values) == list(whole.values)
    for name, values in whole.values.items():
        np.testing.assert_array_equal(streamed.values[name], values)
        np.testing.assert_array_equal(streamed.values[name].sum(axis=2), values.sum(axis=2))
    for key in ("scale", "n_topics", "unjudged_top10", "empty_topics"):
        assert streamed.attrs[key] == whole.attrs[key]
    assert sorted(streamed.attrs["missing"]) == sorted(whole.attrs["missing"])


@pytest.mark.parametrize("piece", [1, 500, 10_000_000])
@pytest.mark.parametrize(
    "policies",
    [{}, {"topics": "shared"}, {"topics": "own"}, {"unjudged": "condense"}, {"unjudged": "bounds"}, {"empty": "zero"}],
)
def test_pieces_give_the_scores_of_the_whole(files: tuple[Path, Path], piece: int, policies: dict[str, str]) -> None:
    assert_same(evaluate_files(*files, MEASURES, Policies(**policies), piece=piece), in_memory(files, **policies))


def test_the_account_adds_up(files: tuple[Path, Path]) -> None:
    streamed, whole = evaluate_files(*files, ["AP"], piece=300), in_memory(files)
    for note in whole.attrs["footer"]:
        assert note in streamed.attrs["footer"]
    assert "pieces" in streamed.attrs["footer"]


def test_two_outputs_are_equal(files: tuple[Path, Path]) -> None:
    first, second = (evaluate_files(*files, ["AP"], piece=300) for _ in range(2))
    assert first.attrs == second.attrs


@pytest.mark.parametrize("executor", [1, 2])
def test_the_number_of_workers_does_not_matter(files: tuple[Path, Path], executor: int) -> None:
    assert_same(evaluate_files(*files, MEASURES, piece=400, executor=executor), in_memory(files))


def test_blocks_of_a_collection_in_memory(files: tuple[Path, Path]) -> None:
    collection = Collection(ds.read_runs(files[0]), ds.read_judgments(files[1]))
    whole = in_memory(files)
    scores = score_blocks(collection, MEASURES, blocks=5)
    assert_same(scores, whole)
    for note in whole.attrs["footer"]:
        assert note in scores.attrs["footer"]


def test_folders_partitions_and_files_per_system(tmp_path: Path, files: tuple[Path, Path]) -> None:
    runs, judgments = generated()
    for system, part in runs.partition_by("system", as_dict=True).items():
        plain = tmp_path / "plain" / f"{system[0]}.parquet"
        plain.parent.mkdir(exist_ok=True)
        part.drop("system").write_parquet(plain)
        for half, some in enumerate((part.head(200), part.slice(200))):
            hive = tmp_path / "hive" / f"system={system[0]}" / f"part-{half}.parquet"
            hive.parent.mkdir(parents=True, exist_ok=True)
            some.drop("system").write_parquet(hive)
    for assessor, part in judgments.partition_by("assessor", as_dict=True).items():
        target = tmp_path / "labels" / f"assessor={assessor[0]}" / "part-0.parquet"
        target.parent.mkdir(parents=True)
        part.drop("assessor").write_parquet(target)
    whole = in_memory(files)
    for source in (sorted((tmp_path / "plain").iterdir()), [tmp_path / "hive"]):
        assert_same(evaluate_files(source, tmp_path / "labels", MEASURES, piece=700), whole)


def test_a_partition_by_topic(tmp_path: Path, files: tuple[Path, Path]) -> None:
    runs, _ = generated()
    for topic, part in runs.partition_by("topic", as_dict=True).items():
        target = tmp_path / "by" / f"topic={topic[0]}" / "rows.parquet"
        target.parent.mkdir(parents=True)
        part.drop("topic").write_parquet(target)
    # a file may hold unjudged topics only as long as the dataset holds judged ones
    judged = {str(t) for t in generated()[1]["topic"].unique()}
    for folder in (tmp_path / "by").iterdir():
        if folder.name.split("=")[1] not in judged:
            (folder / "rows.parquet").unlink()
    assert_same(evaluate_files(tmp_path / "by", files[1], ["AP"]), _without_unjudged(files))


def _without_unjudged(files: tuple[Path, Path]) -> Any:
    return Collection(ds.read_runs(files[0]), ds.read_judgments(files[1])).score(["AP"])


def test_a_scale_may_be_declared(files: tuple[Path, Path]) -> None:
    declared = evaluate_files(*files, ["ERR@10"], scale="0..4", piece=500)
    whole = Collection(ds.read_runs(files[0]), ds.read_judgments(files[1], scale="0..4")).score(["ERR@10"])
    np.testing.assert_array_equal(declared.values["ERR@10"], whole.values["ERR@10"])
    with refused(ScaleError, "labels.parquet", "0…1"):
        evaluate_files(*files, ["AP"], scale="0..1")


# ── what can go wrong ────────────────────────────────────────────────────────────────────────────────────────────────
def test_rows_that_do_not_stand_together(tmp_path: Path, files: tuple[Path, Path]) -> None:
    generated()[0].sort("doc").write_parquet(tmp_path / "mixed.parquet")
    with refused(FileError, "mixed.parquet", 0, 1):
        evaluate_files(tmp_path / "mixed.parquet", files[1], ["AP"])


def test_a_file_damaged_in_the_middle_is_named_with_its_row(files: tuple[Path, Path]) -> None:
    data = bytearray(files[0].read_bytes())
    middle = len(data) // 2
    data[middle : middle + 400] = bytes(400)
    files[0].write_bytes(data)
    with refused((FileError, InputError), "runs.parquet"):
        evaluate_files(*files, ["AP"], piece=300)


def test_an_error_in_a_row_names_file_and_row(tmp_path: Path, files: tuple[Path, Path]) -> None:
    runs, _ = generated()
    scores = runs["score"].to_list()
    scores[777] = float("nan")
    runs.with_columns(pl.Series("score", scores)).write_parquet(tmp_path / "nan.parquet")
    with refused(RunError, "nan.parquet", 778):
        evaluate_files(tmp_path / "nan.parquet", files[1], ["AP"], piece=300)


def test_other_topics_altogether(tmp_path: Path, files: tuple[Path, Path]) -> None:
    runs, _ = generated()
    runs.with_columns(pl.col("topic") + 1000).write_parquet(tmp_path / "other.parquet")
    with refused(RunError, "other.parquet"):
        evaluate_files(tmp_path / "other.parquet", files[1], ["AP"])


def test_missing_columns_and_files(tmp_path: Path, files: tuple[Path, Path]) -> None:
    pl.DataFrame({"topic": [1], "score": [0.5]}).write_parquet(tmp_path / "short.parquet")
    with refused(FileError, "doc"):
        evaluate_files(tmp_path / "short.parquet", files[1], ["AP"])
    with refused(FileError, "gone.parquet"):
        evaluate_files(tmp_path / "gone.parquet", files[1], ["AP"])
    (tmp_path / "empty").mkdir()
    with refused(FileError):
        evaluate_files(tmp_path / "empty", files[1], ["AP"])
    (tmp_path / "text.parquet").write_text("hello")
    with refused(FileError, "text.parquet"):
        evaluate_files(tmp_path / "text.parquet", files[1], ["AP"])


# ── going on ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_finished_pieces_are_not_done_again(tmp_path: Path, files: tuple[Path, Path]) -> None:
    first = evaluate_files(*files, MEASURES, piece=400, workspace=tmp_path / "ws")
    with sqlite3.connect(tmp_path / "ws" / "workspace.sqlite") as file:
        file.execute("DELETE FROM units WHERE number % 2 = 1")
    file.close()
    again = evaluate_files(*files, MEASURES, piece=400, workspace=tmp_path / "ws")
    assert_same(again, first)
    with refused(WorkspaceError, "AP", "nDCG@10", "P@5", "ERR@10", "Bpref"):
        evaluate_files(*files, ["AP"], piece=400, workspace=tmp_path / "ws")
    with Workspace(tmp_path / "other") as space:
        assert_same(evaluate_files(*files, MEASURES, workspace=space), first)


def test_changed_data_are_refused(tmp_path: Path, files: tuple[Path, Path]) -> None:
    evaluate_files(*files, ["AP"], workspace=tmp_path / "ws")
    generated(seed=5)[0].write_parquet(files[0])
    with refused(WorkspaceError, "ws"):
        evaluate_files(*files, ["AP"], workspace=tmp_path / "ws")


def test_another_user_model_is_refused(tmp_path: Path, files: tuple[Path, Path]) -> None:
    """What a measure reads is data, too: the classes of nMCG, per piece and after a stop."""
    from dissensus.measures.user_models import Dynamic, UserModel

    user, classes = tmp_path / "user.json", tmp_path / "classes.csv"
    curves = {"quick": Dynamic(1, 0, 0), "patient": Dynamic(0, 0.1, 0.2)}
    user.write_text(UserModel(dynamics=curves).to_json())
    classes.write_text("".join(f"{t},{'quick' if t % 2 else 'patient'}\n" for t in range(40)))
    name = f"nMCG(dynamic={str(user)!r}, classes={str(classes)!r})@10"
    streamed = evaluate_files(*files, [name], piece=400, workspace=tmp_path / "ws")
    whole = Collection(ds.read_runs(files[0]), ds.read_judgments(files[1])).score([name])
    np.testing.assert_array_equal(streamed.values[name], whole.values[name])
    classes.write_text("".join(f"{t},quick\n" for t in range(40)))
    with refused(WorkspaceError, "ws"):
        evaluate_files(*files, [name], piece=400, workspace=tmp_path / "ws")
