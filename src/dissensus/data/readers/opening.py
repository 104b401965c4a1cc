"""What a file holds, found out by looking into it: rows of runs, judgments or scores.

The ending of the name says how a table is written (CSV, TSV, JSON lines, Parquet). Which tool wrote it and which column
is which are told by keys and headers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dissensus.data.readers.choices import Choices
from dissensus.data.readers.doors import (
    argilla,
    deepeval,
    elasticsearch,
    inspect_log,
    label_studio,
    lm_eval,
    mlflow,
    nested,
    opensearch,
    promptfoo,
    quepid,
    ragas,
    umbrela,
)
from dissensus.data.readers.doors.document import Document
from dissensus.data.readers.files import contents, kind
from dissensus.data.readers.jsonl import WITH_NAN, frame_of, records_of
from dissensus.data.readers.rows import Kind, Rows
from dissensus.data.readers.table import Table, checked_names, read_table
from dissensus.data.readers.text import decode
from dissensus.data.tables.runs import NUMBER
from dissensus.errors import FileError

DOORS = (
    quepid, elasticsearch, opensearch, umbrela, label_studio, argilla, mlflow, ragas, promptfoo, inspect_log, lm_eval,
    deepeval, nested,
)  # fmt: skip
_WORD = {"runs": "rankings", "judgments": "judgments", "scores": "scores of measures"}
_READER = {"runs": "read_runs", "judgments": "read_judgments", "scores": "read_scores"}
PassageIds = dict[tuple[str, str], tuple[str, str]]


def looks_like_json(path: Path) -> bool:
    """Does the file begin as JSON does? A line of a run or of qrels whose topic begins with a bracket does not."""
    if kind(path) in ("json", "jsonl"):
        return True
    if kind(path) != "trec" or not path.is_file():
        return False
    with open(path, "rb") as file:
        start = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] not in (b"{", b"["):
        return False
    words = start.partition(b"\n")[0].decode("utf-8", "replace").split()
    number = {6: 4, 4: 3}.get(len(words))  # where a run has its score, and qrels their grade
    return number is None or NUMBER.fullmatch(words[number]) is None


def read_document(path: Path) -> Document:
    """A JSON file, or the objects of JSON lines."""
    text = decode(contents(path), path)
    if kind(path) != "jsonl":
        try:
            value = WITH_NAN.decode(text)
            flat = isinstance(value, dict) and not any(isinstance(v, dict | list) for v in value.values())
            return Document([value] if flat and value else value, path)
        except RecursionError:
            raise FileError(f"{path} is nested too deeply to be read.") from None
        except ValueError as error:
            if text.lstrip()[:1] != "{" or "\n" not in text.strip():
                line = getattr(error, "lineno", None)
                raise FileError(f"{path}{f':{line}' if line else ''} is not JSON ({error}).") from error
    records, lines = records_of(text, path)
    return Document(records, path, tuple(lines))


def door_of(document: Document) -> Any:
    """The door that a document belongs to, or None."""
    return next((door for door in DOORS if door.opens(document)), None)


def open_document(document: Document, wanted: Kind, choices: Choices, ids: PassageIds | None = None) -> Rows | None:
    """The rows of a document that one of the doors knows; None for a table in JSON lines."""
    door = door_of(document)
    if door is None:
        if document.records:
            return None
        raise FileError(
            f"{document.path} is JSON that dissensus does not know.",
            "Known are " + ", ".join(d.NAME for d in DOORS[:-1]) + ", and {topic: {document: number}}.",
            'Else write a table: {"topic": "301", "doc": "FT-7", "grade": 2}, one object a line, as .jsonl.',
        )
    try:
        if door in (label_studio, argilla):
            found: dict[Kind, Rows] = door.read(document, choices.columns.get("grade"))
        elif door is umbrela:
            found = umbrela.read(document, ids)
        else:
            found = door.read(document)
    except (AttributeError, TypeError, KeyError) as error:  # an object where a list belongs, and the like
        raise FileError(
            f"{document.path} looks like {door.NAME} and breaks its format ({type(error).__name__}: {error}).",
            "Export it again.",
        ) from error
    if wanted not in found or not len(found[wanted]):
        there = [f"{_WORD[k]} ({_READER[k]})" for k, rows in found.items() if len(rows)]
        raise FileError(
            f"{document.path} is {door.NAME} and holds no {_WORD[wanted]}"
            + (f", but {' and '.join(there)}." if there else "."),
        )
    return found[wanted]


def table_of(document: Document, choices: Choices) -> Table:
    """The table that a list of plain objects is."""
    frame = frame_of(document.records)
    line = np.array(document.lines or range(1, frame.height + 1), np.int64)
    return Table(frame, document.path, line, checked_names(choices.columns, frame, document.path))


def open_table(path: Path, choices: Choices, data: bytes | None = None) -> Table:
    """A table with a header; numbers in `columns` say that it has none and count its columns from 1."""
    wanted = choices.columns
    if wanted and all(c.isdigit() for c in wanted.values()):
        data = contents(path) if data is None else data
        separator = choices.separator or _separator(decode(data, path), path)
        width = decode(data, path).lstrip("\n").partition("\n")[0].rstrip("\r").count(separator) + 1
        return read_table(path, wanted, separator=separator, names=[str(i + 1) for i in range(width)], data=data)
    mark = choices.separator
    if mark is None and wanted and kind(path) == "trec":  # a .txt tells by its first line what separates it
        data = contents(path) if data is None else data
        mark = _separator(decode(data, path), path)
    return read_table(path, wanted, separator=mark, data=data)


def _separator(text: str, path: Path) -> str:
    """What separates the columns of a table without a header."""
    first = text.lstrip("\n").partition("\n")[0]
    return next((s for s in ("\t", ",", ";", " ") if s in first), "\t" if kind(path) == "tsv" else ",")
