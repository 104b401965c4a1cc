"""One self-contained page: no network, no outside file, and text from data that cannot become markup.

The template escapes everything (Jinja's autoescape); data for scripts goes through `script_json`; a content security
policy forbids the page to load anything or to run code made from text. Charts are drawn from their specifications by
one inlined script, tables are plain HTML that a script makes sortable: the first rows as text, all of them as data for
sorting and for the download. The first screen is drawn in three widths (`systems_chart`), and the page's style chooses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from dissensus.arrays import Values
from dissensus.errors import visible
from dissensus.reporting import marks
from dissensus.reporting.blocks import (
    ROWS_SHOWN,
    CardsBlock,
    ChartBlock,
    ListBlock,
    Paragraph,
    Section,
    SystemsBlock,
    TableBlock,
)
from dissensus.reporting.charts.drawing import drawing
from dissensus.reporting.charts.theme import spec
from dissensus.reporting.embedding import script_json, vega_bundle
from dissensus.reporting.explorer import Packed
from dissensus.reporting.glossary import METHODS
from dissensus.reporting.origin import Origin
from dissensus.reporting.systems_chart import STANDALONE

if TYPE_CHECKING:
    import jinja2

# the chart of the first screen on a wide page, on a tablet and on paper, on a telephone: pixels, letters
DRAWN = 760  # pixels, of a chart in a section as it is before a script draws it to the width of the page
SIZES = {"wide": (1240, 16), "medium": (690, 14), "narrow": (340, 14)}


def render(
    title: str,
    sections: Sequence[Section],
    *,
    subtitle: str = "",
    documentation: str | None = None,
    explorer: Packed | None = None,
    origin: Origin | None = None,
    copies: Mapping[str, str] | None = None,
) -> str:
    """The page as text; the first section is open, the others are folded under their one-line answers.

    `documentation` is the address of the documentation site, linked from the methods. `copies` are the texts behind
    the buttons of the first screen, by their names.
    """
    charts: Values = {}
    tables: Values = {}
    views = [_section_view(section, charts, tables) for section in sections]
    used = {m for view in views for m in view["methods"]}
    template = _environment().get_template("page.html")
    return template.render(
        title=title,
        subtitle=subtitle,
        sections=views,
        methods={key: METHODS[key] for key in METHODS if key in used},
        documentation=documentation.rstrip("/") if documentation else None,
        style=_resource("page.css") + marks.style(".systems"),
        origin=origin,
        copies=script_json({**(copies or {}), "chart-style": STANDALONE + marks.style("svg")}),
        answer=next((b.text for s in sections[:1] for b in s.blocks if isinstance(b, Paragraph)), title),
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


def _section_view(section: Section, charts: Values, tables: Values) -> Values:
    blocks: list[Values] = []
    for block in section.blocks:
        if isinstance(block, Paragraph) and block.kind == "answer":
            if not blocks or blocks[-1]["type"] != "answer":
                blocks.append({"type": "answer", "blocks": []})
            blocks[-1]["blocks"].append(block)
        elif isinstance(block, Paragraph):
            blocks.append({"type": "paragraph", "block": block})
        elif isinstance(block, SystemsBlock):
            blocks.append({"type": "systems", **_systems_view(section, block, tables)})
        elif isinstance(block, CardsBlock):
            blocks.append({"type": "cards", "cards": block.cards})
        elif isinstance(block, ListBlock):
            blocks.append({"type": "list", "block": block})
        elif isinstance(block, TableBlock):
            blocks.append({"type": "table", "table": table_view(section, block, tables)})
        else:
            inner = None if block.table is None else table_view(section, block.table, tables)
            name, drawn = _chart_view(section, block, charts)
            blocks.append({"type": "chart", "id": name, "drawn": drawn, "block": block, "table": inner})
    inside = [b.table for b in section.charts() if b.table is not None]
    methods = [m for b in (*section.blocks, *inside) if (m := getattr(b, "method", None))]
    return {
        "key": section.key, "title": section.title, "missing": section.missing, "blocks": blocks, "methods": methods,
        "answer": section.answer, "short": section.short or section.title,
    }  # fmt: skip


def _systems_view(section: Section, block: SystemsBlock, tables: Values) -> Values:
    chart = block.chart
    drawn = {
        name: (Markup(chart.svg(*size)), Markup(chart.svg(*size, folded=True)) if chart.folded else "")
        for name, size in SIZES.items()
    }
    return {
        "block": block, "drawn": drawn, "folded": len(chart.folded), "systems": len(chart.rows) + len(chart.folded),
        "table": table_view(section, block.table, tables),
    }  # fmt: skip


def _chart_view(section: Section, block: ChartBlock, charts: Values) -> tuple[str, Markup]:
    name = f"chart-{section.key}-{block.name}"
    specification = all_visible(spec(block.chart, adaptive=True))
    specification["description"] = visible(block.description)
    charts[name] = specification
    return name, Markup(drawing(specification, DRAWN, name=name))  # before scripts, without them, and in print


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


def all_visible(value: object) -> Any:
    """The same in every text of a chart's specification."""
    if isinstance(value, dict):
        return {k: all_visible(v) for k, v in value.items()}
    if isinstance(value, list):
        return [all_visible(v) for v in value]
    return _shown(value)


@cache
def _resource(name: str) -> str:
    return (files("dissensus.reporting") / "templates" / name).read_text(encoding="utf-8")


# ── tables ──
@dataclass(frozen=True)
class TableView:
    """A table as the template wants it: columns with their titles, whether they hold numbers and what they mean."""

    id: str
    block: TableBlock
    columns: tuple[tuple[str, bool, str], ...]
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
    described = block.table.columns.values()
    columns = tuple((c.title, number, c.meaning) for c, number in zip(described, numeric, strict=True))
    shown = [[cell(value, block.digits) for value in row] for row in frame.head(ROWS_SHOWN).iter_rows()]
    return TableView(name, block, columns, shown, frame.height - len(shown))


def cell(value: object, digits: int) -> str:
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
