"""What a report is made of: sections of paragraphs, tables, charts and cards.

Everything here is data; `page` turns it into HTML. Texts are plain text: whatever comes from the user's data is shown
as it is written and never read as markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dissensus.results import Table

if TYPE_CHECKING:
    import polars as pl

    from dissensus.inference.comparison.brief import Card
    from dissensus.reporting.systems_chart import SystemsChart

ROWS_SHOWN = 100  # rows of a table on the page: sorting more takes longer than a click may


@dataclass(frozen=True)
class Paragraph:
    """A sentence or two; `method` names the entry of the glossary that says how its numbers were made.

    `lead` is the beginning of the text that a page sets as its heading.
    """

    text: str
    method: str | None = None
    kind: str = "text"  # "text", "answer" (large), "warning", "quiet"
    lead: str = ""


@dataclass(frozen=True)
class TableBlock:
    """A table to sort and to download; only the first rows are on the page, all of them in the download.

    The page shows the titles of its columns and what they mean, the download their names. `rows` is a table of a
    result, or a frame whose columns mean what `meanings` or the vocabulary say.
    """

    name: str
    rows: Table | pl.DataFrame
    caption: str
    method: str | None = None
    digits: int = 4
    meanings: Mapping[str, str] = field(default_factory=dict)

    @property
    def frame(self) -> pl.DataFrame:
        """The rows alone."""
        return self.rows.frame if isinstance(self.rows, Table) else self.rows

    @property
    def table(self) -> Table:
        """The rows with what their columns mean."""
        return self.rows if isinstance(self.rows, Table) else Table.of(self.rows, self.meanings, rest="")


@dataclass(frozen=True)
class ChartBlock:
    """A chart, what it shows in words, and the table it was drawn from."""

    name: str
    chart: Any
    caption: str
    description: str
    method: str | None = None
    table: TableBlock | None = None


@dataclass(frozen=True)
class SystemsBlock:
    """The systems from the best down as a drawing, and the same as a table; see `systems_chart`."""

    name: str
    chart: SystemsChart
    caption: str
    table: TableBlock
    method: str | None = None


@dataclass(frozen=True)
class CardsBlock:
    """Questions with short answers, side by side."""

    cards: Sequence[Card]


@dataclass(frozen=True)
class ListBlock:
    """Sentences under a heading."""

    title: str
    items: Sequence[str]


Block = Paragraph | TableBlock | ChartBlock | SystemsBlock | CardsBlock | ListBlock


@dataclass(frozen=True)
class Section:
    """A part of the report. `missing` says why it could not be computed, in place of its blocks.

    `answer` is its one line while it is folded: the first answer among its blocks, unless one is given.
    """

    key: str
    title: str
    blocks: Sequence[Block] = field(default_factory=tuple)
    missing: str | None = None
    line: str = ""
    short: str = ""  # its name among the links at the top

    @property
    def answer(self) -> str:
        """What the section says, in one line."""
        if self.line or self.missing:
            return self.line or f"Not in this report: {self.missing}"
        texts = [b for b in self.blocks if isinstance(b, Paragraph)]
        first = next((b for b in texts if b.kind == "answer"), texts[0] if texts else None)
        return "" if first is None else first.text

    def charts(self) -> list[ChartBlock]:
        return [b for b in self.blocks if isinstance(b, ChartBlock)]

    def tables(self) -> list[TableBlock]:
        direct = [
            b if isinstance(b, TableBlock) else b.table for b in self.blocks if isinstance(b, TableBlock | SystemsBlock)
        ]
        return direct + [b.table for b in self.charts() if b.table is not None]
