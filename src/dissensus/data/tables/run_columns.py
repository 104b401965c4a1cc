"""Large frames to Runs by kernels: ids hashed where they lie, only what is out of order sorted.

The careful way (`run_table.run_codes`) sorts every row by text and takes microseconds for each; this one takes the way
of TREC files. It gives up, with None, on whatever the careful way would refuse or must look at, so that every error is
that one's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from dissensus.data.join.concatenate import Piece, joined_fields
from dissensus.data.join.rankings import rankings
from dissensus.data.tables.columns import id_strings
from dissensus.data.tables.id_text import changes, id_text
from dissensus.errors import InputError

LARGE = 50_000  # rows below which the careful way is done before the kernels are loaded
_PLAIN = (pl.String, pl.Categorical, pl.Enum)


def run_fields(system: Any, topic: Any, doc: Any, score: Any, *, systems: Sequence[str] = ()) -> dict[str, Any] | None:
    """The fields of Runs from four Polars columns; None where `run_codes` must look at them."""
    columns = (system, topic, doc)
    if not all(isinstance(c, pl.Series) for c in (*columns, score)) or len(score) < LARGE:
        return None
    if not all(c.dtype.is_integer() or c.dtype in _PLAIN for c in columns) or not score.dtype.is_numeric():
        return None
    if any(c.null_count() for c in (*columns, score)):
        return None
    numbers = score.cast(pl.Float64)
    ids = id_text(doc)
    if ids is None or not bool(numbers.is_finite().all()):
        return None
    try:
        named = [_names(c, role) for c, role in ((system, "system"), (topic, "topic"))]
    except InputError:
        return None
    value = numbers.to_numpy() + 0.0  # a copy, in which −0.0 and 0.0 are one score
    found = rankings({"score": value, "key": ids.key, "start": ids.start, "length": ids.length}, *named[0], *named[1])
    if not _rank(found.bounds, found.columns, ids.text):
        return None
    silent = tuple(s for s in map(str, systems) if s not in set(found.systems))
    piece = Piece.of_rankings(found, ids.text)
    fields = joined_fields([replace(piece, systems=(*piece.systems, *silent))])
    fields.pop("notes")
    return fields


def _names(column: pl.Series, role: str) -> tuple[list[str], Any]:
    """(the names wherever they change, the rows at which they do), names checked once each."""
    values, rows = changes(column)
    distinct = list(dict.fromkeys(values))
    texts = id_strings(pl.Series(role, distinct), role, lambda row: "").to_list()
    text = dict(zip(distinct, texts, strict=True))
    return [text[v] for v in values], rows


def _rank(bounds: Any, columns: dict[str, Any], text: Any) -> bool:
    """Put every ranking into rank order; False where one holds a document twice."""
    from dissensus.data.join.ordering import first_duplicate, rank

    if first_duplicate(bounds, columns["key"], text, columns["start"], columns["length"])[0] >= 0:
        return False
    rank(bounds, columns["score"], columns["key"], text, columns["start"], columns["length"])
    return True
