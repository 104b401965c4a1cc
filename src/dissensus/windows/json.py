"""Results as JSON: one object with a schema number, the same for every result.

    {"schema": 3, "result": "Corrected", "title": …, "claims": [...], "tables": {name: [rows]},
     "columns": {name: {column: meaning}}, "notes": [...], and the facts of the result by name}

NaN and infinite numbers are null. 0.2.0 wrote objects without a schema number, `footer` where this has `notes`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dissensus.results import Result

SCHEMA = 3  # 0.3.0
STANDING = ("schema", "result", "title", "claims", "tables", "columns", "notes")


def text(result: Result, *, indent: int | None = None, say: Callable[[str], str] = str) -> str:
    """A result as JSON; `say` words its notes for the reader."""
    return written(document(result, say=say), indent)


def document(result: Result, *, say: Callable[[str], str] = str) -> dict[str, Any]:
    """A result as plain values."""
    tables = result.tables
    return {
        "schema": SCHEMA,
        "result": type(result).__name__,
        "title": result.title,
        "claims": [plain(c.to_dict() if hasattr(c, "to_dict") else str(c)) for c in result.claims],
        "tables": {name: plain(table.frame.to_dicts()) for name, table in tables.items()},
        "columns": {name: {c.name: c.meaning for c in table.columns.values()} for name, table in tables.items()},
        "notes": [say(note) for note in result.notes],
        **_outcome(result),
        **{name: value for name, value in plain(result.facts).items() if name not in STANDING},
    }


def _outcome(result: Result) -> dict[str, Any]:
    """What is concluded about systems, where a result concludes something: the object has a schema number."""
    found = getattr(result, "outcome", None)
    return {} if found is None or not hasattr(found, "to_dict") else {"outcome": plain(found.to_dict())}


def written(value: object, indent: int | None = None) -> str:
    """Plain values as JSON text."""
    return json.dumps(plain(value), ensure_ascii=False, indent=indent, allow_nan=False)


def plain(value: Any) -> Any:
    """Dataclasses, arrays and tuples as JSON values; NaN and infinite numbers become null.

    >>> plain({"interval": (0.1, float("inf"))})
    {'interval': [0.1, None]}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if f.repr}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int) else str(value)
