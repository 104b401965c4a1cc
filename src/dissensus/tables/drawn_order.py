"""The committed order behind an audit: which document was drawn when, at which rate, and how far it is labelled.

A file of an order has the columns topic, doc, grade, draw (1, 2, …), rate and next_key (the key of the next document);
it may hold the whole order or its labelled beginning. With a column `of` it must have as many rows as that says. Only
the completed prefix counts: labels beyond the first document without one could have been chosen by what they say.
Closed after n labels, a document of rate r had the probability 1 − exp(−r·τ) of being among them, τ the `next_key` of
draw n.

    >>> import polars as pl
    >>> table = pl.DataFrame({"topic": ["q", "q", "q"], "doc": ["x", "y", "z"], "grade": ["1", "0", None],
    ...     "draw": [1, 2, 3], "rate": [2.0, 1.0, 1.0], "next_key": [0.3, 0.7, float("inf")]})
    >>> order = drawn_order(table, "the frame")
    >>> order.completed, order.inclusion().round(3).tolist()
    (2, [0.753, 0.503])
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import InputError
from dissensus.io.table import texts
from dissensus.tables.columns import Place, find_column, numbers_of, placed
from dissensus.tables.design import Frame
from dissensus.wording import counted

COLUMNS = ("draw", "of", "rate", "next_key", "second", "stop")


@dataclass(frozen=True, eq=False)
class DrawnOrder:
    """Rows by draw. `grade` is None without a label; `next_key` is NaN where the file has no such column.

    `draw` counts from 1; a file may lack some draws, and then the prefix ends before the first one that it lacks.
    `second` is the grade of another assessor on the same document, where there is one.
    """

    topic: tuple[str, ...]
    doc: tuple[str, ...]
    grade: tuple[str | None, ...]
    draw: NDArray[np.int64]
    rate: NDArray[np.float64]
    next_key: NDArray[np.float64]
    assessor: tuple[str, ...] = ()
    second: tuple[str | None, ...] = ()
    row: tuple[int, ...] = ()  # of the file, counted from 0
    stop: str | None = None  # the rule by which the audit was to end, where the file says it

    def __len__(self) -> int:
        return len(self.topic)

    @property
    def completed(self) -> int:
        """Labels of the completed prefix."""
        done = 0
        for grade, draw in zip(self.grade, self.draw.tolist(), strict=True):
            if grade is None or draw != done + 1:
                break
            done += 1
        return done

    @property
    def waiting(self) -> int:
        """Labels beyond the prefix."""
        return sum(g is not None for g in self.grade) - self.completed

    @property
    def looked(self) -> bool:
        """Did the labels decide when to stop? Not where a budget was fixed before the first label, and is spent."""
        if self.stop is None:
            return False
        kind, _, number = self.stop.partition(":")
        return kind != "budget" or self.completed < min(int(float(number or 0)), len(self))

    @property
    def complete(self) -> bool:
        """Does the file hold the order to its end?"""
        return bool(len(self)) and bool(np.isposinf(self.next_key[-1])) and int(self.draw[-1]) == len(self)

    def notes(self) -> tuple[str, ...]:
        """What users of its π must know."""
        start = f"the audit is the first {counted(self.completed, 'document')} of a committed order."
        if self.looked:
            out = [f"{start} Its labels may decide when to stop, so claims use intervals that hold at every look."]
        elif self.stop is not None:
            out = [f"{start} That number was fixed before the first label ({self.stop})."]
        else:
            out = [
                f"{start} Its probabilities hold if that number was fixed before the first label. If not, use "
                "sequential and its closing look."
            ]
        if self.waiting:
            out.append(
                f"{counted(self.waiting, 'label')} beyond draw {self.completed + 1:,}, which has none, "
                f"{'does' if self.waiting == 1 else 'do'} not count."
            )
        return tuple(out)

    def inclusion(self) -> NDArray[np.float64]:
        """π of the completed prefix, if its length was fixed in advance."""
        return self._chance(self.rate[: self.completed])

    def _chance(self, rate: NDArray[np.float64]) -> NDArray[np.float64]:
        """1 − exp(−r·τ), τ the key of the document behind the completed prefix."""
        tau = float(self.next_key[self.completed - 1]) if self.completed else 0.0
        return np.ones(len(rate)) if np.isposinf(tau) else np.asarray(-np.expm1(-rate * tau), np.float64)

    def frame(self) -> Frame | None:
        """π of all documents, if the file holds the order to its end."""
        if not self.complete or not self.completed:
            return None
        table = pl.DataFrame({"topic": self.topic, "doc": self.doc, "inclusion": self._chance(self.rate)})
        return Frame(table, "plan --order")

    def graded_prefix(self, table: pl.DataFrame, source: str) -> pl.DataFrame:
        """The rows of the completed prefix without the columns of the order, with π where the order tells it."""
        n = self.completed
        if not n:
            raise InputError(
                f"{source} holds an order whose first document has no grade.",
                "Only the completed prefix of an order counts: grade the documents from draw 1.",
            )
        dropped = (*COLUMNS, "assessor", "inclusion")
        rows = table[list(self.row[:n])]
        rows = rows.drop([c for c in rows.columns if c.strip().lower() in dropped])
        pi = self.inclusion()
        return rows.with_columns(inclusion=pi) if not np.isnan(pi).any() else rows


def drawn_order(
    table: pl.DataFrame, source: str, columns: Mapping[str, str] | None = None, place: Place | None = None
) -> DrawnOrder | None:
    """The order that a table holds; None where it has no columns draw and rate.

    `columns`: what the table calls topic, doc and grade, where that is not usual; `place` names a row in errors.
    """
    lower = {c.strip().lower(): c for c in table.columns}
    if "draw" not in lower or "rate" not in lower:
        return None
    where = placed(place or source)
    drawn = _numbers(table, lower["draw"], where)
    for row in np.flatnonzero((drawn != np.floor(drawn)) | (drawn < 1))[:1].tolist():
        raise InputError(f"{where(row)}: the draw {drawn[row]:g} is not a whole number of at least 1.")
    if "of" in lower:
        _check_whole(table[lower["of"]], source)
    rate = _numbers(table, lower["rate"], where)
    for row in np.flatnonzero(~(np.isfinite(rate) & (rate > 0)))[:1].tolist():
        raise InputError(f"{where(row)}: the rate {rate[row]:g} must be above 0.")
    sequence = np.argsort(drawn, kind="stable")
    number = drawn[sequence].astype(np.int64)
    for t in np.flatnonzero(np.diff(number) == 0)[:1].tolist():
        raise InputError(
            f"{where(int(sequence[t]))} and {where(int(sequence[t + 1]))}: both have the draw {number[t]}.",
            "An order has one document per draw: give the file as the plan wrote it.",
        )
    key = np.full(len(rate), np.nan)
    if "next_key" in lower:
        key = _numbers(table, lower["next_key"], where)[sequence]
        _check_keys(key, sequence, where)
    named = dict(columns or {})

    def words(name: str) -> tuple[str | None, ...]:
        column = _words(table, name)
        return tuple(column[i] for i in sequence.tolist())

    def required(role: str) -> tuple[str | None, ...]:
        return words(named.get(role) or find_column(table.columns, role, source))

    return DrawnOrder(
        tuple(str(t) for t in required("topic")),
        tuple(str(d) for d in required("doc")),
        required("grade"),
        number,
        rate[sequence],
        key,
        tuple(w or "" for w in words(lower["assessor"])) if "assessor" in lower else (),
        words(lower["second"]) if "second" in lower else (),
        tuple(sequence.tolist()),
        next((str(s) for s in table[lower["stop"]].drop_nulls().unique().to_list()), None) if "stop" in lower else None,
    )


def _check_whole(of: pl.Series, source: str) -> None:
    """An audit that was exported says how many rows it has: a file that was cut off is noticed."""
    said = sorted(set(of.cast(pl.Int64, strict=False).to_list()), key=str)
    if said != [len(of)]:
        raise InputError(
            f"{source} holds {len(of):,} rows of an order of {', '.join(map(str, said[:3]))}: some are missing.",
            "Export it again, and keep the rows without a grade.",
        )


def _check_keys(key: NDArray[np.float64], sequence: NDArray[np.int64], where: Place) -> None:
    """Keys rise along the order: where they do not, rows were moved."""
    for t in np.flatnonzero(~(np.diff(key) > 0))[:1].tolist():
        raise InputError(
            f"{where(int(sequence[t + 1]))}: its next_key {key[t + 1]:g} is not above that of the draw before it, "
            f"{key[t]:g}.",
            "The order was changed after it was committed: give the file as the plan wrote it, with grades filled in.",
        )


def _words(table: pl.DataFrame, name: str) -> list[str | None]:
    """A column as text; empty cells are None."""
    text = texts(table[name]).str.strip_chars()
    return [value or None for value in text.to_list()]


def _numbers(table: pl.DataFrame, name: str, where: Place) -> NDArray[np.float64]:
    values = numbers_of(table[name])
    for row in np.flatnonzero(np.isnan(values))[:1].tolist():
        raise InputError(f"{where(row)}: the {name} {table[name][row]!r} is not a number.")
    return values
