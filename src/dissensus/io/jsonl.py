"""JSON lines: one object per line, with the columns as keys."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Values
from dissensus.errors import FileError
from dissensus.io.contents import contents, decode
from dissensus.tables.columns import plain_column

SHAPE = 'A line is an object like {"topic": "301", "doc": "FT-7", "assessor": "ann", "grade": 2}.'


def read_jsonl(path: Path, data: bytes | None = None) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """(columns, line of each row) of a JSON lines file; values are texts, numbers, true or false."""
    rows, lines = records_of(decode(contents(path) if data is None else data, path), path)
    return frame_of(rows), np.array(lines, np.int64)


def frame_of(rows: Sequence[Mapping[str, object]]) -> pl.DataFrame:
    """One column per key; a key that an object lacks is missing there."""
    names = list(dict.fromkeys(key for row in rows for key in row))
    return pl.DataFrame({name: plain_column(name, [row.get(name) for row in rows]) for name in names})


def records_of(text: str, path: Path) -> tuple[list[dict[str, object]], list[int]]:
    """(objects, the line of each) of JSON lines."""
    rows: list[Values] = []
    lines: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            rows.append(_object(line, f"{path}:{number}"))
            lines.append(number)
    return rows, lines


def _object(line: str, where: str) -> dict[str, object]:
    try:
        value = DECODER.decode(line)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{where}: not JSON ({error}): {line.strip()[:60]!r}.", SHAPE) from error
    if not isinstance(value, dict):
        raise FileError(f"{where}: {line.strip()[:60]!r} is not an object.", SHAPE)
    if "\\u" in line:
        _refuse_halves(value, where)
    return value


def _refuse_halves(value: dict[str, object], where: str) -> None:
    """Refuse escapes like \\ud800, which are half of a character."""
    for key, inner in value.items():
        try:
            f"{key}{inner}".encode()
        except UnicodeEncodeError as error:
            raise FileError(f"{where}: the {key!a} {inner!a} is not text: half of a character is missing.") from error


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [k for k, _ in pairs]
        raise ValueError(f"the key {next(k for k in keys if keys.count(k) > 1)!r} appears twice")
    return value


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not a number in JSON")


# one decoder for all lines: json.loads would make one for each
DECODER = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_refuse)
# what other tools write as a whole document: NaN is a missing value there
WITH_NAN = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=lambda c: None if c == "NaN" else _refuse(c))
