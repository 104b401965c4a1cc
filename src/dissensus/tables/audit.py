"""Audits: the gold judge's look at some of the documents, and the probability with which each was chosen.

Without that probability a few gold labels say little: a sample of "100 relevant and 100 non-relevant" documents, read
as if it were random, makes a judge look far better than it is. An `Audit` therefore carries a column `inclusion`. Plain
judgments do as an audit, too: then the probabilities are taken within each bronze label (documents audited / documents
with that label), and every output says so.

    >>> audit = Audit.from_dict({"q1": {"d1": 1, "d2": 0}}, inclusion={"q1": {"d1": 0.5, "d2": 0.1}})
    >>> audit
    Audit(2 documents, 1 topic, inclusion 0.1 to 0.5)
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Values
from dissensus.errors import FileError, Fix, InputError, JudgmentError, Option, ReliabilityWarning, Text
from dissensus.tables.columns import (
    Place,
    as_polars,
    column_or_none,
    find_column,
    id_strings,
    numbers_of,
    one_text,
    placed,
)
from dissensus.tables.design import EVERYTHING, Coverage, Frame, matching, rebuild
from dissensus.tables.drawn_order import drawn_order
from dissensus.tables.grades import ScaleLike, missing_values
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale, as_scale
from dissensus.windows.notebook import summary_html
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.tables.drawn_order import DrawnOrder


@dataclass(frozen=True, eq=False)
class Audit:
    """Gold judgments of one assessor, one per document, with inclusion probabilities by row.

    `inclusion` is None where the audit says nothing of how its documents were chosen. `covers` is what the plan behind
    it can answer (`Coverage`), `frame` the probabilities of all documents, where they are known (`Frame`).
    """

    judgments: Judgments
    inclusion: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()
    covers: Coverage = EVERYTHING
    order: DrawnOrder | None = None  # the committed order that it is the beginning of
    frame: Frame | None = None
    sequence: NDArray[np.int64] | None = None  # the row of the file that each judgment was, where there is a file

    def __post_init__(self) -> None:
        gold = self.judgments
        if len(gold.assessors) > 1:
            raise InputError(
                f"an audit holds the word of one gold judge; this one has {len(gold.assessors)}: "
                f"{', '.join(gold.assessors[:5])}.",
                Fix("Pick one with judgments.select(assessors=[name]), or merge them with ds.merge.", reader="python"),
                Fix("Leave the others out of the file.", reader="command"),
                Fix("Merge them: dissensus merge FILE -o gold.qrels", reader="command"),
            )
        if gold.n_repeats():
            raise JudgmentError(
                f"{gold.n_repeats():,} audited documents have more than one gold grade.",
                Fix(
                    "Settle them when reading: ",
                    Option("repeated", "first"),
                    " or ",
                    Option("repeated", "last"),
                    ".",
                    reader="python",
                ),
                Fix("Leave one grade per document in the file.", reader="command"),
            )
        if self.inclusion is None:
            return
        pi = np.asarray(self.inclusion, np.float64)
        if pi.shape != (len(gold),):
            raise InputError(f"{len(pi):,} inclusion probabilities for {len(gold):,} audited documents.")
        bad = np.flatnonzero(~((pi > 0) & (pi <= 1)))
        if len(bad):
            row = int(bad[0])
            raise InputError(
                f"{self._place(row)} has the inclusion probability {pi[row]:g}; it must be above 0 and at most 1.",
                "It is the probability with which the document was chosen for the audit, known beforehand.",
            )
        object.__setattr__(self, "inclusion", pi)

    def _place(self, row: int) -> str:
        gold, item = self.judgments, int(self.judgments.item[row])
        return f"topic {gold.topics[gold.item_topic[item]]}, document {gold.doc_ids(np.array([item]))[0]}"

    def __len__(self) -> int:
        return len(self.judgments)

    def __repr__(self) -> str:
        how = "unknown" if self.inclusion is None else f"{self.inclusion.min():g} to {self.inclusion.max():g}"
        return (
            f"Audit({counted(len(self), 'document')}, {counted(len(self.judgments.topics), 'topic')}, inclusion {how})"
        )

    def _repr_html_(self) -> str:
        pi = self.inclusion
        facts = [
            ("documents", len(self)),
            ("topics", len(self.judgments.topics)),
            ("inclusion", "unknown" if pi is None else f"{pi.min():g} to {pi.max():g}"),
        ]
        return summary_html("Audit", facts)

    # ── coming from ──
    @classmethod
    def from_frame(
        cls,
        frame: object,
        *,
        scale: ScaleLike = None,
        assessor: str = "gold",
        source: str = "the frame",
        columns: Mapping[str, str] | None = None,
        place: Place | None = None,
        everyone: object = None,
    ) -> Audit:
        """From a frame with columns topic, doc, grade and, if known, inclusion (also: pi, probability).

        Rows whose grade is empty were chosen but not audited; they are left out, and the inclusion probabilities of
        the others are lowered in proportion, as if the missing ones were missing at random.
        `everyone`: a frame topic, doc, inclusion of all documents that could be chosen, as `Plan.everyone` holds them;
        a table with a column `design` needs it.
        """
        table = as_polars(frame)
        where = placed(place or source)
        named = dict(columns or {})
        if (order := _order_of(table, source, named, where)) is not None:
            audit = cls.from_frame(
                order.graded_prefix(table, source), scale=scale, assessor=assessor, source=source, columns=columns,
                place=lambda row: where(order.row[row]),
            )  # fmt: skip
            return replace(audit, order=order, notes=(*audit.notes, *order.notes()), frame=order.frame())
        role = {r: named.get(r) or find_column(table.columns, r, source) for r in ("topic", "doc", "grade")}
        inclusion, who = (named.get(r) or column_or_none(table.columns, r, source) for r in ("inclusion", "assessor"))
        if any(c.strip().lower() == "second" for c in table.columns):
            who = None  # the file of a closed study: experts shared the work, a row for each document
        topic, doc = (id_strings(table[role[r]], r, where) for r in ("topic", "doc"))
        if who is None or table[who].n_unique() == 1:
            _refuse_second(topic, doc, where)
        pi = None if inclusion is None else _probabilities(table[inclusion], inclusion, where)
        graded = ~missing_values(table[role["grade"]], _names(scale))
        rows = np.flatnonzero(graded)
        if not len(rows):
            raise FileError(
                f"{source} holds no graded document.", f"An audit needs gold grades: fill the column {role['grade']!r}."
            )
        notes: tuple[str, ...] = ()
        share = len(rows) / table.height
        if share < 1:
            notes = (
                f"{table.height - len(rows):,} of the documents chosen for the audit have no grade; they are left out "
                f"as if missing at random, and inclusion probabilities are multiplied by {share:.3f}.",
            )
            warnings.warn(notes[0], ReliabilityWarning, stacklevel=2)
        by = table[who].gather(rows) if who is not None else one_text(assessor, len(rows))
        gold = Judgments.from_columns(
            topic.gather(rows), doc.gather(rows), by, table[role["grade"]].gather(rows),
            scale=scale, place=lambda row: where(int(rows[row])),
        )  # fmt: skip
        row_of = {pair: row for row, pair in enumerate(zip(topic, doc, strict=True))}
        names = gold.doc_ids()
        row = np.array([row_of[gold.topics[gold.item_topic[i]], names[i]] for i in gold.item.tolist()], np.int64)
        if pi is None:
            return cls(gold, None, (*gold.notes, *notes), sequence=row)
        frame = _frame_of(table, topic, doc, pi, source, where, everyone)
        coverage = Coverage.from_columns(_distinct(table, "covers"), _distinct(table, "pairs"), source)
        chances = None if frame is None else frame.scaled(share)
        return cls(gold, (pi * share)[row], (*gold.notes, *notes), coverage, frame=chances, sequence=row)

    @classmethod
    def from_dict(
        cls,
        grades: Mapping[Any, Mapping[Any, object]],
        inclusion: Mapping[Any, Mapping[Any, float]] | None = None,
        *,
        scale: Scale | Sequence[str] | str | None = None,
    ) -> Audit:
        """From {topic: {doc: grade}} and, if known, {topic: {doc: probability}}."""
        rows = [(str(t), str(d), g) for t, docs in grades.items() for d, g in docs.items()]
        table: Values = {
            "topic": [r[0] for r in rows],
            "doc": [r[1] for r in rows],
            "grade": [r[2] for r in rows],
        }
        if inclusion is not None:
            known = {(str(t), str(d)): p for t, docs in inclusion.items() for d, p in docs.items()}
            lost = next(((t, d) for t, d, _ in rows if (t, d) not in known), None)
            if lost:
                raise InputError(
                    Text(Option("inclusion", None), f" has no probability for topic {lost[0]}, document {lost[1]}.")
                )
            table["inclusion"] = [float(known[t, d]) for t, d, _ in rows]
        return cls.from_frame(pl.DataFrame(table), scale=scale, source="the dict")

    # ── going to ──
    def to_frame(self) -> pl.DataFrame:
        """Polars frame topic, doc, grade, inclusion (null where unknown)."""
        pi = [None] * len(self) if self.inclusion is None else self.inclusion
        return (
            self.judgments.to_frame()
            .select("topic", "doc", "grade")
            .with_columns(pl.Series("inclusion", pi, dtype=pl.Float64))
        )


def _names(scale: ScaleLike) -> tuple[str, ...]:
    """The names of the grades of a declared scale."""
    declared = None if isinstance(scale, Mapping) else as_scale(scale)
    return () if declared is None else declared.names


def _distinct(table: pl.DataFrame, name: str) -> list[str]:
    """The values of a column that a plan wrote; none where it has no such column."""
    found = next((c for c in table.columns if c.strip().lower() == name), None)
    return [] if found is None else [v for v in table[found].drop_nulls().cast(pl.String).unique().sort() if v.strip()]


def _order_of(table: pl.DataFrame, source: str, named: Mapping[str, str], place: Place) -> DrawnOrder | None:
    """The committed order that a table holds; None where it has no column `draw`."""
    if not any(c.strip().lower() == "draw" for c in table.columns):
        return None

    return drawn_order(table, source, named, place)


def _frame_of(
    table: pl.DataFrame,
    topic: pl.Series,
    doc: pl.Series,
    pi: NDArray[np.float64],
    source: str,
    place: Place,
    everyone: object,
) -> Frame | None:
    """The frame that belongs to a table, checked against it; None where neither names one."""
    designs = _distinct(table, "design")
    if len(designs) > 1:
        raise InputError(
            f"{source} holds rows of {len(designs)} designs: {designs[0]} and {designs[1]}.",
            "Samples that were drawn separately have no joint probabilities: plan the second with the first as audit.",
        )
    if everyone is None:
        if designs:
            raise InputError(
                f"{source} was drawn by a design whose frame is not given: {designs[0]}.",
                Fix("Give it: everyone=plan.everyone, or read the file with its frame beside it.", reader="python"),
                rebuild(designs[0], "NAME.frame.parquet"),
            )
        return None
    given = as_polars(everyone)
    frame = matching(given, designs[0] if designs else "", "the frame")
    there = frame.of(topic, doc)
    _refuse_unknown_rows(there, topic, doc, source, place)
    _refuse_missing(frame, table.height, source)
    wrong = np.flatnonzero(~np.isclose(there, pi, rtol=1e-6, atol=0))
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"{place(row)}: topic {topic[row]}, document {doc[row]} has the inclusion probability {pi[row]:g}, and "
            f"{there[row]:g} in the frame.",
            "Leave the column inclusion as the plan wrote it, and its frame beside it.",
        )
    return frame


def _refuse_unknown_rows(
    there: NDArray[np.float64], topic: pl.Series, doc: pl.Series, source: str, place: Place
) -> None:
    """Refuse documents that are not in the frame: their ids were changed, by a spreadsheet for example."""
    lost = np.flatnonzero(there <= 0)
    if not len(lost):
        return
    row = int(lost[0])
    raise InputError(
        f"{place(row)}: topic {topic[row]}, document {doc[row]} is not among the documents that could be drawn "
        f"({len(lost):,} such rows in {source}).",
        "Spreadsheets change ids: they drop leading zeros, and write 1.2E+10. Take the ids from the sample as planned.",
    )


def _refuse_missing(frame: Frame, rows: int, source: str) -> None:
    """Refuse a file with fewer rows than were drawn: a row without a grade may be empty, but must be there.

    Samples of `plan` have a fixed size. Others, those of 0.2.0 among them, are held against their expected size by
    `inference.checks`.
    """
    if frame.drawn is not None and rows < frame.drawn:
        raise InputError(
            f"{source} holds {rows:,} documents, and {frame.drawn:,} were drawn: "
            f"{frame.drawn - rows:,} rows are missing.",
            "Give the whole file back. Leave the grade of a document that was not judged empty, and keep its row.",
        )


def as_audit(audit: Audit | Judgments) -> Audit:
    """Plain judgments as an audit whose inclusion probabilities are not known."""
    if not isinstance(audit, Audit | Judgments):
        raise InputError(
            f"an audit is an Audit or Judgments, not {type(audit).__name__}.", "Read one with ds.read_audit(path)."
        )
    return audit if isinstance(audit, Audit) else Audit(audit)


def _refuse_second(topic: pl.Series, doc: pl.Series, place: Place) -> None:
    """Refuse a document that is in the audit twice: it has one grade and one probability."""
    first: dict[tuple[str, str], int] = {}
    for row, pair in enumerate(zip(topic, doc, strict=True)):
        if first.setdefault(pair, row) != row:
            raise JudgmentError(
                f"{place(first[pair])} and {place(row)} both hold topic {pair[0]}, document {pair[1]}.",
                "An audit holds a document once, with one gold grade and one inclusion probability: take one out.",
            )


def _probabilities(column: pl.Series, name: str, place: Place) -> NDArray[np.float64]:
    """Inclusion probabilities, each above 0 and at most 1; a spreadsheet may have written 0,25 for 0.25."""
    if column.dtype == pl.String:
        column = column.str.replace(r"^(\s*\d*),(\d+)", "${1}.${2}")
    values = numbers_of(column)
    bad = np.flatnonzero(~((values > 0) & (values <= 1)))
    if len(bad):
        row = int(bad[0])
        number = "not a number" if np.isnan(values[row]) else "out of range: it must be above 0 and at most 1"
        raise InputError(
            f"{place(row)}: the {name} {repr(column[row])[:60]} is {number}.",
            "It is the probability with which the document was chosen for the audit, known beforehand.",
            "Give every document its inclusion probability, or leave the column out.",
        )
    return values
