"""A converted folder gives what its files give: numbers, notes and refusals; it is whole, or refused in words."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from paths import ROOT
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import DissensusError, FileError, InputError, OutputError, RunError
from dissensus.io import partition
from dissensus.io.converted import blocks, buckets, chunks, convert
from dissensus.io.converted.manifest import manifest_of, part_of
from dissensus.io.files import input_files
from dissensus.io.options import ReadOptions
from dissensus.work.settings import Settings, working_with

EXAMPLES = ROOT / "examples"
MEASURES = ["AP", "nDCG@10", "P@5", "RBP(p=0.8)"]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems as TREC files, one packed and one with comments and tabs; labels of two assessors as qrels."""
    folder = tmp_path_factory.mktemp("study")
    rng = np.random.default_rng(4)
    for system in ("bm25", "dense", "fused"):
        lines = []
        for topic in range(40):
            docs = rng.choice(60, 20, replace=False)
            scores = np.sort(rng.normal(size=20).round(2))[::-1]
            lines += [
                f"{topic} Q0 d{d} {r} {s!r} tag" for r, (d, s) in enumerate(zip(docs, scores.tolist(), strict=True))
            ]
        text = "\n".join(lines) + "\n"
        if system == "dense":
            text = "# made by hand\n" + text.replace(" ", "\t")
        data = text.encode()
        (folder / f"{system}.run{'.gz' if system == 'bm25' else ''}").write_bytes(
            gzip.compress(data) if system == "bm25" else data
        )
    for who in ("ann", "bob"):
        lines = [f"{t} 0 d{d} {rng.integers(-1, 4)}" for t in range(36) for d in rng.choice(60, 25, replace=False)]
        (folder / f"{who}.qrels").write_text("\n".join(lines) + "\n")
    return folder


def converted(study: Path, folder: Path, **options: Any) -> str:
    return ds.convert([str(study / "*.run*"), str(study / "*.qrels")], folder / "data", **options).folder


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks, chunks and buckets of a few lines."""
    monkeypatch.setattr(blocks, "SIZE", 5_000)
    monkeypatch.setattr(blocks, "_STEP", 1_000)
    monkeypatch.setattr(convert, "TOGETHER", 300)
    monkeypatch.setattr(chunks, "ROWS", 100)


@pytest.mark.parametrize("parts", [1, 7])
@pytest.mark.usefixtures("small")
def test_scores_notes_and_account_are_those_of_the_files(study: Path, tmp_path: Path, parts: int) -> None:
    data = converted(study, tmp_path, parts=parts)
    here = ds.evaluate(data, data, MEASURES)
    direct = ds.evaluate(str(study / "*.run*"), str(study / "*.qrels"), MEASURES)
    assert here.equals(direct)
    notes = [set(x.attrs.pop("notes")) for x in (here, direct)]
    assert notes[0] == notes[1]
    assert any(phrase("convert.comments", "1 comment line") in n for n in notes[0])
    for x in (here, direct):
        x.attrs.pop("footer")
    assert here.attrs == direct.attrs
    manifest = manifest_of(Path(data))
    assert manifest.sides["runs"].names == ("bm25", "dense", "fused")
    assert manifest.sides["judgments"].names == ("ann", "bob")
    assert (manifest.sides["runs"].rows, manifest.sides["runs"].topics) == (2400, 40)
    assert str(manifest.scale) == phrase("convert.scale-read-off", "0…3")


@pytest.mark.parametrize("executor", [None, "local:2"])
def test_parts_of_a_folder_are_scored_one_by_one(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executor: str | None
) -> None:
    """From the manifest alone, also by workers that have another folder: paths are made absolute."""
    converted(study, tmp_path, parts=6, scale="0..3")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(partition, "LARGE", 0)
    monkeypatch.setattr(partition, "index", None)  # no pass over the data
    monkeypatch.setattr(partition, "_scale", None)
    plan = partition.partition("data", "data", ReadOptions.of())
    assert plan is not None
    assert len(plan.pieces) == 6
    assert all(Path(s.where).is_absolute() for s in plan.runs)
    with working_with(Settings(executor)):
        here = ds.evaluate("data", "data", MEASURES)
    direct = ds.evaluate(str(study / "*.run*"), str(study / "*.qrels"), MEASURES, scale="0..3")
    assert here.equals(direct)
    assert set(here.attrs["notes"]) == set(direct.attrs["notes"])
    part = tmp_path / "data" / "runs" / "part-00002.parquet"
    part.write_bytes(part.read_bytes()[::-1])
    with refused(FileError, "part-00002.parquet is damaged", "checksum"):
        ds.evaluate("data", "data", MEASURES)


@pytest.mark.parametrize("files", [4, 40])
def test_a_plan_is_as_long_as_files_and_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int) -> None:
    monkeypatch.setattr(partition, "LARGE", 0)
    monkeypatch.setattr(partition, "PIECE", 20)
    for side, columns in (("runs", {"system": "a", "score": 1.0}), ("labels", {"assessor": "ann", "grade": 1})):
        (tmp_path / side).mkdir()
        for k in range(files):
            topic = np.repeat(np.arange(10 * k, 10 * k + 10), 2)
            frame = pl.DataFrame({"topic": topic, "doc": [f"d{i}" for i in range(20)]})
            frame = frame.with_columns(**{c: pl.lit(v) for c, v in columns.items()})
            frame.write_parquet(tmp_path / side / f"{k:03}.parquet")
    plan = partition.partition(tmp_path / "runs", tmp_path / "labels", ReadOptions.of())
    assert plan is not None
    assert len(plan.pieces) == 2 * files
    assert sum(len(ranges) for piece in plan.pieces for ranges in piece.values()) == 4 * files
    assert float(ds.evaluate(tmp_path / "runs", tmp_path / "labels", "P@1")["P@1"].mean()) == 1.0


def test_topics_are_in_the_same_part_on_both_sides(study: Path, tmp_path: Path) -> None:
    data = Path(converted(study, tmp_path, parts=5))
    for side in ("runs", "judgments"):
        for file in manifest_of(data).sides[side].files:  # type: ignore[index]
            topics = pl.read_parquet(data / file.path)["topic"].unique().to_list()
            assert {part_of(t, 5) for t in topics} == {file.part}


TABLES = {
    "labels.csv": lambda frame, path: frame.write_csv(path),
    "labels.tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "labels.parquet": lambda frame, path: frame.write_parquet(path),
    "labels.jsonl": lambda frame, path: frame.write_ndjson(path),
    "labels.arrow": lambda frame, path: frame.write_ipc(path),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.usefixtures("small")
def test_tables_of_every_kind_convert(name: str, tmp_path: Path) -> None:
    frame = pl.read_csv(EXAMPLES / "labels.csv").head(2000).with_columns(remark=pl.lit('said "so",\ntwice'))
    TABLES[name](frame, tmp_path / name)
    data = ds.convert(judgments=tmp_path / name, output=tmp_path / "data", parts=3).folder
    one, other = ds.read_judgments(data), ds.read_judgments(tmp_path / name)
    assert one.to_frame().sort(pl.all()).equals(other.to_frame().sort(pl.all()))
    assert one.scale == other.scale


def test_scores_and_preferences_convert(tmp_path: Path) -> None:
    scores = ds.evaluate(str(EXAMPLES / "runs/*"), EXAMPLES / "labels.csv", ["AP", "P@10"])
    arrays = scores.to_dataframe().reset_index()
    pl.from_pandas(arrays).write_csv(tmp_path / "scores.csv")
    (tmp_path / "pairs.csv").write_text(
        "topic,doc_a,doc_b,assessor,answer\nq1,a,b,ann,a\nq2,b,c,bob,same\nq3,a,c,bob,b\n"
    )
    data = ds.convert([tmp_path / "pairs.csv", tmp_path / "scores.csv"], tmp_path / "data", parts=4).folder
    again = ds.read_scores(data)
    assert float(abs(again["AP"] - scores["AP"]).max()) < 1e-12
    assert again.sizes == scores.sizes
    assert ds.read_preferences(data).to_frame().sort("topic")["answer"].to_list() == ["a", "same", "b"]


@pytest.mark.usefixtures("small")
def test_an_interrupted_conversion_goes_on(study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Path(converted(study, tmp_path / "whole", parts=4))
    for stop in (3, 9, 14):
        with monkeypatch.context() as patch:
            interrupt(patch, stop)
            with pytest.raises(KeyboardInterrupt):
                converted(study, tmp_path / f"stop{stop}", parts=4)
        folder = tmp_path / f"stop{stop}" / "data"
        with refused(FileError, "was interrupted", "goes on"):
            ds.evaluate(folder, folder, "AP")
        assert not (folder / "manifest.json").exists()
        converted(study, tmp_path / f"stop{stop}", parts=4)
        assert manifest_of(folder).sides == manifest_of(whole).sides
        assert not (folder / "unfinished").exists()


def interrupt(patch: pytest.MonkeyPatch, at: int) -> None:
    """Stop at the step of this number: a block that is written and not yet noted, or a part."""
    steps = iter(range(1, 1000))
    append, write = buckets.Buckets.add, convert._part

    def add(*given: Any) -> None:
        append(*given)
        if next(steps) == at:
            raise KeyboardInterrupt

    def part(*given: Any) -> Any:
        if next(steps) == at:
            raise KeyboardInterrupt
        return write(*given)

    patch.setattr(buckets.Buckets, "add", add)
    patch.setattr(convert, "_part", part)


def test_another_conversion_does_not_go_on(study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(convert, "_write", stop)
    with pytest.raises(KeyboardInterrupt):
        converted(study, tmp_path)
    with refused(FileError, "unfinished conversion of other work", "inputs"):
        ds.convert(study / "dense.run", tmp_path / "data")


def test_missing_and_damaged_parts_are_refused(study: Path, tmp_path: Path) -> None:
    data = Path(converted(study, tmp_path, parts=3))
    part = data / "runs" / "part-00001.parquet"
    good = part.read_bytes()
    middle = len(good) // 2
    part.write_bytes(good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :])
    with refused(FileError, "part-00001.parquet is damaged", "checksum"):
        ds.evaluate(data, data, "AP")
    part.write_bytes(good[:-10])
    with refused(FileError, "part-00001.parquet is damaged", "bytes"):
        ds.evaluate(data, data, "AP")
    part.unlink()
    with refused(FileError, "part-00001.parquet is missing", "lists it"):
        ds.evaluate(data, data, "AP")
    part.write_bytes(good)
    (data / "manifest.json").write_text((data / "manifest.json").read_text()[:-200])
    with refused(FileError, "manifest.json is damaged"):
        ds.evaluate(data, data, "AP")


REFUSED = {
    "a document twice": ("1 Q0 d1 1 2 x\n1 Q0 d2 2 1 x\n1 Q0 d1 3 0 x\n", RunError, "d1"),
    "a score that is none": ("1 Q0 d1 1 2 x\n1 Q0 d2 2 nan x\n", RunError, "a.run:2"),
    "too few columns": ("1 Q0 d1 1 2 x\n1 Q0 d2 2 1\n", RunError, "a.run:2"),
    "an unseen character": ("1 Q0 d1 1 2 x\n\ufeff1 Q0 d2 2 1 x\n", DissensusError, "nobody sees"),
    "no UTF-8": (b"1 Q0 d1 1 2 x\n1 Q0 d\xff 2 1 x\n", FileError, "a.run:2"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_the_readers_refuse_is_refused(what: str, tmp_path: Path) -> None:
    text, kind, word = REFUSED[what]
    (tmp_path / "a.run").write_bytes(text if isinstance(text, bytes) else text.encode())
    how = ReadOptions.of()
    inputs = [convert.Input("runs", file, how.runs) for file in input_files([tmp_path / "a.run"], "read_runs")]
    with refused(kind, word):
        convert.convert_files(inputs, tmp_path / "data", how, None, None)


def test_folders_and_files_that_do_not_fit_are_refused(study: Path, tmp_path: Path) -> None:
    data = converted(study, tmp_path)
    with refused(OutputError, "is converted already"):
        converted(study, tmp_path)
    with refused(OutputError, "is not empty"):
        ds.convert(study / "dense.run", study)
    with refused(FileError, "cannot be converted", "audit"):
        ds.convert(EXAMPLES / "audit.csv", tmp_path / "other")
    with refused(InputError, "nothing to convert"):
        ds.convert(output=tmp_path / "other")
    with refused(InputError, "0 parts"):
        ds.convert(study / "dense.run", tmp_path / "other", parts=0)
    with refused(FileError, "both called 'dense'"):
        ds.convert([study / "dense.run", f"dense={study / 'bm25.run.gz'}"], tmp_path / "other")
    only = ds.convert(study / "dense.run", tmp_path / "only").folder
    with refused(FileError, "holds no judgments"):
        ds.evaluate(only, only, "AP")
    with refused(FileError, "schema 99"):
        path = Path(data) / "manifest.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "schema": 99}))
        ds.read_runs(data)


def test_names_given_by_the_user_and_a_declared_scale_are_kept(study: Path, tmp_path: Path) -> None:
    data = ds.convert(
        f"mine={study / 'dense.run'}", tmp_path / "data", judgments={"carl": study / "ann.qrels"}, scale="0..5"
    ).folder
    scores = ds.evaluate(data, data, "ERR@10")
    assert scores["system"].values.tolist() == ["mine"]
    assert scores["assessor"].values.tolist() == ["carl"]
    assert scores.attrs["scale"] == "0…5"
    assert ds.read_judgments(f"{data}/judgments").scale.declared
