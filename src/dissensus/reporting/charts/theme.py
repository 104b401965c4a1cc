"""One look for every chart: calm, readable, safe for the colour-blind, on white and on black, on screen and paper.

    chart = alt.Chart(frame).mark_point().encode(…)
    save(sized(chart, "column"), "figure.pdf")        # also .svg .png .html .json

Chart functions set neither fonts nor colours; they use `SERIES` where colours mean something of their own, and take
their data already aggregated: a page with a million points is not a chart.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import polars as pl

from dissensus.arrays import Values
from dissensus.errors import OutputError
from dissensus.reporting.embedding import script_json, vega_bundle
from dissensus.work.atomic import atomic

if TYPE_CHECKING:
    import altair as alt
    from altair.typing import ChartType


# Okabe and Ito's hues, blue first, moved so that each stands out on white and on black
SERIES = ("#1F7DBF", "#D5602A", "#1B9673", "#C468A0", "#B07D12", "#4A9FD4", "#808080", "#9C6B3F")
LIGHT_TO_DARK = ("#F3F7FB", "#C6DBEF", "#85B7DB", "#3F8EC4", "#0F5A96", "#08306B")
DIVERGING = ("#0F5A96", "#85B7DB", "#EEEEEE", "#F2B38A", "#C44E00")
NAIVE, CORRECTED, TRUTH = "#D5602A", "#1F7DBF", "#1B9673"

COLUMN, PAGE = 240, 504  # points: one column and the full width of a two-column paper
MAX_ROWS = 20_000
FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
FORMATS = (".svg", ".png", ".pdf", ".html", ".json")
# every object of JavaScript has these, and Vega keeps what stands on a scale in objects
INHERITED = frozenset(
    {
        "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString",
        "valueOf", "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
    }
)  # fmt: skip

Width = Literal["column", "page", "container"] | int


def config(*, dark: bool = False, small: bool = False, adaptive: bool = False) -> Values:
    """Vega-Lite configuration of the house style; `small` is for paper columns.

    `adaptive` takes its ink from the page around it (`currentColor`), so that one drawing serves light, dark and print.
    """
    ink, quiet, grid = ("#E6E6E6", "#A6A6A6", "#3A3A3A") if dark else ("#222222", "#5F5F5F", "#E4E4E4")
    if adaptive:
        ink = quiet = grid = "currentColor"
    faint = 0.13 if adaptive else 1.0
    text = 8 if small else 12
    words = {
        "labelColor": ink,
        "titleColor": quiet,
        "labelFontSize": text,
        "titleFontSize": text,
    }
    ramp = list(reversed(LIGHT_TO_DARK)) if dark else list(LIGHT_TO_DARK)
    return {
        "background": None if dark or adaptive else "white",
        "font": FONT,
        "view": {"stroke": None, "continuousWidth": 420, "continuousHeight": 260},
        "title": {
            "anchor": "start",
            "color": ink,
            "fontSize": text + 1,
            "fontWeight": 600,
            "subtitleColor": quiet,
            "subtitleFontSize": text,
            "offset": 8,
        },
        "axis": {
            **words,
            "titleFontWeight": "normal",
            "gridColor": grid,
            "gridOpacity": faint,
            "titleOpacity": 0.75 if adaptive else 1.0,
            "domainColor": quiet,
            "tickColor": quiet,
            "domainWidth": 0.75,
            "tickSize": 4,
            "labelLimit": 160,
            "labelPadding": 4,
        },
        "axisXQuantitative": {"tickCount": 8},
        "axisY": {"domain": False, "ticks": False},
        "axisBand": {"grid": False},
        "legend": {
            **words,
            "titleFontWeight": "normal",
            "labelLimit": 160,
            "symbolSize": 30 if small else 70,
            "orient": "top" if small else "right",
            "offset": 4 if small else 18,
            **({"columns": 4} if small else {}),
        },
        "header": words,
        "range": {
            "category": list(SERIES),
            "diverging": list(DIVERGING),
            **dict.fromkeys(("heatmap", "ramp", "ordinal"), ramp),
        },
        "text": {"color": ink, "fontSize": text},
        "rule": {"color": quiet, "strokeWidth": 1},
        **_marks(small),
    }


def _marks(small: bool) -> Values:
    """How points, lines and bars are drawn."""
    size = 30 if small else 60
    return {
        "mark": {"color": SERIES[0]},
        "point": {"size": size, "filled": True, "opacity": 0.9},
        "circle": {"size": size},
        "line": {"strokeWidth": 1.2 if small else 2},
        "errorbar": {"thickness": 1},
        "bar": {"cornerRadius": 1},
        "rect": {"stroke": None},
    }


def sized(chart: ChartType, width: Width = "page", *, ratio: float = 0.62) -> ChartType:
    """The chart with a width: a paper's column or page, the container's (in a web page), or a number of points.

    Only single and layered charts take a size; facets and concatenations keep that of their parts.
    """
    import altair as alt

    if not isinstance(chart, alt.Chart | alt.LayerChart):
        return chart
    if width == "container":
        return chart.properties(width="container")
    points = {"column": COLUMN, "page": PAGE}.get(str(width), width)
    assert isinstance(points, int)
    inner = max(points - 60, 80)  # the axis takes about 60
    has_height = not isinstance(chart.height, type(alt.Undefined))
    return chart.properties(width=inner) if has_height else chart.properties(width=inner, height=round(inner * ratio))


def look(chart: ChartType) -> ChartType:
    """The chart in the house style, for a notebook: sized like a page, parts of a panel, too."""
    import altair as alt

    if isinstance(chart, alt.VConcatChart):
        chart = alt.vconcat(*(sized(part) for part in chart.vconcat))
    return sized(chart).configure(**{k: v for k, v in config().items() if v is not None})


@contextmanager
def unchecked() -> Iterator[None]:
    """In the block Altair does not check every part of a chart as it is made, which takes longer than making it.

    For charts of ours that the tests have checked, not for charts that users change.
    """
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):
        yield


def spec(chart: alt.TopLevelMixin, *, dark: bool = False, small: bool = False, adaptive: bool = False) -> Values:
    """The chart as a Vega-Lite specification with its data inside and the house style on."""
    import altair as alt

    with unchecked(), alt.data_transformers.enable("default", max_rows=None):
        out: Values = chart.to_dict(validate=False)  # the tests hold every chart against the schema
    rows = sum(len(values) for values in out.get("datasets", {}).values() if isinstance(values, list))
    if rows > MAX_ROWS:
        raise OutputError(f"the chart has {rows:,} rows, more than {MAX_ROWS:,}.", "Aggregate or thin its table first.")
    own = out.get("config", {})
    for altair_default in ("view", "background"):  # Altair's own theme fills these in
        own.pop(altair_default, None)
    out["config"] = {**config(dark=dark, small=small, adaptive=adaptive), **own}
    return {key: _drawable(part) for key, part in out.items()}


def _drawable(part: object) -> object:
    """The same part of a specification, with a space behind names that Vega would take for its own.

    >>> _drawable([{"system": "constructor"}, {"system": "bm25"}])
    [{'system': 'constructor '}, {'system': 'bm25'}]
    """
    if isinstance(part, dict):
        return {key: _drawable(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_drawable(value) for value in part]
    return f"{part} " if isinstance(part, str) and part in INHERITED else part


def save(
    chart: alt.TopLevelMixin, path: str | Path, *, dark: bool = False, small: bool | None = None, scale: float = 3.0
) -> Path:
    """Write a chart, whole or not at all; the ending says the format.

    `small` (letters of 8 points) is on by itself where the chart is as narrow as a paper column. `scale` is the number
    of pixels per point of a .png.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in FORMATS:
        raise OutputError(f"a chart cannot be saved as {target.name}: the ending is none of {' '.join(FORMATS)}.")
    width = getattr(chart, "width", None)
    small = isinstance(width, int) and width <= COLUMN if small is None else small
    with atomic(target, "wb") as file:
        file.write(_rendered(spec(chart, dark=dark, small=small), suffix, scale))
    return target


def _rendered(specification: Values, suffix: str, scale: float) -> bytes:
    import vl_convert

    if suffix == ".json":
        return json.dumps(specification, ensure_ascii=False, indent=1).encode()
    if suffix == ".html":
        return _page(specification).encode()
    version = "6.4" if "6.4" in vl_convert.get_vegalite_versions() else vl_convert.get_vegalite_versions()[-1]
    local: Values = {"vl_version": version, "allowed_base_urls": []}  # nothing is fetched
    if suffix == ".svg":
        return str(vl_convert.vegalite_to_svg(specification, **local)).encode()
    if suffix == ".pdf":
        return bytes(vl_convert.vegalite_to_pdf(specification, **local))
    return bytes(vl_convert.vegalite_to_png(specification, scale=scale, **local))


def _page(specification: Values) -> str:
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<title>Chart</title><div id="chart"></div><script>{vega_bundle()}</script>'
        f'<script id="spec" type="application/json">{script_json(specification)}</script>'
        '<script>vegaEmbed("#chart", JSON.parse(document.getElementById("spec").textContent), '
        '{renderer: "svg", actions: false});</script></html>\n'
    )


def tooltips(*fields: str) -> list[alt.Tooltip]:
    """What is shown where the pointer is: fields as charts name them, with a format behind a bar: "score:Q|.3f"."""
    import altair as alt

    parts = (field.partition("|") for field in fields)
    return [alt.Tooltip(name, format=form) if form else alt.Tooltip(name) for name, _, form in parts]


def hover(names: Sequence[str], numbers: Sequence[str] = (), format: str = ".4f") -> list[alt.Tooltip]:
    """The same for names as they are and numbers, all of one format."""
    return tooltips(*(f"{n}:N" for n in names), *(f"{n}:Q|{format}" for n in numbers))


def tall(rows: int, step: int) -> int:
    """Height of a chart with so many rows; a number, so that the width may follow the page."""
    return max(rows, 1) * step


def line_at(x: float, **style: object) -> ChartType:
    """A vertical reference line."""
    import altair as alt

    dashed: Values = {"strokeDash": [3, 3], **style}
    return alt.Chart(pl.DataFrame({"x": [float(x)]})).mark_rule(**dashed).encode(x=alt.X("x:Q"))
