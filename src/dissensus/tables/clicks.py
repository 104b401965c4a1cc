"""Clicks: who clicked which rank of a result page, in what order, and how long they stayed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.tables.click_columns import click_fields
from dissensus.tables.columns import as_polars
from dissensus.windows.notebook import summary_html


@dataclass(frozen=True, eq=False)
class Clicks:
    """Clicks in order, page by page.

    Click c was on rank `rank[c]` (from 1) of page `page[c]` (ascending), and `dwell[c]` is the time until the session's
    next action, NaN where unknown. Page p answered query `queries[page_query[p]]` with `page_length[p]` results (0
    where the log does not say).
    """

    queries: tuple[str, ...]
    page: NDArray[np.int64]
    rank: NDArray[np.int32]
    dwell: NDArray[np.float64]
    page_query: NDArray[np.int32]
    page_length: NDArray[np.int32]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rank)

    @property
    def n_pages(self) -> int:
        return len(self.page_query)

    def __repr__(self) -> str:
        return f"Clicks({len(self):,} clicks, {self.n_pages:,} result pages, {len(self.queries):,} queries)"

    def _repr_html_(self) -> str:
        facts = [("clicks", len(self)), ("result pages", self.n_pages), ("queries", len(self.queries))]
        return summary_html("Clicks", facts)

    def to_frame(self) -> pl.DataFrame:
        """Polars frame page, query, rank, dwell; pages without a click have no row."""
        names = np.array(self.queries, dtype=object)
        return pl.DataFrame(
            {
                "page": self.page,
                "query": pl.Series(names[self.page_query[self.page]], dtype=pl.String),
                "rank": self.rank.astype(np.int64),
                "dwell": pl.Series(self.dwell).fill_nan(None),
            }
        )

    @classmethod
    def from_frame(cls, frame: object) -> Clicks:
        """From a Polars or pandas frame with columns session, rank and, where known, query and time.

        >>> Clicks.from_frame({"session": [1, 1, 2], "query": ["a", "a", "b"], "rank": [1, 3, 1], "time": [0, 9, 4]})
        Clicks(3 clicks, 2 result pages, 2 queries)
        """
        return cls(**click_fields(as_polars(frame), "the frame"))
