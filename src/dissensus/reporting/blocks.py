"""What a report is made of: sections of paragraphs, tables, charts and the order of systems.

Everything here is data; `page` turns it into HTML. Texts are plain text: whatever comes from the user's data is shown
as it is written and never read as markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

ROWS_SHOWN = 100  # rows of a table on the page: sorting more takes longer than a click may


@dataclass(frozen=True)
class Paragraph:
    """A sentence or two; `method` names the entry of the glossary that says how its numbers were made."""

    text: str
    method: str | None = None
    kind: str = "text"  # "text", "answer" (large), "warning", "quiet"


@dataclass(frozen=True)
class TableBlock:
    """A table to sort and to download; only the first rows are on the page, all of them in the download."""

    name: str
    frame: pl.DataFrame
    caption: str
    method: str | None = None
    digits: int = 4


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
class OrderBlock:
    """The order of systems with intervals and possible ranks as bars; see `standings` for its frame.

    `shown` systems are on the page at once, the others after a click; `zero` draws the line where nothing differs.
    """

    name: str
    frame: pl.DataFrame
    caption: str
    score: str  # what the scores are, over their column
    method: str | None = None
    shown: int = 10
    zero: bool = False
    digits: int = 3

    @property
    def table(self) -> TableBlock:
        """The same as a table to download."""
        return TableBlock(self.name, self.frame, self.caption, self.method)


Block = Paragraph | TableBlock | ChartBlock | OrderBlock


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
            b if isinstance(b, TableBlock) else b.table for b in self.blocks if isinstance(b, TableBlock | OrderBlock)
        ]
        return direct + [b.table for b in self.charts() if b.table is not None]
