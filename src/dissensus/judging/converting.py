"""`convert`: files of any size into one folder of Parquet, divided by topic, from which every verb reads.

    ds.convert(["runs/*.gz", "labels.csv"], "data")
    ds.evaluate("data", "data", ["AP"])

Runs and judgments are read in chunks: memory is that of a chunk and of a part, whatever the size of the files. Rows of
one topic are in one part, and parts have the same number on both sides, so that each is scored by itself, here or on
any cluster. A conversion that was interrupted goes on when it is asked for again.

Not for small studies: files of a few million lines are read as quickly as they are.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, Unpack

import polars as pl

from dissensus.arrays import Values
from dissensus.errors import FileError, Fix, InputError, JudgmentError, RunError
from dissensus.io.columnar import damage_named
from dissensus.io.converted.blocks import blocks
from dissensus.io.converted.convert import Input, convert_files
from dissensus.io.converted.manifest import Manifest, Side
from dissensus.io.files import Given, InputFile, PathLike, input_files, kind, looks_like_json, packing
from dissensus.io.options import Missing, ReadOptions, TableKeywords, spelled_out
from dissensus.io.score_files import scores_from_files
from dissensus.judging.checking import recognised_files
from dissensus.judging.preferences.reading import read_preferences
from dissensus.measures.scores import ScoreArrays
from dissensus.results import Result, Table
from dissensus.tables.grades import ScaleLike
from dissensus.wording import counted

HEAD = 400_000  # bytes, and rows / 100, by which a file is told
_SIDE: dict[object, Side] = {
    "runs": "runs", "labels": "judgments", "preferences": "preferences", "scores": "scores",
    RunError: "runs", JudgmentError: "judgments",  # what is wrong with them is said, or kept, where they are read
}  # fmt: skip


@dataclass(frozen=True)
class Converted(Result):
    """What was converted, and where it is."""

    manifest: Manifest

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return f"Converted into {self.folder}"

    @property
    def folder(self) -> str:
        """The folder, which every verb reads."""
        return str(self.manifest.folder)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was noted while the files were read."""
        m = self.manifest
        how = f"divided by topic into {counted(m.parts, 'part')}" + (f"; scale {m.scale}" if m.scale else "")
        return tuple(dict.fromkeys([how, *(n for c in m.sides.values() for n in c.notes)]))

    @property
    def facts(self) -> Values:
        """Where it is, and how it is divided."""
        return {"folder": self.folder, "parts": self.manifest.parts, "scale": str(self.manifest.scale or "")}

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        m = self.manifest
        rows = [
            {"side": side, "rows": c.rows, "topics": c.topics, "parts": len(c.files), "names": len(c.names),
             "bytes": sum(f.bytes for f in c.files)}
            for side, c in m.sides.items()
        ]  # fmt: skip
        meanings = {
            "side": "what the rows are", "rows": "number of rows", "topics": "number of topics",
            "parts": "number of files", "names": "number of systems or assessors", "bytes": "size of the files",
            "file": "file that was read",
        }  # fmt: skip
        return {
            "sides": Table.of(pl.DataFrame(rows), meanings),
            "inputs": Table.of(pl.DataFrame(m.inputs, schema=["side", "file", "bytes"], orient="row"), meanings),
        }


@spelled_out
def convert(
    files: Given | None = None,
    output: PathLike = "data",
    *,
    judgments: Given | None = None,
    preferences: Given | None = None,
    score_table: Given | None = None,
    parts: int | None = None,
    system: Literal["file", "tag"] | None = None,
    assessor: str | None = None,
    scale: ScaleLike = None,
    missing: Missing | None = None,
    **table: Unpack[TableKeywords],
) -> Converted:
    """Convert files of any size into one folder of Parquet files divided by topic, from which every verb reads.

    Memory is bounded, whatever the size of runs and judgments. The same call goes on where an interrupted one stopped.

    Parameters
    ----------
    files
        Files, globs or lists of them: runs, judgments, preferences and scores are told apart by what is in them.
    output
        The folder, which is made.
    judgments
        Files of labels. {"ann": "some.qrels"} or "ann=some.qrels" names the assessor of one.
    preferences
        Files of preferences.
    score_table
        Tables of scores per topic.
    parts
        How many parts. By default there is one for about a million rows of the runs.
    system
        Name systems after their file, or after the tag in the run.
    assessor
        In qrels files: file, column, or the name of the one assessor.

    Returns
    -------
    Converted
        `.folder`, `.manifest`. Its tables:

        - `sides`: side, rows, topics, parts, names, bytes
        - `inputs`: side, file, bytes

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "bm25.run").write_text("301 Q0 d1 1 2.5 x\\n301 Q0 d2 2 1.5 x\\n")
    >>> _ = (folder / "ann.qrels").write_text("301 0 d1 0\\n301 0 d2 1\\n")
    >>> data = ds.convert([folder / "bm25.run", folder / "ann.qrels"], folder / "data").folder
    >>> float(ds.evaluate(data, data, "AP")["AP"].mean())
    0.5
    """
    found = ReadOptions.of(scale=scale, missing=missing, **table)
    options = replace(
        found, runs=replace(found.runs, system=system), judgments=replace(found.judgments, assessor=assessor)
    )
    named: dict[Side, Any] = {"judgments": judgments, "preferences": preferences, "scores": score_table}
    return convert_with(files, output, named, options, parts)


def convert_with(
    files: object, output: PathLike, named: dict[Side, Any], options: ReadOptions, parts: int | None
) -> Converted:
    """The same with the options of reading as one value, and what has a side by its side."""
    inputs = [one for file in _listed(files, "convert") for one in _sorted_out(file, options)]
    for side, given in named.items():
        inputs += [_input(side, file, options) for file in _listed(given, f"read_{side}")]
    inputs.sort(key=lambda i: ("runs", "judgments", "preferences", "scores").index(i.side))
    return Converted(convert_files(inputs, Path(os.fspath(output)), options, parts, "convert"))


def _listed(given: object, reader: str) -> list[InputFile]:
    if given is None or (isinstance(given, list | tuple) and not given):
        return []
    return input_files(given if isinstance(given, list | tuple) else [given], reader)


def _sorted_out(file: InputFile, options: ReadOptions) -> list[Input]:
    """The inputs that a file is: one, or for the file of a tool several."""
    kinds = _kinds(file, options)
    sides = [_SIDE.get(k.what) or _SIDE.get(k.raised) for k in kinds]
    wrong = [k for k, side in zip(kinds, sides, strict=True) if side is None]
    if wrong or not kinds:
        found = wrong[0].what if wrong else "unknown"
        why = f": {wrong[0].problem.rstrip('.')}" if wrong and wrong[0].problem else ""
        raise FileError(
            f"{file.path} cannot be converted{why}."
            if found == "unknown"
            else f"{file.path} cannot be converted: it looks like this: {found}.",
            "Runs, judgments, preferences and scores are converted.",
            Fix("Say what it is with --judgments, --preferences or --score-table.", reader="command"),
            Fix("Say what it is with judgments=, preferences= or score_table=.", reader="python"),
        )
    return [_input(side, file, options) for side in sides if side is not None]


def _kinds(file: InputFile, options: ReadOptions) -> Sequence[Any]:
    """What a file is, told by how it begins."""
    whole = kind(file.path) not in ("trec", "csv", "tsv", "parquet") or looks_like_json(file.path)
    if whole or file.path.stat().st_size < HEAD:
        return recognised_files(str(file.path), options)
    with tempfile.TemporaryDirectory() as folder:
        name = file.path.name.removesuffix(packing(file.path))
        head = Path(folder) / name
        if kind(file.path) == "parquet":
            with damage_named(str(file.path)):
                pl.scan_parquet(file.path).head(HEAD // 100).collect().write_parquet(head)
        else:
            head.write_bytes(_beginning(file.path))
        return [replace(k, problem=k.problem.replace(str(head), str(file.path))) for k in
                recognised_files(str(head), options)]  # fmt: skip


def _beginning(path: Path) -> bytes:
    for block in blocks(path, size=HEAD, quoted=kind(path) in ("csv", "tsv")):
        return block.data
    return b""


def _input(side: Side, file: InputFile, options: ReadOptions) -> Input:
    tables: dict[str, Callable[[InputFile], tuple[pl.DataFrame, tuple[str, ...]]]] = {
        "preferences": _preferences, "scores": partial(_scores, options=options),
    }  # fmt: skip
    role = options.runs if side == "runs" else options.judgments
    return Input(side, file, role, partial(tables[side], file) if side in tables else None)


def _given(file: InputFile) -> Any:
    return {file.name: file.path} if file.name is not None else file.path


def _preferences(file: InputFile) -> tuple[pl.DataFrame, tuple[str, ...]]:
    found = read_preferences(_given(file))
    return found.to_frame(), found.notes


def _scores(file: InputFile, options: ReadOptions) -> tuple[pl.DataFrame, tuple[str, ...]]:
    arrays = ScoreArrays.of(scores_from_files([_given(file)], options.scores))
    frames = [
        pl.DataFrame(
            {
                "topic": [t for _ in arrays.assessors for _ in arrays.systems for t in arrays.topics],
                "assessor": [a for a in arrays.assessors for _ in arrays.systems for _ in arrays.topics],
                "system": [s for _ in arrays.assessors for s in arrays.systems for _ in arrays.topics],
                "measure": pl.Series([name] * values.size, dtype=pl.String),
                "value": values.reshape(-1),
            }
        ).filter(pl.col("value").is_not_nan())
        for name, values in arrays.values.items()
    ]
    if not frames:
        raise InputError(f"{file.path} holds no scores.")
    return pl.concat(frames), ()
