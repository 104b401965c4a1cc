"""Preferences: which of two documents of a topic an assessor prefers, and in which order they were shown.

    >>> prefs = Preferences.from_rows([("q", "a", "b", "ann", "a", "ab"), ("q", "a", "b", "llm", "same", "ba")])
    >>> prefs
    Preferences(2 answers, 2 assessors, 1 pair, 1 topic)
    >>> prefs.answer.tolist(), prefs.shown.tolist()
    ([1.0, 0.5], [1, -1])

An answer is 1 (the first document is preferred), 0 (the second) or ½ (they are the same). The documents of a pair are
kept in one order, the smaller id first, so that pairs can be compared; `shown` is 1 where that document was also shown
first, −1 where the other one was, 0 where it is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import FileError, InputError
from dissensus.tables.columns import as_polars, code, freeze_arrays
from dissensus.tables.ids import refuse_hidden
from dissensus.windows.notebook import summary_html
from dissensus.windows.spreadsheets import inert
from dissensus.wording import counted
from dissensus.work.atomic import atomic_path

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
SAME = ("same", "tie", "equal", "=", "0.5")
ORDERS = {"ab": 1, "a": 1, "ba": -1, "b": -1, "": 0}
Row = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Preferences:
    """Immutable preferences as integer codes; row r: `assessor[r]` compared documents `first[r]` and `second[r]`."""

    topics: tuple[str, ...]
    docs: tuple[str, ...]
    assessors: tuple[str, ...]
    topic: Ints
    first: Ints
    second: Ints
    assessor: Ints
    answer: Floats
    shown: Ints
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        freeze_arrays(self)

    def __len__(self) -> int:
        return len(self.topic)

    def __repr__(self) -> str:
        sizes = (
            (len(self), "answer"),
            (len(self.assessors), "assessor"),
            (len(np.unique(self.pair)), "pair"),
            (len(np.unique(self.topic)), "topic"),
        )
        return f"Preferences({', '.join(counted(n, what) for n, what in sizes)})"

    def _repr_html_(self) -> str:
        pairs, topics = len(np.unique(self.pair)), len(np.unique(self.topic))
        facts = (("answers", len(self)), ("assessors", len(self.assessors)), ("pairs", pairs), ("topics", topics))
        return summary_html("Preferences", facts, self.notes)

    @property
    def pair(self) -> Ints:
        """A number for each (topic, first, second)."""
        n = len(self.docs)
        return np.asarray((self.topic * n + self.first) * n + self.second, np.int64)

    # ── coming from ──
    @classmethod
    def from_rows(cls, rows: Iterable[Row], *, source: str = "the rows", places: Sequence[str] = ()) -> Preferences:
        """From (topic, doc a, doc b, assessor, answer[, order]); an answer is a, b, same, or the preferred document.

        The order is "ab" where doc a was shown first, "ba", or nothing.
        """
        table = [tuple("" if v is None else str(v).strip() for v in row) for row in rows]

        def place(i: int) -> str:
            return places[i] if i < len(places) else f"{source}, row {i + 1}"

        answers, shown = np.empty(len(table)), np.zeros(len(table), np.int64)
        for i, row in enumerate(table):
            if len(row) not in (5, 6):
                raise InputError(
                    f"{place(i)} has {len(row)} values.", "Give topic, doc a, doc b, assessor, answer, order."
                )
            _, a, b, _, answer, *order = row
            if a == b:
                raise InputError(f"{place(i)} compares document {a!r} with itself.", "Leave it out.")
            if not all(row[:4]):
                raise InputError(f"{place(i)} has no {('topic', 'doc a', 'doc b', 'assessor')[row[:4].index('')]}.")
            for role, name in zip(("topic", "doc", "doc", "assessor"), row, strict=False):
                refuse_hidden(name, role, place(i))
            answers[i] = _answer(answer, a, b, place(i))
            shown[i] = _order(order[0] if order else "", a, b, place(i))
        columns = list(zip(*table, strict=False)) if table else [()] * 5
        topics, topic = code(pl.Series(columns[0], dtype=pl.String))
        assessors, assessor = code(pl.Series(columns[3], dtype=pl.String))
        docs, both = code(pl.Series([*columns[1], *columns[2]], dtype=pl.String))
        first, second = both[: len(table)].astype(np.int64), both[len(table) :].astype(np.int64)
        turned = first > second
        return cls(
            tuple(topics), tuple(docs), tuple(assessors), topic.astype(np.int64),
            np.where(turned, second, first), np.where(turned, first, second), assessor.astype(np.int64),
            np.where(turned, 1 - answers, answers), np.where(turned, -shown, shown),
        )  # fmt: skip

    @classmethod
    def from_frame(cls, frame: Any, *, source: str = "the frame") -> Preferences:
        """From a Polars or pandas frame with the columns topic, doc_a, doc_b, assessor, answer and maybe order."""
        table = as_polars(frame, source)
        missing = [c for c in ("topic", "doc_a", "doc_b", "assessor", "answer") if c not in table.columns]
        if missing:
            raise InputError(
                f"{source} has no column {missing[0]}.", "Columns: topic, doc_a, doc_b, assessor, answer, order."
            )
        columns = ["topic", "doc_a", "doc_b", "assessor", "answer", *(["order"] if "order" in table.columns else [])]
        return cls.from_rows(table.select(pl.col(columns)).rows(), source=source)

    # ── going to ──
    def to_frame(self) -> pl.DataFrame:
        """Polars frame topic, doc_a, doc_b, assessor, answer (a, b, same), order (ab, ba, or empty)."""
        docs = np.array(self.docs, dtype=object)
        return pl.DataFrame(
            {
                "topic": [self.topics[t] for t in self.topic],
                "doc_a": docs[self.first].tolist(),
                "doc_b": docs[self.second].tolist(),
                "assessor": [self.assessors[k] for k in self.assessor],
                "answer": ["a" if y == 1 else "b" if y == 0 else "same" for y in self.answer],
                "order": ["ab" if s > 0 else "ba" if s < 0 else "" for s in self.shown],
            },
            schema_overrides={"doc_a": pl.String, "doc_b": pl.String},
        )

    def write(self, path: str) -> None:
        """Write to .csv, .tsv, .jsonl or .parquet; `read_preferences` reads it back."""
        frame = self.to_frame()
        target = Path(path)
        writers: dict[str, Callable[[Path], Any]] = {
            ".csv": inert(frame).write_csv,
            ".tsv": lambda f: inert(frame).write_csv(f, separator="\t"),
            ".jsonl": frame.write_ndjson,
            ".parquet": frame.write_parquet,
        }
        if target.suffix not in writers:
            raise FileError(
                f"{target}: preferences are written as {', '.join(writers)}.", "Choose one of these endings."
            )
        with atomic_path(target) as partial:
            writers[target.suffix](partial)

    # ── choosing ──
    def rows(self, keep: NDArray[np.bool_] | Ints) -> Preferences:
        """Some answers; the names stay as they are."""
        return replace(
            self, topic=self.topic[keep], first=self.first[keep], second=self.second[keep],
            assessor=self.assessor[keep], answer=self.answer[keep], shown=self.shown[keep],
        )  # fmt: skip

    def by(self, assessor: str) -> Preferences:
        """The answers of one assessor."""
        if assessor not in self.assessors:
            raise InputError(f"there is no assessor {assessor!r}; there are {', '.join(self.assessors[:10])}.")
        return self.rows(self.assessor == self.assessors.index(assessor))


def _answer(answer: str, a: str, b: str, place: str) -> float:
    if answer == a or (answer.lower() == "a" and answer != b):
        return 1.0
    if answer == b or answer.lower() == "b":
        return 0.0
    if answer.lower() in SAME:
        return 0.5
    raise InputError(f"{place}: the answer {answer!r} is neither a, b, same, nor one of the documents {a!r} and {b!r}.")


def _order(order: str, a: str, b: str, place: str) -> int:
    if order in (a, b):
        return 1 if order == a else -1
    if order.lower() in ORDERS:
        return ORDERS[order.lower()]
    raise InputError(f"{place}: the order {order!r} is neither ab nor ba.", "Leave it empty where it is not known.")
