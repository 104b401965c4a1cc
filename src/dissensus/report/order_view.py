"""The order of systems as the page wants it: a row per system, its interval and its possible ranks as bars.

Bars are places in per cent, so that they are drawn by the page's style alone: without a script, in print, in the dark.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from dissensus.report.blocks import OrderBlock, Section
from dissensus.report.table_view import table_view

Bar = tuple[float, float]  # where it begins and how wide it is, in per cent


@dataclass(frozen=True)
class OrderRow:
    """One system: texts, the bar of its interval with its point, the bar of the ranks it may have."""

    place: str
    system: str
    score: str
    interval: str
    groups: str
    ranks: str
    point: float | None
    bar: Bar | None
    rank_bar: Bar | None
    open: tuple[bool, bool]  # does the interval go on beyond the edge, left and right


@dataclass(frozen=True)
class OrderView:
    """All rows; those from `block.shown` on appear after a click."""

    id: str
    block: OrderBlock
    rows: list[OrderRow]
    lowest: str
    highest: str
    zero: float | None
    letters: bool
    ranked: bool


def order_view(section: Section, block: OrderBlock, tables: dict[str, Any]) -> OrderView:
    """The rows; the table itself goes to `tables`, for the download."""
    data = table_view(section, block.table, tables)
    rows = block.frame.rows(named=True)
    numbers = [r[c] for r in rows for c in ("score", "low", "high") if r[c] is not None and math.isfinite(r[c])]
    low, high = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)
    room = (high - low) or 1.0
    shown = [_row(r, block.digits, low, room, len(rows)) for r in rows]
    return OrderView(
        data.id, block, shown, fixed(low, 2), fixed(high, 2), 100 * -low / room if block.zero else None,
        any(r.groups for r in shown), any(r.ranks for r in shown),
    )  # fmt: skip


def fixed(x: float | None, digits: int) -> str:
    """A number with so many digits, for a column of them; zero has no sign.

    >>> fixed(-0.0001, 3), fixed(float("-inf"), 3), fixed(None, 3)
    ('0.000', '−∞', '–')
    """
    if x is None or math.isnan(x):
        return "–"
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    return f"{0.0 if round(x, digits) == 0 else x:.{digits}f}"


def _row(r: dict[str, Any], digits: int, low: float, room: float, n: int) -> OrderRow:
    def place(x: float) -> float:
        return round(min(max(100 * (x - low) / room, 0.0), 100.0), 2)

    score, a, b = r["score"], r["low"], r["high"]
    known = score is not None and math.isfinite(score)
    bounded = known and a is not None and b is not None and not math.isnan(a) and not math.isnan(b)
    first, last = r["best rank"], r["worst rank"]
    ranks = "" if first is None else str(first) if first == last else f"{first}–{last}"
    return OrderRow(
        str(r["place"]),
        r["system"],
        fixed(score, digits),
        f"[{fixed(a, digits)}, {fixed(b, digits)}]" if bounded and a != b else "",
        r["groups"],
        ranks,
        place(score) if known else None,
        (place(a), round(place(b) - place(a), 2)) if bounded else None,
        None if first is None else (round(100 * (first - 1) / n, 2), round(100 * (last - first + 1) / n, 2)),
        (bounded and math.isinf(a), bounded and math.isinf(b)),
    )
