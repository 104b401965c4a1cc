"""One self-contained page: no network, no outside file, and text from data that cannot become markup.

The template escapes everything (Jinja's autoescape); data for scripts goes through `script_json`; a content security
policy forbids the page to load anything or to run code made from text. Charts are drawn from their specifications by
one inlined script, tables are plain HTML that a script makes sortable.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from dissensus.errors import visible
from dissensus.report.blocks import ChartBlock, OrderBlock, Paragraph, Section, TableBlock
from dissensus.report.embedding import script_json, vega_bundle
from dissensus.report.explorer import Packed
from dissensus.report.glossary import METHODS
from dissensus.report.table_view import order_view, table_view

if TYPE_CHECKING:
    import jinja2


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
    methods = [m for b in section.blocks if (m := b.method)] + [
        m for b in section.charts() if b.table is not None and (m := b.table.method)
    ]
    return {
        "key": section.key, "title": section.title, "missing": section.missing, "blocks": blocks, "methods": methods,
        "answer": section.answer, "short": section.short or section.title,
    }  # fmt: skip


def _chart_view(section: Section, block: ChartBlock, charts: dict[str, Any]) -> str:
    from dissensus.report.charts.theme import spec

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


def _shown(value: Any) -> Any:
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
    return (files("dissensus.report") / "templates" / name).read_text(encoding="utf-8")
