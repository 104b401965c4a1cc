"""One self-contained page: no network, no outside file, and text from data that cannot become markup.

The template escapes everything (Jinja's autoescape); data for scripts goes through `script_json`; a content security
policy forbids the page to load anything or to run code made from text. Charts are drawn from their specifications by
one inlined script, tables are plain HTML that a script makes sortable: the first rows as text, all of them as data for
sorting and for the download. The order of systems has a row per system, with its interval and its possible ranks as
bars: places in per cent, drawn by the page's style alone, without a script, in print, in the dark.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from dissensus.errors import visible
from dissensus.reporting.blocks import ROWS_SHOWN, ChartBlock, OrderBlock, Paragraph, Section, TableBlock
from dissensus.reporting.charts.theme import spec
from dissensus.reporting.embedding import script_json, vega_bundle
from dissensus.reporting.explorer import Packed
from dissensus.reporting.glossary import METHODS

if TYPE_CHECKING:
    import jinja2

Bar = tuple[float, float]  # where it begins and how wide it is, in per cent


def render(
    title: str,
    sections: Sequence[Section],
    *,
    subtitle: str = "",
    documentation: str | None = None,
    explorer: Packed | None = None,
) -> str:
    """The page as text; the first section is open, the others are folded under their one-line answers.

    `documentation` is the address of the documentation site, linked from the methods.
    """
    charts: dict[str, Any] = {}
    tables: dict[str, Any] = {}
    views = [_section_view(section, charts, tables) for section in sections]
    used = {m for view in views for m in view["methods"]}
    template = _environment().get_template("page.html")
    return template.render(
        title=title,
        subtitle=subtitle,
        sections=views,
        methods={key: METHODS[key] for key in METHODS if key in used},
        documentation=documentation.rstrip("/") if documentation else None,
        style=_resource("page.css"),
        script=_resource("page.js"),
        bundle=vega_bundle() if charts else "",
        charts=script_json(charts),
        tables=script_json(tables),
        explorer=explorer is not None,
        explorer_header=script_json(explorer.header) if explorer else "",
        explorer_line=explorer.line if explorer else "",
        explorer_data=explorer.data if explorer else "",
        explorer_script=_resource("explorer.js") if explorer else "",
    )


def _section_view(section: Section, charts: dict[str, Any], tables: dict[str, Any]) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = []
    for block in section.blocks:
        if isinstance(block, Paragraph) and block.kind == "answer":
            if not blocks or blocks[-1]["type"] != "answer":
                blocks.append({"type": "answer", "blocks": []})
            blocks[-1]["blocks"].append(block)
        elif isinstance(block, Paragraph):
            blocks.append({"type": "paragraph", "block": block})
        elif isinstance(block, OrderBlock):
            blocks.append({"type": "order", "order": order_view(section, block, tables)})
        elif isinstance(block, TableBlock):
            blocks.append({"type": "table", "table": table_view(section, block, tables)})
        else:
            inner = None if block.table is None else table_view(section, block.table, tables)
            blocks.append({"type": "chart", "id": _chart_view(section, block, charts), "block": block, "table": inner})
    inside = [b.table for b in section.charts() if b.table is not None]
    methods = [b.method for b in (*section.blocks, *inside) if b.method]
    return {
        "key": section.key, "title": section.title, "missing": section.missing, "blocks": blocks, "methods": methods,
        "answer": section.answer, "short": section.short or section.title,
    }  # fmt: skip


def _chart_view(section: Section, block: ChartBlock, charts: dict[str, Any]) -> str:
    name = f"chart-{section.key}-{block.name}"
    specification = all_visible(spec(block.chart, adaptive=True))
    specification["description"] = visible(block.description)
    charts[name] = specification
    return name


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_resource),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )


def _shown(value: object) -> object:
    """Texts with control and direction characters shown instead of obeyed; what is marked safe is ours."""
    return visible(value) if type(value) is str else value


def all_visible(value: Any) -> Any:
    """The same in every text of a chart's specification."""
    if isinstance(value, dict):
        return {k: all_visible(v) for k, v in value.items()}
    if isinstance(value, list):
        return [all_visible(v) for v in value]
    return _shown(value)


@cache
def _resource(name: str) -> str:
    return (files("dissensus.reporting") / "templates" / name).read_text(encoding="utf-8")


# ── tables, and the order of systems ──
@dataclass(frozen=True)
class TableView:
    """A table as the template wants it: columns with whether they hold numbers, the first rows as texts."""

    id: str
    block: TableBlock
    columns: tuple[tuple[str, bool], ...]
    rows: list[list[str]]
    hidden: int


def table_view(section: Section, block: TableBlock, tables: dict[str, object]) -> TableView:
    frame = block.frame
    numeric = [dtype.is_numeric() for dtype in frame.dtypes]
    name = f"table-{section.key}-{block.name}"
    tables[name] = {
        "file": f"{section.key}-{block.name}.csv",
        "columns": frame.columns,
        "numeric": numeric,
        "decimal": [dtype.is_float() for dtype in frame.dtypes],
        "digits": block.digits,
        "shown": ROWS_SHOWN,
        "rows": [list(row) for row in frame.iter_rows()],
    }
    columns = tuple(zip(frame.columns, numeric, strict=True))
    shown = [[cell(value, block.digits) for value in row] for row in frame.head(ROWS_SHOWN).iter_rows()]
    return TableView(name, block, columns, shown, frame.height - len(shown))


def cell(value: Any, digits: int) -> str:
    """A value as it stands in a table; `page.js` writes the same when rows are sorted."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        return f"{value:.1e}" if 0 < abs(value) < 0.5 * 10**-digits else f"{value:.{digits}f}"
    return str(value)


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


def order_view(section: Section, block: OrderBlock, tables: dict[str, object]) -> OrderView:
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
    )
