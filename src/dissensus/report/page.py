"""One self-contained page: no network, no outside file, and text from data that cannot become markup.

The template escapes everything (Jinja's autoescape); data for scripts goes through `script_json`; a content security
policy forbids the page to load anything or to run code made from text. Charts are drawn from their specifications by
one inlined script, tables are plain HTML that a script makes sortable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from dissensus.report.blocks import ROWS_SHOWN, ChartBlock, Paragraph, Section, TableBlock
from dissensus.report.embedding import script_json, vega_bundle
from dissensus.report.explorer import Packed
from dissensus.report.glossary import METHODS

if TYPE_CHECKING:
    import jinja2


@dataclass(frozen=True)
class _Cell:
    text: str
    numeric: bool


@dataclass(frozen=True)
class _Table:
    """A table as the template wants it."""

    id: str
    block: TableBlock
    columns: tuple[tuple[str, bool], ...]
    rows: list[list[_Cell]]
    hidden: int


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
        explorer_data=explorer.data if explorer else "",
        explorer_script=_resource("explorer.js") if explorer else "",
    )


def _section_view(section: Section, charts: dict[str, Any], tables: dict[str, Any]) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = []
    for block in section.blocks:
        if isinstance(block, Paragraph):
            blocks.append({"type": "paragraph", "block": block})
        elif isinstance(block, TableBlock):
            blocks.append({"type": "table", "table": _table_view(section, block, tables)})
        else:
            inner = None if block.table is None else _table_view(section, block.table, tables)
            blocks.append({"type": "chart", "id": _chart_view(section, block, charts), "block": block, "table": inner})
    methods = [m for b in section.blocks if (m := b.method)] + [
        m for b in section.charts() if b.table is not None and (m := b.table.method)
    ]
    return {
        "key": section.key, "title": section.title, "missing": section.missing, "blocks": blocks, "methods": methods,
        "answer": section.answer,
    }  # fmt: skip


def _chart_view(section: Section, block: ChartBlock, charts: dict[str, Any]) -> str:
    from dissensus.report.charts.theme import spec

    name = f"chart-{section.key}-{block.name}"
    specification = spec(block.chart, adaptive=True)
    specification["description"] = block.description
    charts[name] = specification
    return name


def _table_view(section: Section, block: TableBlock, tables: dict[str, Any]) -> _Table:
    frame = block.frame
    numeric = [dtype.is_numeric() for dtype in frame.dtypes]
    name = f"table-{section.key}-{block.name}"
    tables[name] = {
        "file": f"{section.key}-{block.name}.csv",
        "columns": frame.columns,
        "numeric": numeric,
        "decimal": [dtype.is_float() for dtype in frame.dtypes],
        "digits": block.digits,
        "rows": [list(row) for row in frame.iter_rows()],
    }
    shown = [
        [_Cell(cell(v, block.digits), n) for v, n in zip(row, numeric, strict=True)]
        for row in frame.head(ROWS_SHOWN).iter_rows()
    ]
    return _Table(
        name, block, tuple(zip(frame.columns, numeric, strict=True)), shown, max(frame.height - ROWS_SHOWN, 0)
    )


def cell(value: Any, digits: int) -> str:
    """A value as it stands in a table; `page.js` writes the same when rows are sorted."""
    import math

    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        return f"{value:.1e}" if 0 < abs(value) < 0.5 * 10**-digits else f"{value:.{digits}f}"
    return str(value)


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_resource),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _resource(name: str) -> str:
    return (files("dissensus.report") / "templates" / name).read_text(encoding="utf-8")
