"""A chart drawn once, as SVG of an exact width: for the page before any script runs, for print and for figures.

    svg = drawing(chart, 240)                      # a column of a paper, letters of 8
    write_drawing(svg, "figure.pdf")               # 240 pt wide; also .svg and .png

Vega-Lite gives a chart the width that is asked for only where it is one view. Maps and panels with steps get their own,
so every drawing is set to its width in the end. Whoever asks for 240 points gets a file of 240 points.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from dissensus.errors import OutputError
from dissensus.reporting.charts.theme import COLUMN, PAGE, Width, spec
from dissensus.work.atomic import atomic

if TYPE_CHECKING:
    from altair.typing import ChartType

PPI = 216  # of a .png: three pixels a point
HEAD = re.compile(r"<svg\b[^>]*>")
SIZE = re.compile(r'\s(?:width|height)="[^"]*"')
BOX = re.compile(r'viewBox="([^"]*)"')
ENDINGS = (".svg", ".pdf", ".png")


def points(width: Width) -> int:
    """A width in points: a column, a page, or a number.

    >>> points("column"), points("page"), points(300)
    (240, 504, 300)
    """
    named = {"column": COLUMN, "page": PAGE}
    if isinstance(width, str) and width in named:
        return named[width]
    assert isinstance(width, int)
    return width


def drawing(chart: ChartType, width: int, *, ratio: float = 0.62, name: str = "") -> str:
    """A chart, or its specification, as SVG of this width; `name` keeps its ids apart from those of others."""
    import vl_convert

    specification = dict(chart) if isinstance(chart, dict) else spec(chart, small=width <= COLUMN)
    if "layer" in specification or "mark" in specification:  # one view: its letters keep their size
        specification |= {"autosize": {"type": "fit", "contains": "padding"}}
        if not isinstance(specification.get("width"), dict):
            specification["width"] = width
        if not isinstance(specification.get("height"), int | float | dict):
            specification["height"] = round(width * ratio)
        elif isinstance(specification["height"], int | float):  # rows: the axis below takes its place, too
            specification["autosize"]["type"] = "fit-x"
    version = "6.4" if "6.4" in vl_convert.get_vegalite_versions() else vl_convert.get_vegalite_versions()[-1]
    svg = str(vl_convert.vegalite_to_svg(specification, vl_version=version, allowed_base_urls=[]))
    return _named(svg, name) if name else exact(_named(svg, name), width)


def exact(svg: str, width: float, unit: str = "") -> str:
    """The same drawing, so wide: a wider one is made smaller, a narrower one gets margins, and keeps its letters.

    >>> exact('<svg width="300" height="100" viewBox="0 0 300 100"><g/></svg>', 240, "pt")
    '<svg width="240pt" height="80pt" viewBox="0 0 300 100"><g/></svg>'
    >>> exact('<svg width="200" height="100" viewBox="0 0 200 100"><g/></svg>', 240)
    '<svg width="240" height="100" viewBox="-20 0 240 100"><g/></svg>'
    """
    head = HEAD.search(svg)
    box = BOX.search(head[0]) if head else None
    if head is None or box is None:
        raise OutputError("a drawing has no size.")
    left, top, wide, high = map(float, box[1].split())
    share = min(width / wide, 1.0)
    size = f'<svg width="{width:g}{unit}" height="{high * share:.6g}{unit}"'
    if wide < width:
        left, wide = left - (width - wide) / 2, width
    place = f'viewBox="{left:g} {top:g} {wide:g} {high:g}"'
    return svg[: head.start()] + BOX.sub(place, SIZE.sub("", head[0])).replace("<svg", size, 1) + svg[head.end() :]


def write_drawing(svg: str, path: Path, width: float) -> Path:
    """Write a drawing as .svg, .pdf (its letters embedded) or .png, whole or not at all."""
    import vl_convert

    made = {
        ".svg": lambda: exact(svg, width, "pt").encode(),
        ".pdf": lambda: bytes(vl_convert.svg_to_pdf(exact(svg, width))),
        ".png": lambda: bytes(vl_convert.svg_to_png(exact(svg, width), ppi=PPI)),
    }
    with atomic(path, "wb") as file:
        file.write(made[path.suffix]())
    return path


def _named(svg: str, name: str) -> str:
    """Ids counted within the drawing, the chart's name before them: a page has each once, whatever was drawn before."""
    before = f"{name}-" if name else ""
    found = dict.fromkeys(re.findall(r'\bid="([A-Za-z][\w-]*)"', svg))
    ids = {old: f"{before}{old.rstrip('0123456789')}{number}" for number, old in enumerate(found)}
    return re.sub(r'(\bid="|url\(#|href="#)([A-Za-z][\w-]*)', lambda m: m[1] + ids.get(m[2], m[2]), svg)
