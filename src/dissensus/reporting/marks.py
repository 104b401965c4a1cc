"""One mark for each kind of number, the same in every chart, on every page and in the documentation.

Hue, shape and dash each tell the kinds apart by themselves. So a chart can be read in greyscale, in print and by the
colour-blind. The hues are Okabe and Ito's, moved so that each stands out on white and on black (at least 3:1).

    >>> MARKS["naive"].shape, MARKS["corrected"].shape
    ('diamond', 'circle')
    >>> sorted({m.shape for m in MARKS.values()} ) == sorted(m.shape for m in MARKS.values())
    True
"""

from __future__ import annotations

from dataclasses import dataclass

# blue, orange, green, purple, ochre, sky, grey, brown: charts whose colours mean something else take these in turn
SERIES = ("#1F7DBF", "#D5602A", "#1B9673", "#C468A0", "#B07D12", "#4A9FD4", "#808080", "#9C6B3F")


@dataclass(frozen=True)
class Mark:
    """How one kind of number is drawn; `dash` is that of its line, empty for a whole one."""

    name: str  # in a legend
    colour: str
    shape: str  # Vega's name, which SVG paths below share
    filled: bool = True
    dash: tuple[int, ...] = ()


MARKS: dict[str, Mark] = {
    "naive": Mark("the judge alone", SERIES[1], "diamond", filled=False, dash=(1, 4)),
    "corrected": Mark("corrected", SERIES[0], "circle"),
    "pooled": Mark("corrected, pooled", "#6F66C9", "square", dash=(7, 2)),
    "judge": Mark("judge", SERIES[4], "cross", dash=(2, 2)),
    "truth": Mark("experts", SERIES[2], "triangle-up", dash=(5, 3)),
}
NAIVE, CORRECTED, POOLED, JUDGE, TRUTH = (MARKS[k].colour for k in ("naive", "corrected", "pooled", "judge", "truth"))
PATHS = {  # around 0, 0, of radius 1
    "circle": "M-1,0 A1,1 0 1,1 1,0 A1,1 0 1,1 -1,0 Z",
    "diamond": "M0,-1.25 L1.25,0 L0,1.25 L-1.25,0 Z",
    "square": "M-.9,-.9 H.9 V.9 H-.9 Z",
    "triangle-up": "M0,-1.1 L1.1,.9 H-1.1 Z",
    "cross": "M-.35,-1.1 H.35 V-.35 H1.1 V.35 H.35 V1.1 H-.35 V.35 H-1.1 V-.35 H-.35 Z",
}


def style(scope: str) -> str:
    """The marks as CSS for elements with the class of their kind inside `scope`."""
    rules = []
    for kind, m in MARKS.items():
        dash = f"stroke-dasharray:{' '.join(map(str, m.dash))};" if m.dash else ""
        rules.append(f"{scope} .line.{kind}{{stroke:{m.colour};{dash}}}")
        rules.append(f"{scope} .point.{kind}{{stroke:{m.colour};fill:{m.colour if m.filled else 'none'}}}")
    return "\n".join(rules)
