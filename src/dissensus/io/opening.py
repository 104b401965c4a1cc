"""What a JSON file holds, found out by looking into it: rows of runs, judgments or scores.

Which tool wrote it is told by its keys; where none of the doors knows them, a list of plain objects is a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.errors import FileError
from dissensus.io.contents import contents, decode
from dissensus.io.exports import (
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
from dissensus.io.exports.document import ExportedFile, Kind
from dissensus.io.files import kind
from dissensus.io.jsonl import WITH_NAN, frame_of, records_of
from dissensus.io.options import RoleOptions
from dissensus.io.table import Rows, TextTable

DOORS = (
    quepid, elasticsearch, opensearch, umbrela, label_studio, argilla, mlflow, ragas, promptfoo, inspect_log, lm_eval,
    deepeval, nested,
)  # fmt: skip
_WORD = {"runs": "rankings", "judgments": "judgments", "scores": "scores of measures"}
_READER = {"runs": "read_runs", "judgments": "read_judgments", "scores": "read_scores"}
PassageIds = dict[tuple[str, str], tuple[str, str]]


def read_document(path: Path) -> ExportedFile:
    """A JSON file, or the objects of JSON lines."""
    text = decode(contents(path), path)
    if kind(path) != "jsonl":
        try:
            value = WITH_NAN.decode(text)
            flat = isinstance(value, dict) and not any(isinstance(v, dict | list) for v in value.values())
            return ExportedFile([value] if flat and value else value, path)
        except RecursionError:
            raise FileError(f"{path} is nested too deeply to be read.") from None
        except ValueError as error:
            if text.lstrip()[:1] != "{" or "\n" not in text.strip():
                line = getattr(error, "lineno", None)
                raise FileError(f"{path}{f':{line}' if line else ''} is not JSON ({error}).") from error
    records, lines = records_of(text, path)
    return ExportedFile(records, path, tuple(lines))


def door_of(document: ExportedFile) -> Any:
    """The door that a document belongs to, or None."""
    return next((door for door in DOORS if door.opens(document)), None)


def judgment_opener(
    paths: Iterable[Path], options: RoleOptions, others: bool
) -> Callable[[Path], Rows | TextTable | None]:
    """What opens each of these JSON files with judgments.

    UMBRELA's requests hold the ids of passages that are judged in other files; where there are `others`, they are
    opened as None.
    """
    documents = {path: read_document(path) for path in paths}
    requests = {path: document for path, document in documents.items() if umbrela.opens_request(document)}
    ids = {k: v for request in requests.values() for k, v in umbrela.ids(request).items()} if requests else None

    def opened(path: Path) -> Rows | TextTable | None:
        return None if path in requests and others else open_document(documents[path], "judgments", options, ids)

    return opened


def open_document(
    document: ExportedFile, wanted: Kind, options: RoleOptions, ids: PassageIds | None = None
) -> Rows | TextTable:
    """The rows of a document that one of the doors knows, or the table that a list of plain objects is."""
    door = door_of(document)
    if door is None:
        if document.records:
            frame = frame_of(document.records)
            line = np.array(document.lines or range(1, frame.height + 1), np.int64)
            return TextTable.of(frame, document.path, line, options)
        raise FileError(
            f"{document.path} is JSON that dissensus does not know.",
            "Known are " + ", ".join(d.NAME for d in DOORS[:-1]) + ", and {topic: {document: number}}.",
            'Else write a table: {"topic": "301", "doc": "FT-7", "grade": 2}, one object a line, as .jsonl.',
        )
    try:
        if door in (label_studio, argilla):
            question = options.columns.get("grade")
            options.seen.used.update({("grade", question)} if question else ())  # the door refuses an unknown question
            found: dict[Kind, Rows] = door.read(document, question)
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
