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

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.errors import FileError, Fix, InputError, Option
from dissensus.io.options import RoleOptions
from dissensus.io.table import Rows, TextTable, texts
from dissensus.tables.columns import Place, as_polars, code, freeze_arrays, names_of, one_text
from dissensus.tables.grades import missing_values
from dissensus.tables.ids import HIDDEN, refuse_hidden
from dissensus.windows.notebook import summary_html
from dissensus.windows.spreadsheets import inert
from dissensus.wording import counted
from dissensus.work.atomic import atomic_path

#: what the columns are called elsewhere, in lower case with "_" for spaces; the first name is ours
NAMES = {
    "topic": ("topic", "topic_id", "qid", "query_id", "query", "question_id", "question", "prompt_id", "prompt"),
    "doc_a": ("doc_a", "doca", "document_a", "docid_a", "item_a", "system_a", "model_a", "answer_a", "response_a", "a"),
    "doc_b": ("doc_b", "docb", "document_b", "docid_b", "item_b", "system_b", "model_b", "answer_b", "response_b", "b"),
    "assessor": ("assessor", "judge", "annotator", "worker", "rater", "user"),
    "answer": ("answer", "winner", "preference", "preferred", "choice", "verdict", "s"),
    "order": ("order", "shown"),
    "dimension": ("dimension", "aspect", "criterion"),
}
SAME = ("same", "s", "tie", "equal", "=", "0.5", "draw", "both", "tie (bothbad)")
ORDERS = {"ab": 1, "a": 1, "ba": -1, "b": -1, "": 0}
COLUMNS = ("topic", "doc_a", "doc_b", "assessor", "answer", "order")
Row = tuple[object, ...]


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

    @cached_property
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
        table = list(rows)

        def place(i: int) -> str:
            return places[i] if i < len(places) else f"{source}, row {i + 1}"

        wrong = next((i for i, row in enumerate(table) if len(row) not in (5, 6)), None)
        if wrong is not None:
            raise InputError(
                f"{place(wrong)} has {len(table[wrong])} values.", "Give topic, doc a, doc b, assessor, answer, order."
            )
        columns = zip(*((*row, "")[:6] for row in table), strict=True) if table else [()] * 6
        frame = {
            name: pl.Series([None if v is None else str(v) for v in column], dtype=pl.String)
            for name, column in zip(COLUMNS, columns, strict=True)
        }
        return cls.from_columns(pl.DataFrame(frame), place)

    @classmethod
    def from_frame(
        cls,
        frame: object,
        *,
        source: str = "the frame",
        dimension: str | None = None,
        options: RoleOptions | None = None,
    ) -> Preferences:
        """From a Polars or pandas frame with the columns topic, doc_a, doc_b, assessor, answer and maybe order.

        The names of other tools are understood, too (`NAMES`): docA, model_a, winner, judge. `dimension` chooses the
        answers to one question, where a column `dimension` holds several.
        """
        rows, notes = rows_of(
            TextTable.of_frame(as_polars(frame, source), options, source), "assessor", dimension, options
        )
        return replace(cls.from_columns(pl.DataFrame(rows.columns), rows.place), notes=notes)

    @classmethod
    def from_columns(cls, frame: pl.DataFrame, place: Place) -> Preferences:
        """From a frame with our names for the columns; `place` says where a row is."""
        text = {
            c: (texts(frame[c]).str.strip_chars().fill_null("") if c in frame.columns else one_text("", frame.height))
            for c in COLUMNS
        }
        _refuse_wrong_names(text, place)
        topics, topic = code(text["topic"])
        assessors, assessor = code(text["assessor"])
        docs, both = code(pl.concat([text["doc_a"], text["doc_b"]]))
        n = frame.height
        first, second = both[:n].astype(np.int64), both[n:].astype(np.int64)
        answers, shown = _answers(text, place), _orders(text, place)
        turned = first > second
        return cls(
            tuple(topics), tuple(docs), tuple(assessors), topic.astype(np.int64),
            np.where(turned, second, first), np.where(turned, first, second), assessor.astype(np.int64),
            np.where(turned, 1 - answers, answers), np.where(turned, -shown, shown),
        )  # fmt: skip

    # ── going to ──
    def to_frame(self) -> pl.DataFrame:
        """Polars frame topic, doc_a, doc_b, assessor, answer (a, b, same), order (ab, ba, or empty)."""
        return pl.DataFrame(
            {
                "topic": names_of(self.topics, self.topic),
                "doc_a": names_of(self.docs, self.first),
                "doc_b": names_of(self.docs, self.second),
                "assessor": names_of(self.assessors, self.assessor),
                "answer": names_of(("b", "same", "a"), (2 * self.answer).astype(np.int64)),
                "order": names_of(("ba", "", "ab"), self.shown + 1),
            }
        )

    def write(self, path: str) -> None:
        """Write to .csv, .tsv, .jsonl or .parquet; `read_preferences` reads it back."""
        frame = self.to_frame()
        target = Path(path)
        writers: dict[str, Callable[[Path], object]] = {
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

    def without(self, assessor: str) -> Preferences:
        """The answers of all assessors but one."""
        kept = self.assessor != self.assessors.index(assessor)
        if not kept.any():
            raise InputError(
                f"{assessor} is the only assessor, so there is no judge to compare.", "Give a judge's answers."
            )
        return replace(Preferences.from_columns(self.rows(kept).to_frame(), str), notes=self.notes)

    def joined(self, other: Preferences) -> Preferences:
        """The answers of both."""
        frame = pl.concat([self.to_frame(), other.to_frame()])
        return replace(Preferences.from_columns(frame, str), notes=(*self.notes, *other.notes))

    def of_one(self, name: str) -> Preferences:
        """All answers as those of one assessor, who then has several votes about a pair."""
        return replace(self, assessors=(name,), assessor=np.zeros(len(self), np.int64))


def rows_of(
    table: TextTable, name: str, dimension: str | None, options: RoleOptions | None = None
) -> tuple[Rows, tuple[str, ...]]:
    """(the rows of a table under our names, notes); without a column for the assessor, `name` answered."""
    source = str(table.path)
    frame = named_columns(table.frame, source, optional=("assessor",) if name else (), named=table.named)
    notes = []
    rows = of_dimension(frame, dimension, source)
    if rows is not None:
        notes.append(f"{table.path.name}: {len(rows):,} of {counted(frame.height, 'answer')} are about {dimension}")
    height = frame.height
    columns = {
        c: texts(frame[c]) if c in frame.columns else one_text(name if c == "assessor" else "", height) for c in COLUMNS
    }
    found = Rows(columns, table.place)
    found = found if rows is None else found.keep(rows)
    if options is not None and options.missing == "skip":
        there = np.flatnonzero(~missing_values(found.columns["answer"]))
        lost = len(found) - len(there)
        notes += [f"{counted(lost, 'row')} without an answer left out"] if lost else []
        found = found.keep(there)
    return found, tuple(notes)


def named_columns(
    table: pl.DataFrame, source: str, *, optional: Sequence[str] = (), named: Mapping[str, str] | None = None
) -> pl.DataFrame:
    """The columns that play a role, under our names; one that is missing is an error, unless it is `optional`.

    `named` are those that the user named, by role.
    """
    plain = {c.strip().lower().replace(" ", "_").replace("-", "_"): c for c in reversed(table.columns)}
    found = {role: next((plain[n] for n in names if n in plain), None) for role, names in NAMES.items()}
    found |= {role: column for role, column in (named or {}).items() if role in NAMES}
    needed = [role for role in COLUMNS[:5] if role not in optional]
    missing = next((role for role in needed if found[role] is None), None)
    if missing is not None:
        raise InputError(
            f"{source} has no column {missing}.",
            f"Columns: {', '.join(COLUMNS)}.",
            f"Also understood: {', '.join(NAMES[missing][1:])}.",
            Fix("Say which one it is with ", Option("columns"), f", as in {missing}={table.columns[0]}."),
        )
    return table.select(table[c].alias(role) for role, c in found.items() if c is not None)


def of_dimension(table: pl.DataFrame, dimension: str | None, source: str) -> Ints | None:
    """The rows about one dimension; None where there is no choice. Several without a choice are an error."""
    if "dimension" not in table.columns:
        if dimension is not None:
            raise InputError(f"{source} has no column dimension.", Fix("Leave ", Option("dimension"), " out."))
        return None
    column = texts(table["dimension"])
    there = sorted(column.drop_nulls().unique().to_list())
    if dimension is None and len(there) > 1:
        raise InputError(
            f"{source} asks about {len(there)} dimensions: {', '.join(there[:10])}.",
            Fix("Choose one: ", Option("dimension", there[-1]), "."),
        )
    if dimension is not None and dimension not in there:
        raise InputError(f"{source} has no dimension {dimension!r}.", f"There are {', '.join(there[:10])}.")
    return None if dimension is None else np.flatnonzero((column == dimension).fill_null(False).to_numpy())


def _refuse_wrong_names(text: dict[str, pl.Series], place: Place) -> None:
    same = (text["doc_a"] == text["doc_b"]) & (text["doc_a"] != "")
    if same.any():
        i = int(same.arg_max() or 0)
        raise InputError(f"{place(i)} compares document {text['doc_a'][i]!r} with itself.", "Leave it out.")
    for role, said in (("topic", "topic"), ("doc_a", "doc a"), ("doc_b", "doc b"), ("assessor", "assessor")):
        empty = text[role] == ""
        if empty.any():
            raise InputError(f"{place(int(empty.arg_max() or 0))} has no {said}.")
        for name in text[role].unique().to_list():
            if HIDDEN.search(name):
                refuse_hidden(name, said, place(int((text[role] == name).arg_max() or 0)))


def _answers(text: dict[str, pl.Series], place: Place) -> Floats:
    """1 for document a, 0 for b, ½ for the same; an answer that is the name of a document means that document."""
    frame = pl.DataFrame(text).with_columns(low=pl.col("answer").str.to_lowercase())
    value = frame.select(
        pl.when(pl.col("answer") == pl.col("doc_a")).then(1.0)
        .when(pl.col("answer") == pl.col("doc_b")).then(0.0)
        .when(pl.col("low").is_in(NAMES["doc_a"])).then(1.0)
        .when(pl.col("low").is_in(NAMES["doc_b"])).then(0.0)
        .when(pl.col("low").is_in(SAME)).then(0.5)
    ).to_series()  # fmt: skip
    if value.null_count():
        i = int(value.is_null().arg_max() or 0)
        answer, a, b = frame["answer"][i], frame["doc_a"][i], frame["doc_b"][i]
        raise InputError(
            f"{place(i)}: the answer {answer!r} is neither a, b, same, nor one of the documents {a!r} and {b!r}."
        )
    return value.to_numpy().astype(np.float64)


def _orders(text: dict[str, pl.Series], place: Place) -> Ints:
    """1 where document a was shown first, −1 where b was, 0 where nothing says it."""
    frame = pl.DataFrame(text).with_columns(low=pl.col("order").str.to_lowercase())
    value = frame.select(
        pl.when(pl.col("order") == pl.col("doc_a")).then(1)
        .when(pl.col("order") == pl.col("doc_b")).then(-1)
        .otherwise(pl.col("low").replace_strict(ORDERS, default=None, return_dtype=pl.Int64))
    ).to_series()  # fmt: skip
    if value.null_count():
        i = int(value.is_null().arg_max() or 0)
        raise InputError(
            f"{place(i)}: the order {frame['order'][i]!r} is neither ab nor ba.",
            "Leave it empty where it is not known.",
        )
    return value.to_numpy().astype(np.int64)
