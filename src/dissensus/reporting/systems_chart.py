"""The chart of the first screen: what the judge said of every system, and what the experts make of it.

One row a system, from the best down: its place, its whole name, *the* score with its interval, the judge's own score,
the places that it may have. Systems that could be the best are shaded and have a bar at their side. A row whose judge's
score lies outside the interval has a dashed line between the two.

It is SVG written by hand, in milliseconds, once for the page, print and figures. Everything is in units of the letters
(`em`). So a column of a paper, a telephone and a wide screen get the same drawing. Where there is no room for
columns, a row has three lines. Far-out systems do not set the axis: an arrow at its edge points to them.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

from dissensus.errors import visible
from dissensus.reporting.marks import MARKS, PATHS, style

PLOT = 17.0  # em, the least width of the plot beside columns of text
FAR = 3.0  # interquartile ranges from the middle half of the scores
NARROW, WIDE = " .,:;'|!il1[]()jtfI-", "mwMW@%"
INK = ".name,.score,.axis-name{fill:#1d2125}.soft,.tick{fill:#5c6570}.grid{stroke:#dfe3e8}.zero{stroke:#5c6570}"
PAPER = "svg{background:#fff}.best{fill:#e6eef6}.side{fill:#0b5cad}"
STANDALONE = "text{font-family:Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif}" + INK + PAPER


@dataclass(frozen=True)
class SystemRow:
    """One system: *the* score (of `kind`) with its interval, the judge's own, the places that it may have."""

    place: int
    system: str
    kind: str
    score: float
    low: float
    high: float
    naive: float | None = None
    places: tuple[int, int] | None = None
    could_be_best: bool = False

    @property
    def outside(self) -> bool:
        """Does the judge's score lie outside the interval?"""
        return self.naive is not None and (self.naive < self.low or self.naive > self.high)

    @property
    def sentence(self) -> str:
        """The row for a screen reader."""
        parts = [f"{self.system}: place {self.place}"]
        if math.isfinite(self.score):
            parts.append(f"{number(self.score)}, 95% interval {number(self.low)} to {number(self.high)}")
        if self.naive is not None and self.kind != "naive":
            parts.append(f"the judge alone {number(self.naive)}")
        if self.places is not None:
            parts.append(f"may have places {self.places[0]} to {self.places[1]}")
        if self.could_be_best:
            parts.append("could be the best")
        return ", ".join(parts)


@dataclass(frozen=True)
class SystemsChart:
    """Rows in the outcome's order, what the scores are, and which rows are folded away at first."""

    rows: Sequence[SystemRow]
    axis: str
    description: str
    zero: bool = False
    folded: Sequence[SystemRow] = field(default=())

    def svg(
        self, width: float, em: float, *, folded: bool = False, standalone: bool = False, whole: bool = False
    ) -> str:
        """The chart as SVG, `width` and `em` in pixels or points; `whole`: with the folded rows."""
        every = sorted([*self.rows, *self.folded], key=lambda r: r.place)
        drawing = _Drawing(self, every if whole else self.folded if folded else self.rows, width / em)
        body = "".join(drawing.parts())
        height = f"{drawing.height * em:.1f}"
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="systems" viewBox="0 0 {width:g} {height}" '
            f'width="{width:g}" height="{height}" role="list" aria-label="{_text(self.description)}">'
        )
        inside = f"<style>{STANDALONE}{style('svg')}</style>" if standalone else ""
        white = '<rect width="100%" height="100%" fill="#fff"/>' if standalone else ""
        return f'{head}{inside}{white}<g transform="scale({em:g})">{body}</g></svg>'


def domain(rows: Sequence[SystemRow]) -> tuple[float, float]:
    """The axis: all scores and intervals of the rows that are not far out. Folded rows have an axis of their own."""
    near = [r for r in rows if not far_out(r, rows)] or rows
    values = [x for r in near for x in (r.score, r.low, r.high, r.naive) if x is not None and math.isfinite(x)]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    room = 0.04 * ((high - low) or 1.0)
    return low - room, high + room


def far_out(row: SystemRow, rows: Sequence[SystemRow]) -> bool:
    """Is a system's score far outside the middle half of all, and it not one of those that could be the best?"""
    known = sorted(r.score for r in rows if math.isfinite(r.score))
    if len(known) < 6 or row.could_be_best or not math.isfinite(row.score):
        return False
    first, third = known[len(known) // 4], known[-1 - len(known) // 4]
    reach = FAR * (third - first)
    return row.score < first - reach or row.score > third + reach


# ── drawing ──
class _Drawing:
    """One drawing of some rows, `width` em wide."""

    def __init__(self, chart: SystemsChart, rows: Sequence[SystemRow], width: float) -> None:
        self.chart, self.rows, self.width = chart, rows, width
        self.ranked = any(r.places is not None for r in rows)
        name = max((text_width(r.system) for r in rows), default=4) * 1.04
        right = 13.0 + (4.6 if self.ranked else 0)
        self.stacked = 2.6 + name + 1.2 + PLOT + right > width
        self.left, self.right = (0.8, width - 0.8) if self.stacked else (3.4 + name, width - right)
        self.low, self.high = domain(rows)
        self.names = [wrapped(r.system, width - 3.6 if self.stacked else width) for r in rows]
        self.heights = [(3.9 + 1.25 * len(n)) if self.stacked else 2.3 for n in self.names]
        self.key = list(self.legend_places())
        self.top = (1.9 if self.stacked else 2.3) + (self.key[-1][1] + 1.1 if self.key else 0)
        self.height = self.top + sum(self.heights) + 0.4

    def x(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.left + min(max(share, 0.0), 1.0) * (self.right - self.left)

    def legend_places(self) -> Iterator[tuple[float, float, str, str]]:
        """(x, y, drawing, words) of every entry of the legend, in as many lines as it takes."""
        x, y = 0.6, 0.5
        for _, drawn, words in chart_legend(self.chart):
            wide = 3.6 + text_width(words) * 0.88
            if x > 0.6 and x + wide > self.width:
                x, y = 0.6, y + 1.5
            yield x, y, drawn, words
            x += wide + 1.2

    def parts(self) -> Iterator[str]:
        yield '<g aria-hidden="true">'
        for x, y, drawn, words in self.key:
            yield f'<g transform="translate({x:.2f} {y - 0.35:.2f})">{drawn}</g>'
            yield _words("soft", x + 3.5, y + 0.66, words, 0.88)
        yield "</g>"
        y = self.top
        for row, height in zip(self.rows, self.heights, strict=True):
            if row.could_be_best:
                yield f'<rect class="best" x="0" y="{y:.2f}" width="{self.width:.2f}" height="{height:.2f}"/>'
                yield f'<rect class="side" x="0" y="{y:.2f}" width=".22" height="{height:.2f}"/>'
            y += height
        yield from self.axis()
        y = self.top
        for row, name, height in zip(self.rows, self.names, self.heights, strict=True):
            yield f'<g role="listitem" aria-label="{_text(row.sentence)}"><title>{_text(row.sentence)}</title>'
            yield from self.words(row, name, y)
            yield from self.marks(row, y + height - (1.15 if self.stacked else height / 2))
            yield "</g>"
            y += height

    def axis(self) -> Iterator[str]:
        step, places = tick_step(self.high - self.low, max(int((self.right - self.left) / 6), 2))
        first = math.ceil(self.low / step)
        for i in range(first, math.floor(self.high / step) + 1):
            x = self.x(i * step)
            yield _line("grid", x, x, self.top, self.height - 0.4, 0.06)
            yield _words("tick", x, self.top - 0.75, f"{i * step:.{places}f}".replace("-", "−"), 0.84, "middle")
        if self.chart.zero:
            yield _line("zero", self.x(0), self.x(0), self.top, self.height - 0.4, 0.1)
        if not self.stacked:
            yield _words("soft", 0.7, self.top - 0.75, "place", 0.84)
            yield _words("soft", self.right + 3.5, self.top - 0.75, self.chart.axis, 0.84, "end")
            yield _words("soft", self.right + 4.3, self.top - 0.75, "95% interval", 0.84)
            if self.ranked:
                yield _words("soft", self.right + 13.0, self.top - 0.75, "places", 0.84)

    def words(self, row: SystemRow, name: Sequence[str], y: float) -> Iterator[str]:
        line = y + 1.5
        yield _words("soft", 2.2 if not self.stacked else 2.0, line, str(row.place), 0.9, "end")
        for i, part in enumerate(name):
            yield _words("name", 2.9 if not self.stacked else 2.7, line + 1.25 * i, part, 1, weight=650)
        ranks = "" if row.places is None else span(row.places)
        known = math.isfinite(row.score) and not math.isnan(row.low)
        ends = f"[{number(row.low)}, {number(row.high)}]" if known else ""
        if self.stacked:
            said = f"{ends}{'  ·  places ' if ranks else ''}{ranks}"
            below = line + 1.25 * (len(name) - 1) + 1.2
            yield _words("score", 2.7, below, number(row.score), 0.92, weight=650)
            yield _words("soft", 3.2 + text_width(number(row.score)) * 1.05, below, said, 0.88)
            return
        yield _words("score", self.right + 3.5, line, number(row.score), 1, "end", weight=650)
        yield _words("soft", self.right + 4.3, line, ends, 0.9)
        yield _words("soft", self.right + 13.0, line, ranks, 0.9)

    def marks(self, row: SystemRow, y: float) -> Iterator[str]:
        if not math.isfinite(row.score):
            return
        if row.naive is not None and row.kind != "naive" and row.outside:
            yield _line("line naive", self.x(row.naive), self.x(row.score), y, y, 0.14, dashes=0.14)
        if not math.isnan(row.low):
            yield _line(f"line {row.kind}", self.x(row.low), self.x(row.high), y, y, 0.15, dashes=0.1)
            for end in (row.low, row.high):
                if self.low <= end <= self.high:
                    yield _line(f"line {row.kind} end", self.x(end), self.x(end), y - 0.32, y + 0.32, 0.13)
        for value, kind in ((row.score, row.kind), (row.naive, "naive")):
            if value is None or (kind == "naive" and row.kind == "naive" and value is row.naive):
                continue
            if self.low <= value <= self.high:
                yield _point(kind, self.x(value), y)
            else:
                yield _arrow(kind, self.x(value), y, -1 if value < self.low else 1)


def legend(kinds: Sequence[str], *, outside: bool) -> list[tuple[str, str, str]]:
    """(kind, its drawing, its words) of every mark that a chart has."""
    out = []
    for kind in kinds:
        line = "" if kind == "naive" and len(kinds) > 1 else _line(f"line {kind}", 0.1, 2.9, 0.7, 0.7, 0.15, dashes=0.1)
        what = MARKS[kind].name + ("" if not line else ", 95% interval")
        out.append((kind, line + _point(kind, 1.5, 0.7), what))
    if outside:
        out.append(("outside", _line("line naive", 0.1, 2.9, 0.7, 0.7, 0.14, dashes=0.14),
                    "the judge's score is outside the interval"))  # fmt: skip
    return out


def chart_legend(chart: SystemsChart) -> list[tuple[str, str, str]]:
    """The legend of the marks that a chart has."""
    every = [*chart.rows, *chart.folded]
    kinds = [k for k in MARKS if any(r.kind == k or (k == "naive" and r.naive is not None) for r in every)]
    return legend(kinds, outside=any(r.outside for r in every))


def _line(kind: str, x1: float, x2: float, y1: float, y2: float, width: float, *, dashes: float = 0.0) -> str:
    dash = MARKS[kind.split()[-1]].dash if dashes else ()
    how = ' stroke-linecap="round"' if dashes else ""
    if kind.startswith("line"):  # the page's style has the dash in pixels, the drawing in em
        how += f' style="stroke-dasharray:{" ".join(f"{d * dashes:.2f}" for d in dash) or "none"}"'
    ends = f'x1="{x1:.2f}" x2="{x2:.2f}" y1="{y1:.2f}" y2="{y2:.2f}"'
    return f'<line class="{kind}" {ends} stroke-width="{width}"{how}/>'


def _point(kind: str, x: float, y: float) -> str:
    m = MARKS[kind]
    return (
        f'<path class="point {kind}" d="{PATHS[m.shape]}" stroke-width="{0.1 if m.filled else 0.36}" '
        f'transform="translate({x:.2f} {y:.2f}) scale(.4)"/>'
    )


def _arrow(kind: str, x: float, y: float, way: int) -> str:
    """An arrow to a value beyond the axis."""
    return (
        f'<path class="point {kind}" d="M{-way * 0.5:.2f},-.4 L{way * 0.2:.2f},0 L{-way * 0.5:.2f},.4 Z" '
        f'stroke-width=".12" transform="translate({x:.2f} {y:.2f})"/>'
    )


def _words(kind: str, x: float, y: float, text: str, size: float, anchor: str = "", weight: int = 0) -> str:
    if not text:
        return ""
    more = f' text-anchor="{anchor}"' if anchor else ""
    more += f' font-weight="{weight}"' if weight else ""
    return f'<text class="{kind}" x="{x:.2f}" y="{y:.2f}" font-size="{size:g}"{more}>{_text(text)}</text>'


def _text(text: str) -> str:
    return escape(visible(text), quote=True)


# ── texts ──
def number(x: float, digits: int = 3) -> str:
    """A score as the chart writes it.

    >>> number(0.8125), number(-0.02), number(float("inf"))
    ('0.812', '−0.020', '∞')
    """
    if math.isnan(x):
        return "–"
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    return f"{0.0 if round(x, digits) == 0 else x:.{digits}f}".replace("-", "−")


def span(places: tuple[int, int]) -> str:
    """Places as a range.

    >>> span((1, 2)), span((3, 3))
    ('1–2', '3')
    """
    return str(places[0]) if places[0] == places[1] else f"{places[0]}–{places[1]}"


def tick_step(range_: float, ticks: int) -> tuple[float, int]:
    """(a round step that gives about so many ticks, decimals that it needs).

    >>> tick_step(0.45, 5), tick_step(30.0, 4)
    ((0.1, 1), (10.0, 0))
    """
    rough = range_ / max(ticks, 1)
    power = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    step = power * next(m for m in (1, 2, 5, 10) if power * m >= rough * 0.999)
    return step, max(-math.floor(math.log10(step) + 1e-9), 0)


def text_width(text: str) -> float:
    """About how wide a text is, in em."""
    width = 0.0
    for c in visible(text):
        if unicodedata.east_asian_width(c) in "WF":
            width += 1.05
        else:
            width += 0.34 if c in NARROW else 0.95 if c in WIDE else 0.72 if c.isupper() else 0.6
    return width


def wrapped(text: str, width: float) -> list[str]:
    """A whole text in lines that are at most so wide.

    >>> wrapped("abcdefgh", 2.5)
    ['abcd', 'efgh']
    """
    lines, line = [], ""
    for c in visible(text):
        if line and text_width(line + c) > width:
            lines.append(line)
            line = ""
        line += c
    return [*lines, line]
