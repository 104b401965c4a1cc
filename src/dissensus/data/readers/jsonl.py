"""JSON lines: one object per line, with the columns as keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.readers.files import contents
from dissensus.data.readers.text import decode
from dissensus.errors import FileError

SHAPE = 'A line is an object like {"topic": "301", "doc": "FT-7", "assessor": "ann", "grade": 2}.'


def read_jsonl(path: Path, data: bytes | None = None) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """(columns, line of each row) of a JSON lines file; values are texts, numbers, true or false."""
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    for number, line in enumerate(decode(contents(path) if data is None else data, path).split("\n"), 1):
        if not line.strip():
            continue
        rows.append(_object(line, f"{path}:{number}"))
        lines.append(number)
    names = list(dict.fromkeys(key for row in rows for key in row))
    columns: dict[str, pl.Series] = {}
    for name in names:
        values = [row.get(name) for row in rows]
        columns[name] = _column(name, values)
    return pl.DataFrame(columns), np.array(lines, np.int64)


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        value = _DECODER.decode(line)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{where}: not JSON ({error}): {line.strip()[:60]!r}.", SHAPE) from error
    if not isinstance(value, dict):
        raise FileError(f"{where}: {line.strip()[:60]!r} is not an object.", SHAPE)
    if "\\u" in line:
        _refuse_halves(value, where)
    return value


def _refuse_halves(value: dict[str, Any], where: str) -> None:
    """Refuse escapes like \\ud800, which are half of a character."""
    for key, inner in value.items():
        try:
            f"{key}{inner}".encode()
        except UnicodeEncodeError as error:
            raise FileError(f"{where}: the {key!a} {inner!a} is not text: half of a character is missing.") from error


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [k for k, _ in pairs]
        raise ValueError(f"the key {next(k for k in keys if keys.count(k) > 1)!r} appears twice")
    return value


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number in JSON")


# one decoder for all lines: json.loads would make one for each
_DECODER = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_refuse)


def _column(name: str, values: list[Any]) -> pl.Series:
    """Whole numbers and texts as they are; other mixtures as Python objects, for the checks to name the row."""
    kinds = {type(v) for v in values if v is not None}
    if kinds <= {str}:
        return pl.Series(name, values, dtype=pl.String)
    if kinds <= {int} and all(v is None or -(2**63) <= v < 2**63 for v in values):
        return pl.Series(name, values, dtype=pl.Int64)
    if kinds <= {int, float}:
        return pl.Series(name, [None if v is None else _float(v) for v in values], dtype=pl.Float64)
    return pl.Series(name, values, dtype=pl.Object)


def _float(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")
