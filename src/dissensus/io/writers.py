"""Files out: `write_runs` and `write_judgments`, in every format that can be read.

The ending decides: .csv .tsv .jsonl .json .parquet .arrow, anything else is TREC; all but Parquet also as .gz or .zst.
What is written reads back as it was, scores to the last bit; files appear whole or not at all.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from dissensus.arrays import Values
from dissensus.errors import OutputError
from dissensus.io.files import PathLike, kind, packing
from dissensus.windows.spreadsheets import inert
from dissensus.work.atomic import atomic

if TYPE_CHECKING:
    from dissensus.tables.judgments import Judgments
    from dissensus.tables.runs import Runs


def write_runs(runs: Runs, path: PathLike) -> None:
    """Write runs into one file, or, where the path holds {system}, into one file per system.

    In a TREC file the last column names the system: read several systems in one file back with `system="tag"`.

    >>> import tempfile, pathlib
    >>> from dissensus import Runs
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> runs = Runs.from_dict({"bm25": {"q1": {"d1": 0.1 + 0.2, "d2": 1e-9}}})
    >>> write_runs(runs, folder / "{system}.run")
    >>> print((folder / "bm25.run").read_text(), end="")
    q1 Q0 d1 1 0.30000000000000004 bm25
    q1 Q0 d2 2 1e-09 bm25
    """
    if "{system}" in str(path):
        for system in runs.systems:
            if "/" in system or "\\" in system or "\0" in system or system in ("", ".", ".."):
                raise OutputError(f"the system {system!r} cannot name a file.", "Write all systems into one file.")
            write_runs(runs.select(systems=[system]), str(path).replace("{system}", system))
        return
    _write(Path(path), runs.to_frame, lambda: _run_lines(runs))


def write_judgments(judgments: Judgments, path: PathLike) -> None:
    """Write judgments into one file.

    In a qrels file the second column names the assessor: read it back with `assessor="column"`. Repeated judgments are
    written in their order: read them back with `repeated="keep"`.

    >>> import tempfile, pathlib
    >>> from dissensus import Judgments
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> write_judgments(Judgments.from_dict({"ann": {1: {"d1": 2, "d2": 0}}}), path)
    >>> print(path.read_text(), end="")
    topic,doc,assessor,grade
    1,d1,ann,2
    1,d2,ann,0
    """
    _write(Path(path), judgments.to_frame, lambda: _qrels_lines(judgments))


def _write(path: Path, frame: Callable[[], pl.DataFrame], lines: Callable[[], Iterable[tuple[str, ...]]]) -> None:
    format = kind(path)
    packed = packing(path)
    if format == "parquet":
        if packed:
            raise OutputError(f"{path}: Parquet files are compressed inside.", f"Leave out the {packed}.")
        data = _bytes_of(frame(), format)
    elif format == "trec":
        data = "".join(_checked(lines(), path)).encode()
    else:
        data = _bytes_of(frame(), format)
    with atomic(path, "wb") as file:
        if packed == ".gz":
            with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as inner:
                inner.write(data)
        elif packed:
            import zstandard

            file.write(zstandard.ZstdCompressor().compress(data))
        else:
            file.write(data)


def _bytes_of(frame: pl.DataFrame, format: str) -> bytes:
    out = io.BytesIO()
    if format == "parquet":
        frame.write_parquet(out)
    elif format == "arrow":
        frame.write_ipc(out)
    elif format == "jsonl":
        frame.write_ndjson(out)
    elif format == "json":
        out.write(_nested(frame).encode())
    else:
        inert(frame).write_csv(out, separator="," if format == "csv" else "\t")
    return out.getvalue()


def _nested(frame: pl.DataFrame) -> str:
    """{system or assessor: {topic: {doc: value}}}, as pytrec_eval and ranx have it within one name."""
    who = frame.columns[0] if "system" in frame.columns else "assessor"
    value = frame.columns[-1]
    out: dict[str, dict[str, Values]] = {}
    for name, topic, doc, one in frame.select(who, "topic", "doc", value).iter_rows():
        docs = out.setdefault(name, {}).setdefault(topic, {})
        if doc in docs:
            raise OutputError(f"{name} judges document {doc} of topic {topic} twice.", "Write a .csv or .jsonl file.")
        docs[doc] = one
    return json.dumps(out, ensure_ascii=False, allow_nan=False)


def _run_lines(runs: Runs) -> Iterator[tuple[str, ...]]:
    docs = runs.ids.strings()
    scores = runs.score.tolist()
    for s in range(len(runs.segment_system)):
        topic, system = runs.topics[runs.segment_topic[s]], runs.systems[runs.segment_system[s]]
        begin, end = int(runs.bounds[s]), int(runs.bounds[s + 1])
        for row in range(begin, end):
            yield topic, "Q0", docs[row], str(row - begin + 1), repr(scores[row]), system


def _qrels_lines(judgments: Judgments) -> Iterator[tuple[str, ...]]:
    docs = judgments.doc_ids()
    topics = np.array(judgments.topics, dtype=object)[judgments.item_topic].tolist()
    for item, who, grade in zip(
        judgments.item.tolist(), judgments.assessor.tolist(), judgments.grade.tolist(), strict=True
    ):
        yield topics[item], judgments.assessors[who], docs[item], judgments.scale.name(grade)


def _checked(lines: Iterable[tuple[str, ...]], path: Path) -> Iterator[str]:
    """Lines of a TREC file; what its columns cannot hold is an error."""
    for columns in lines:
        line = " ".join(columns)
        if line.count(" ") != len(columns) - 1 or line.startswith("#"):
            bad = next((c for c in columns if " " in c), columns[0])
            raise OutputError(
                f"{path}: {bad!r} cannot stand in a TREC file, whose columns are separated by blanks and whose "
                "comments begin with #.",
                "Write a .csv, .jsonl or .parquet file.",
            )
        yield line + "\n"
