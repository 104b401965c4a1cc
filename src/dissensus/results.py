"""What every result can do: a table, JSON, a readable text, HTML for notebooks, and its chart.

A result is a frozen dataclass derived from `Result`. It defines `to_frame()`, and `__str__` where a table alone would
not say enough; the rest is inherited. Text from data is escaped wherever it is shown.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Count(Result):
    ...     labels: int
    ...     def to_frame(self):
    ...         import polars as pl
    ...         return pl.DataFrame({"labels": [self.labels]})
    >>> Count(3).to_json()
    '{"labels": 3}'
"""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

LINES, WIDTH = 12, 160  # of a repr
ROWS, NOTES = 20, 8  # of a table in a notebook


class Result:
    """Base of all results of dissensus."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__repr__" not in vars(cls):  # else the dataclass would print every field of every part
            cls.__repr__ = Result.__repr__  # type: ignore[method-assign]

    def to_frame(self) -> pl.DataFrame:
        """The result as a Polars table."""
        raise NotImplementedError(f"{type(self).__name__} defines no table")

    def to_pandas(self) -> pd.DataFrame:
        """The result as a pandas table (pandas must be installed)."""
        from dissensus.errors import DissensusError

        try:
            import pandas as pd
        except ImportError:
            raise DissensusError("to_pandas() needs pandas, which is not installed.", "pip install pandas") from None
        return pd.DataFrame(self.to_frame().to_dict(as_series=False))

    def to_json(self) -> str:
        """The result as one JSON object; NaN and infinite numbers become null."""
        return as_json(self)

    def plot(self) -> Any:
        """The result's chart (Altair)."""
        from importlib import import_module

        # the one import up the stairs: charts belong to the report, and a result only asks for its own
        return import_module("dissensus.reporting.charts.of_results").chart_of(self)

    def __str__(self) -> str:
        return f"{type(self).__name__}\n{self.to_frame()}"

    def __repr__(self) -> str:
        lines = [
            shown(line) if len(line) <= WIDTH else shown(line[: WIDTH - 1]) + "…" for line in str(self).split("\n")
        ]
        if len(lines) > LINES:
            lines = [*lines[: LINES - 1], f"… {len(lines) - LINES + 1:,} more lines: print(result) shows them all"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html_table(type(self).__name__, self.to_frame(), getattr(self, "notes", ()))


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
def plain(value: Any) -> Any:
    """Dataclasses, arrays and tuples as JSON values; NaN and infinite numbers become null.

    >>> plain({"interval": (0.1, float("inf"))})
    {'interval': [0.1, None]}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if f.repr}
    if isinstance(value, dict):
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


def as_json(result: Any) -> str:
    """A result as one JSON object."""
    return json.dumps(plain(result), ensure_ascii=False)


# ── what a person sees ───────────────────────────────────────────────────────────────────────────────────────────────
def shown(text: str) -> str:
    r"""Text from data with control and direction characters written out.

    >>> shown("a\x1b[31m\u202eb")
    'a\\x1b[31m\\u202eb'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def html_table(title: str, frame: pl.DataFrame, notes: Iterable[str] = (), *, rows: int = ROWS) -> str:
    """A table for a notebook: at most `rows` rows, numbers with four decimals, every text escaped, notes below."""
    head = "".join(f"<th>{_cell(name)}</th>" for name in frame.columns)
    body = "".join(f"<tr>{''.join(_td(v) for v in row)}</tr>" for row in frame.head(rows).iter_rows())
    hidden = frame.height - rows
    more = f"<p>{hidden:,} more rows: .to_frame() has them all.</p>" if hidden > 0 else ""
    told = list(notes)
    listed = "".join(f"<li>{_cell(note)}</li>" for note in told[:NOTES])
    if len(told) > NOTES:
        listed += f"<li>{len(told) - NOTES:,} more notes: print() shows them all.</li>"
    below = f"<ul style='max-width:60em'>{listed}</ul>" if listed else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div class='dissensus'><strong>{_cell(title)}</strong>{table}{more}{below}</div>"


def summary_html(title: str, facts: Sequence[tuple[str, object]], notes: Iterable[str] = ()) -> str:
    """A few facts about a noun (runs, judgments, an audit), for a notebook."""
    import polars as pl

    frame = pl.DataFrame({"": [name for name, _ in facts], "value": [_number(value) for _, value in facts]})
    return html_table(title, frame, notes)


def _td(value: object) -> str:
    right = " style='text-align:right'" if isinstance(value, int | float) and not isinstance(value, bool) else ""
    return f"<td{right}>{_cell(_number(value))}</td>"


def _number(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _cell(text: object) -> str:
    return html.escape(shown(str(text)))
