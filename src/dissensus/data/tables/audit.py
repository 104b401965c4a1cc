"""Audits: the gold judge's look at some of the documents, and the probability with which each was chosen.

Without that probability a few gold labels say little: a sample of "100 relevant and 100 non-relevant" documents, read
as if it were random, makes a judge look far better than he is. An `Audit` therefore carries a column `inclusion`. Plain
judgments do as an audit, too: then the probabilities are taken within each bronze label (documents audited / documents
with that label), and every output says so.

    >>> audit = Audit.from_dict({"q1": {"d1": 1, "d2": 0}}, inclusion={"q1": {"d1": 0.5, "d2": 0.1}})
    >>> audit
    Audit(2 documents, 1 topic, inclusion 0.1 to 0.5)
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.scale import Scale
from dissensus.errors import FileError, InputError, JudgmentError, ReliabilityWarning
from dissensus.work.plural import counted

if TYPE_CHECKING:
    import polars as pl

INCLUSION = ("inclusion", "inclusion_probability", "pi", "probability", "prob")


@dataclass(frozen=True, eq=False)
class Audit:
    """Gold judgments of one assessor, one per document, with inclusion probabilities by row.

    `inclusion` is None where the audit says nothing of how its documents were chosen. `covers` is "differences" where
    the plan behind it never chose documents that weigh alike for all systems, and "difference of A and B" where it was
    about these two (a column that `ds.plan` writes; several plans are told apart by "; ").
    """

    judgments: Judgments
    inclusion: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()
    covers: str = "scores"

    def __post_init__(self) -> None:
        gold = self.judgments
        if len(gold.assessors) > 1:
            raise InputError(
                f"an audit holds the word of one gold judge; this one has {len(gold.assessors)}: "
                f"{', '.join(gold.assessors[:5])}.",
                "In Python, pick one with judgments.select(assessors=[name]), or merge them with ds.merge.",
                "On the command line, leave the others out of the file.",
                "On the command line, merge them: dissensus merge FILE -o gold.qrels",
            )
        if gold.n_repeats():
            raise JudgmentError(
                f"{gold.n_repeats():,} audited documents have more than one gold grade.",
                'In Python, settle them when reading: repeated="first" or repeated="last".',
                "On the command line, leave one grade per document in the file.",
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

    # ── coming from ──
    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        scale: Scale | Sequence[str] | str | None = None,
        assessor: str = "gold",
        source: str = "the frame",
    ) -> Audit:
        """From a frame with columns topic, doc, grade and, if known, inclusion (also: pi, probability).

        Rows whose grade is empty were chosen but not audited; they are left out, and the inclusion probabilities of
        the others are lowered in proportion, as if the missing ones were missing at random.
        """
        import polars as pl

        from dissensus.data.readers.columns import as_polars, column_or_none, find_column
        from dissensus.data.tables.judgment_table import judgments_from_frame

        table = as_polars(frame)
        grade = find_column(table.columns, "grade", source)
        lower = {c.strip().lower(): c for c in table.columns}
        column = next((lower[name] for name in INCLUSION if name in lower), None)
        who = column_or_none(table.columns, "assessor", source)
        place_of = np.arange(table.height)
        labels = table[grade]
        empty = labels.is_null()
        if labels.dtype == pl.String:
            empty = empty | (labels.str.strip_chars() == "")
        missing = int(empty.sum())
        notes: tuple[str, ...] = ()
        if missing == table.height:
            raise FileError(
                f"{source} holds no graded document.", f"An audit needs gold grades: fill the column {grade!r}."
            )
        if missing:
            place_of = place_of[~empty.to_numpy()]
            share = (table.height - missing) / table.height
            table = table.filter(~empty)
            notes = (
                f"{missing:,} of the documents chosen for the audit have no grade; they are left out as if missing at "
                f"random, and inclusion probabilities are multiplied by {share:.3f}.",
            )
            warnings.warn(notes[0], ReliabilityWarning, stacklevel=2)
        with _one_grade_each():
            gold = judgments_from_frame(
                table,
                assessor=assessor if who is None else None,
                scale=scale,
                repeated="error",
                source=source,
                place=lambda row: f"{source}:{int(place_of[row]) + 2}",
            )
        if column is None:
            return cls(gold, None, (*gold.notes, *notes))
        pi = _numbers(table[column], column, source)
        if missing:
            pi = pi * share
        told = table[lower["covers"]].drop_nulls().unique().sort().to_list() if "covers" in lower else []
        covers = "; ".join(c for c in map(str, told) if c.startswith("difference")) or "scores"
        return cls(gold, _in_row_order(gold, table, pi, source), (*gold.notes, *notes), covers)

    @classmethod
    def from_dict(
        cls,
        grades: Mapping[Any, Mapping[Any, Any]],
        inclusion: Mapping[Any, Mapping[Any, float]] | None = None,
        *,
        scale: Scale | Sequence[str] | str | None = None,
    ) -> Audit:
        """From {topic: {doc: grade}} and, if known, {topic: {doc: probability}}."""
        import polars as pl

        rows = [(str(t), str(d), g) for t, docs in grades.items() for d, g in docs.items()]
        table: dict[str, Any] = {
            "topic": [r[0] for r in rows],
            "doc": [r[1] for r in rows],
            "grade": [r[2] for r in rows],
        }
        if inclusion is not None:
            known = {(str(t), str(d)): p for t, docs in inclusion.items() for d, p in docs.items()}
            lost = next(((t, d) for t, d, _ in rows if (t, d) not in known), None)
            if lost:
                raise InputError(f"inclusion= has no probability for topic {lost[0]}, document {lost[1]}.")
            table["inclusion"] = [float(known[t, d]) for t, d, _ in rows]
        return cls.from_frame(pl.DataFrame(table), scale=scale, source="the dict")

    # ── going to ──
    def to_frame(self) -> pl.DataFrame:
        """Polars frame topic, doc, grade, inclusion (null where unknown)."""
        import polars as pl

        pi = [None] * len(self) if self.inclusion is None else self.inclusion
        return (
            self.judgments.to_frame()
            .select("topic", "doc", "grade")
            .with_columns(pl.Series("inclusion", pi, dtype=pl.Float64))
        )


def read_audit(path: str | Path, *, scale: Scale | Sequence[str] | str | None = None) -> Audit:
    """An audit from a file: a table (.csv, .tsv, .jsonl, .parquet) with topic, doc, grade and, if known, inclusion; or
    any file of judgments of one assessor, then without inclusion probabilities.
    """
    file = Path(path)
    if not file.is_file():
        raise FileError(f"{path} is not a file.", "An audit is one file of gold judgments.")
    name = file.name.removesuffix(".gz")
    if name.endswith((".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")):
        return Audit.from_frame(_read_table(file, name), scale=scale, source=str(path))
    from dissensus.data.readers.api import read_judgments

    with _one_grade_each():
        gold = read_judgments(file, scale=scale)
    return Audit(gold)


@contextmanager
def _one_grade_each() -> Iterator[None]:
    """Gold grades that contradict each other are refused without offering a choice: an audit has no `repeated=`."""
    try:
        yield
    except JudgmentError as error:
        if not any("repeated=" in way for way in error.ways_out):
            raise
        raise JudgmentError(error.what, "An audit has one gold grade per document: take the wrong one out.") from error


def as_audit(audit: Audit | Judgments) -> Audit:
    """Plain judgments as an audit whose inclusion probabilities are not known."""
    if not isinstance(audit, Audit | Judgments):
        raise InputError(
            f"an audit is an Audit or Judgments, not {type(audit).__name__}.", "Read one with ds.read_audit(path)."
        )
    return audit if isinstance(audit, Audit) else Audit(audit)


def _read_table(file: Path, name: str) -> pl.DataFrame:
    import polars as pl

    try:
        if name.endswith(".parquet"):
            return pl.read_parquet(file)
        if name.endswith(("l", "ndjson")):
            return pl.read_ndjson(file)
        separator = "\t" if name.endswith(".tsv") else ","
        return pl.read_csv(file, separator=separator, infer_schema=False)
    except (pl.exceptions.PolarsError, UnicodeDecodeError, OSError) as error:
        raise FileError(f"{file} cannot be read as a table: {error}.") from error


def _numbers(column: pl.Series, name: str, source: str) -> NDArray[np.float64]:
    import polars as pl

    values = column.cast(pl.Float64, strict=False) if column.dtype != pl.Float64 else column
    bad = values.is_null().arg_true()
    if len(bad):
        row = int(bad[0])
        raise InputError(
            f"{source}:{row + 2}: the {name} {column[row]!r} is not a number.",
            "Give every audited document its inclusion probability, or leave the column out.",
        )
    return values.to_numpy().astype(np.float64)


def _in_row_order(gold: Judgments, table: pl.DataFrame, pi: NDArray[np.float64], source: str) -> NDArray[np.float64]:
    """Probabilities in the row order of the judgments, which are sorted by topic and document."""
    import polars as pl

    from dissensus.data.readers.columns import find_column

    topic, doc = (table[find_column(table.columns, role, source)].cast(pl.String) for role in ("topic", "doc"))
    given = dict(zip(zip(topic.to_list(), doc.to_list(), strict=True), pi.tolist(), strict=True))
    names = gold.doc_ids()
    return np.array([given[gold.topics[gold.item_topic[i]], names[i]] for i in gold.item.tolist()])
