"""One road: the same rows give the same numbers, notes, refusals and options, whatever holds them and however large.

Large is what is above `partition.LARGE` rows, in pieces of `partition.PIECE`; the tests lower both.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from refusals import refused

import dissensus as ds
from bench import forms
from dissensus.cli import main
from dissensus.errors import FileError, InputError, RunError, WorkError
from dissensus.io import partition
from dissensus.work.settings import Settings, working_with
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


@pytest.fixture
def divided(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    def divide(piece: int = 300) -> None:
        monkeypatch.setattr(partition, "LARGE", 0)
        monkeypatch.setattr(partition, "PIECE", piece)

    return divide


def same(one: Any, other: Any) -> None:
    assert one.attrs == other.attrs
    assert one.equals(other)
    assert list(one.data_vars) == list(other.data_vars)


POLICIES: list[dict[str, Any]] = [
    {}, {"topics": "shared"}, {"topics": "own"}, {"unjudged": "condense"}, {"unjudged": "bounds"}, {"empty": "zero"},
    {"ties": "expected", "seed": 3},
]  # fmt: skip


@pytest.mark.parametrize("policies", POLICIES, ids=str)
def test_pieces_give_the_scores_of_the_whole(
    files: tuple[Path, Path], divided: Callable[..., None], policies: dict[str, Any]
) -> None:
    whole = ds.evaluate(*files, MEASURES, **policies)
    assert whole.attrs["notes"]
    for piece in (1, 500):
        divided(piece)
        same(ds.evaluate(*files, MEASURES, **policies), whole)


def test_parts_of_a_cluster_of_ones_own(files: tuple[Path, Path]) -> None:
    runs, labels = (pl.read_parquet(f) for f in files)
    whole = ds.evaluate(runs, labels, MEASURES, topics="shared")
    parts = [
        ds.score_partition(
            runs.filter(pl.col("topic") % 3 == k), labels.filter(pl.col("topic") % 3 == k), MEASURES, topics="shared"
        )
        for k in range(3)
    ]
    same(ds.combine(parts), whole)
    same(ds.combine(reversed(parts)), whole)
    with refused(InputError, "two parts"):
        ds.combine([*parts, parts[0]])
    with refused(InputError, "nDCG"):
        ds.combine([parts[0], ds.score_partition(runs, labels, "nDCG")])
    with refused(InputError, "0…9"):
        ds.combine([parts[0], ds.score_partition(runs, labels, MEASURES, topics="shared", scale="0..9")])
    with refused(InputError):
        ds.combine([])


def test_workers_and_workspaces_do_not_matter(
    tmp_path: Path, files: tuple[Path, Path], divided: Callable[..., None]
) -> None:
    whole = ds.evaluate(*files, MEASURES)
    with Workspace(tmp_path / "blocks") as space, working_with(Settings(workspace=space)):
        same(ds.evaluate(*files, MEASURES), whole)
    divided(400)
    for _ in range(2):  # the second time from the records
        with Workspace(tmp_path / "pieces") as space, working_with(Settings(2, space)):
            same(ds.evaluate(*files, MEASURES), whole)


def test_folders_partitions_and_files_per_system(
    tmp_path: Path, files: tuple[Path, Path], divided: Callable[..., None]
) -> None:
    runs, judgments = generated()
    for system, part in runs.partition_by("system", as_dict=True).items():
        for half, some in enumerate((part.head(200), part.slice(200))):  # a ranking may lie in both
            hive = tmp_path / "hive" / f"system={system[0]}" / f"part-{half}.parquet"
            hive.parent.mkdir(parents=True, exist_ok=True)
            some.drop("system").write_parquet(hive)
    for topic, part in runs.partition_by("topic", as_dict=True).items():
        target = tmp_path / "by" / f"topic={topic[0]}" / "rows.parquet"
        target.parent.mkdir(parents=True)
        part.drop("topic").write_parquet(target)
    for assessor, part in judgments.partition_by("assessor", as_dict=True).items():
        target = tmp_path / "labels" / f"assessor={assessor[0]}" / "part-0.parquet"
        target.parent.mkdir(parents=True)
        part.drop("assessor").write_parquet(target)
    whole = ds.evaluate(*files, MEASURES)
    for _ in range(2):
        for folder in ("hive", "by"):
            same(ds.evaluate(tmp_path / folder, tmp_path / "labels", MEASURES), whole)
        divided(700)


# ── forms × (numbers, refusals, options): `python -m bench forms` asks the same of real collections ──
RUNS, LABELS = forms.generated()


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("name", forms.cases(RUNS, LABELS))
def test_every_form_gives_the_same(
    tmp_path: Path, divided: Callable[..., None], monkeypatch: pytest.MonkeyPatch, name: str, size: str
) -> None:
    case = forms.cases(RUNS, LABELS)[name]
    changed = case.frames(RUNS, LABELS)
    if size == "large":  # the scanner, the kernels, and pieces of one topic
        divided(1)
        monkeypatch.setattr("dissensus.io.files.SMALL", 0)
        for module in ("runs", "judgments"):
            monkeypatch.setattr(f"dissensus.tables.{module}.MANY_{'RUNS' if module == 'runs' else 'LABELS'}", 1)
    first = forms.in_form("csv", *changed, case, tmp_path / "first")
    assert isinstance(first[0], str) == (case.kind == "refusals"), first
    for form in forms.FORMS:
        if not (case.table and form in forms.TREC):
            assert case.same(forms.in_form(form, *changed, case, tmp_path / form), first), form
    for form in ("csv", "folder"):  # as on a cluster: blocks of topics, pieces of files
        with Workspace(tmp_path / f"{form} in a workspace") as space:
            assert case.same(forms.in_form(form, *changed, case, tmp_path / f"{form} in blocks", space), first), form


# ── the cases of large data that 0.2.0 answered wrongly ──
def command(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    status = main(["evaluate", *map(str, words)])
    return status, *capsys.readouterr()


def test_a_folder_is_guarded_like_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = forms.given(RUNS, "folder", tmp_path, "system")

    def labels(frame: pl.DataFrame) -> Path:
        for old in (tmp_path / "labels.folder").glob("*"):
            old.unlink()
        return Path(forms.given(frame, "folder", tmp_path, "assessor"))

    status, _, err = command(
        capsys, runs, "-j", labels(LABELS.with_columns(pl.col("grade").clip(0, 1))), "-m", "P(rel=2)@10"
    )
    assert (status, "map" in err) == (2, True)
    strangers = LABELS.with_columns(doc=pl.format("x{}", "doc"))
    status, _, err = command(capsys, runs, "-j", labels(strangers), "-m", "AP")
    assert (status, "xd0" in err) == (2, True)
    status, _, err = command(capsys, runs, "-j", labels(LABELS.with_columns(topic=pl.format("0{}", "topic"))))
    assert (status, "01" in err) == (2, True)
    status, _, err = command(capsys, runs, "-j", labels(LABELS.with_columns(inclusion=0.5)))
    assert (status, "--audit" in err) == (2, True)
    status, _, _ = command(capsys, runs, "-j", labels(LABELS.rename({"grade": "stars"})), "--columns", "grade=stars")
    assert status == 0
    gaps = LABELS.with_columns(grade=pl.when(pl.col("doc") != "d4").then("grade"))
    status, _, err = command(capsys, runs, "-j", labels(gaps))
    assert (status, "--missing skip" in err) == (2, True)
    assert command(capsys, runs, "-j", labels(gaps), "--missing", "skip")[0] == 0
    mapped = [
        runs,
        "-j",
        labels(LABELS.with_columns(pl.col("grade").clip(0, 1))),
        "-m",
        "P(rel=2)@5",
        "--map",
        "ann:1=2",
        "--map",
        "bob:1=2",
        "--json",
    ]
    status, out, _ = command(capsys, *mapped)
    assert status == 0
    assert any(row["P(rel=2)@5"] > 0 for row in next(iter(json.loads(out)["tables"].values())))


def test_depths_are_said_where_a_measure_reads_on(tmp_path: Path, divided: Callable[..., None]) -> None:
    cut = RUNS.filter((pl.col("system") == "bm25") | (pl.col("score") > 7))
    for _ in range(2):  # 0.2.0 compared a run with the same run cut at 10 and said nothing
        folder = forms.given(cut, "folder", tmp_path, "system")
        for measure, said in (("AP", True), ("P@3", True), ("P@2", False)):
            notes = ds.evaluate(folder, LABELS, [measure]).attrs["notes"]
            found = [n for n in notes if "2 documents (dense)" in n and "6 documents (bm25)" in n and measure in n]
            assert bool(found) == said, notes
        divided(1)


# ── what only large files can have wrong ──
def test_rows_that_do_not_stand_together(
    tmp_path: Path, files: tuple[Path, Path], divided: Callable[..., None]
) -> None:
    generated()[0].sort("doc").write_parquet(tmp_path / "mixed.parquet")
    ds.evaluate(tmp_path / "mixed.parquet", files[1], ["AP"])
    divided(300)
    with refused(FileError, "mixed.parquet", 0, 1):
        ds.evaluate(tmp_path / "mixed.parquet", files[1], ["AP"])


def test_a_file_damaged_in_the_middle_is_named(files: tuple[Path, Path], divided: Callable[..., None]) -> None:
    data = bytearray(files[0].read_bytes())
    middle = len(data) // 2
    data[middle : middle + 400] = bytes(400)
    files[0].write_bytes(data)
    divided(300)
    with refused((FileError, InputError, WorkError), "runs.parquet"):
        ds.evaluate(*files, ["AP"])


def test_an_error_in_a_row_names_file_and_row(
    tmp_path: Path, files: tuple[Path, Path], divided: Callable[..., None]
) -> None:
    runs, _ = generated()
    scores = runs["score"].to_list()
    scores[777] = float("nan")
    runs.with_columns(pl.Series("score", scores)).write_parquet(tmp_path / "nan.parquet")
    for _ in range(2):
        with refused(RunError, "nan.parquet", 778):
            ds.evaluate(tmp_path / "nan.parquet", files[1], ["AP"])
        divided(300)


def test_no_files_and_no_rows(tmp_path: Path, files: tuple[Path, Path], divided: Callable[..., None]) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.parquet").write_text("hello, this is no table")
    RUNS.clear().write_parquet(tmp_path / "bare.parquet")
    divided(300)
    for name in ("empty", "text.parquet", "bare.parquet", "gone.parquet"):
        with refused(FileError, name):
            ds.evaluate(tmp_path / name, files[1], ["AP"])


@pytest.mark.parametrize("piece", [1, 2, 3, 10])
def test_edges_take_as_many_topics_as_fit(piece: int) -> None:
    weight = np.array([1, 1, 5, 2, 1])
    edges = partition._edges(weight, piece)
    assert edges[0] == 0
    assert edges[-1] == len(weight)
    for a, b in itertools.pairwise(edges):
        assert b == a + 1 or weight[a:b].sum() <= piece


def test_files_in_quite_another_order_are_refused(
    files: tuple[Path, Path], divided: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    divided(10)
    monkeypatch.setattr(partition, "_FRAGMENTS", -1000)
    with refused(FileError, "labels.parquet"):
        ds.evaluate(*files, ["AP"])
