"""Click logs as published with click-model toolkits: three text formats, none with times."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from dissensus.errors import FileError
from dissensus.tables.click_columns import refuse_deep
from dissensus.tables.clicks import Clicks
from dissensus.wording import counted
from dissensus.work.limits import limit

TOP_DOWN = "the log does not tell the order of clicks: taken from the top of the page down"
NO_TIMES = "the log has no times: no holding rates"


class _Pages:
    """Pages and their clicks as they come."""

    def __init__(self) -> None:
        self.queries: dict[str, int] = {}
        self.query: list[int] = []
        self.length: list[int] = []
        self.page: list[int] = []
        self.rank: list[int] = []
        self.elsewhere = 0

    def add(self, query: str, length: int, ranks: list[int]) -> None:
        self.page.extend([len(self.query)] * len(ranks))
        self.rank.extend(ranks)
        self.query.append(self.queries.setdefault(query, len(self.queries)))
        self.length.append(length)

    def clicks(self, *notes: str) -> Clicks:
        dropped = (
            [f"{counted(self.elsewhere, 'click')} on documents that were not on the page left out"]
            if self.elsewhere
            else []
        )
        return Clicks(
            queries=tuple(self.queries),
            page=np.array(self.page, np.int64),
            rank=np.array(self.rank, np.int32),
            dwell=np.full(len(self.rank), np.nan),
            page_query=np.array(self.query, np.int32),
            page_length=np.array(self.length, np.int32),
            notes=(*notes, *dropped),
        )


def parse_page_lists(text: str, source: str) -> Clicks:
    """`query<TAB>url1,url2,… : clicked , clicked`; pages separated by `;` or line ends, clicks in their order."""
    pages = _Pages()
    for number, line in enumerate(text.split("\n"), start=1):
        for entry in line.split(";"):
            entry = entry.strip()
            if not entry:
                continue
            query, tab, rest = entry.partition("\t")
            shown, colon, clicked = rest.partition(":")
            if not tab or not colon:
                raise FileError(f"{source}:{number}: {entry[:60]!r} is not `query<TAB>urls : clicks`.")
            ranks: dict[str, int] = {}
            for rank, url in enumerate(shown.split(","), start=1):
                ranks.setdefault(url.strip(), rank)
            urls = [u.strip() for u in clicked.split(",")] if clicked.strip() else []
            found = [ranks[u] for u in urls if u in ranks]
            pages.elsewhere += len(urls) - len(found)
            pages.add(query, len(ranks), found)
    return pages.clicks(NO_TIMES)


def parse_json_columns(text: str, source: str) -> Clicks:
    """`session query region weight urls layout clicks`; urls and clicks are JSON lists or {position: value}."""
    pages = _Pages()
    for number, line in _lines(text):
        fields = line.split("\t")
        if len(fields) < 7:
            raise FileError(f"{source}:{number}: {len(fields)} fields; this format has 7, separated by tabs.")
        try:
            shown, counts = json.loads(fields[4]), json.loads(fields[6])
            times = _by_position(counts)
            length = len(shown)
            refuse_deep(length, f"{source}:{number}")
            if sum(times.values()) > limit("RANK"):
                raise ValueError(f"{sum(times.values()):,} clicks on one page")
            ranks = [p + 1 for p in sorted(times) if p < length for _ in range(times[p])]
        except (TypeError, AttributeError, OverflowError, RecursionError, ValueError) as error:
            if isinstance(error, FileError):
                raise
            raise FileError(f"{source}:{number}: columns 5 and 7 hold JSON lists or objects ({error}).") from None
        pages.elsewhere += sum(int(n) for p, n in times.items() if p >= length)
        pages.add(fields[1], length, ranks)
    return pages.clicks(TOP_DOWN, NO_TIMES)


def _by_position(counts: Any) -> dict[int, int]:
    pairs = list(counts.items() if isinstance(counts, dict) else enumerate(counts))
    out = {int(p): int(n) for p, n in pairs if n}
    if any(p < 0 or n < 0 or n != m for (p, n), m in zip(out.items(), (m for _, m in pairs if m), strict=True)):
        raise ValueError("positions and counts are whole numbers of at least 0")
    return out


def parse_document_rows(text: str, source: str) -> Clicks:
    """One row per shown document: `[queries so far] [document before] [url, rank, type] clicked`; TianGong-ST."""
    pages = _Pages()
    query, shown, ranks = "", 0, list[int]()
    for number, line in [*_lines(text), (0, "")]:
        fields = line.split("\t")
        if len(fields) < 4 and line:
            raise FileError(f"{source}:{number}: {len(fields)} fields; this format has 4, separated by tabs.")
        try:
            asked = str(json.loads(fields[0])[-1]) if line else ""
            rank = int(json.loads(fields[2])[1]) if line else 0
            clicked = bool(int(fields[3])) if line else False
            if line and rank < 1:
                raise ValueError(f"the rank {rank} is below 1")
        except (ValueError, TypeError, IndexError, KeyError, OverflowError, RecursionError) as error:
            raise FileError(
                f"{source}:{number}: not `[queries] [before] [url, rank, type] clicked` ({error})."
            ) from None
        refuse_deep(rank, f"{source}:{number}")
        if asked != query or rank <= shown:  # the next page
            if query:
                pages.add(query, shown, ranks)
            query, ranks = asked, []
        shown = rank
        if clicked:
            ranks.append(rank)
    return pages.clicks(TOP_DOWN, NO_TIMES)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line.rstrip("\r")
