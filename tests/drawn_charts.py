"""What a chart draws, read from its Vega-Lite form."""

from __future__ import annotations

from typing import Any

from dissensus.reporting.charts.theme import spec


def rows(chart: Any, *fields: str) -> list[dict[str, Any]]:
    """All data rows of a chart; with `fields`, those that have them."""
    every = [row for values in spec(chart)["datasets"].values() for row in values]
    return [row for row in every if all(f in row for f in fields)]


def marks(chart: Any) -> list[str]:
    """The kinds of marks, layer by layer, panels and facets opened."""

    def walk(part: dict[str, Any]) -> list[str]:
        if "mark" in part:
            return [part["mark"]["type"]]
        inner = [*part.get("layer", ()), *part.get("hconcat", ()), *part.get("concat", ())]
        return [m for p in (inner or [part["spec"]]) for m in walk(p)]

    return walk(spec(chart))


def encoding(chart: Any, layer: int = 0) -> dict[str, Any]:
    """The encoding of a chart, or of one of its layers; facets are opened."""
    part = spec(chart)
    part = part.get("spec", part)
    return part["layer"][layer]["encoding"] if "layer" in part else part["encoding"]
