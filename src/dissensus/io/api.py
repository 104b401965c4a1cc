"""Files in: `read_runs`, `read_judgments` and `read_audit`.

Any number of files and globs: TREC files, CSV, TSV, JSON lines, Parquet, Arrow, and what other tools write (see
`exports`), all but Parquet also as .gz and .zst. Nothing depends on the order in which files or lines come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Unpack

from dissensus.errors import InputError, Option, Text
from dissensus.io.files import Given, PathLike
from dissensus.io.options import ReadKeywords, ReadOptions, TableKeywords, spelled_out
from dissensus.io.reading import judgments_from_files, runs_from_files
from dissensus.tables.audit import Audit
from dissensus.tables.coercion import as_gold
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

if TYPE_CHECKING:
    from dissensus.io.options import Missing
    from dissensus.tables.grades import ScaleLike


@spelled_out
def read_runs(
    *paths_or_globs: Given,
    system: Literal["file", "tag"] | None = None,
    missing: Missing | None = None,
    **table: Unpack[TableKeywords],
) -> Runs:
    r"""Read run files: TREC, CSV, TSV, JSONL, Parquet, Arrow, also compressed.

    A system is named after its file, without `.gz` or `.zst` and then without one of `.txt .run .res .trec .csv .tsv
    .jsonl .parquet .json .arrow .feather .ipc`, or by you ("NAME=FILE"). Tables with a system column name their
    systems themselves.

    Parameters
    ----------
    paths_or_globs
        Files, globs, or lists of them.
    system
        file takes the file's name always, tag the last column of a TREC run (the system column of a table).

    Returns
    -------
    Runs
        The rankings of every system on every topic.

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "bm25.run").write_text("301 Q0 FT-7 1 12.5 tag\n301 Q0 FT-9 2 11.0 tag\n")
    >>> ds.read_runs(folder / "*.run")
    Runs(1 system, 1 topic, 2 rows)
    """
    if system not in (None, "file", "tag"):
        raise InputError(Text(Option("system", system), ' is neither "file" nor "tag".'))
    options = replace(ReadOptions.of(missing=missing, **table).runs, system=system)
    runs = runs_from_files(paths_or_globs, options)
    options.refuse_unused()
    return runs


@spelled_out
def read_judgments(
    *paths_or_globs: Given,
    assessor: str | None = None,
    intent: Literal["column"] | None = None,
    **reading: Unpack[ReadKeywords],
) -> Judgments:
    r"""Read judgment files: qrels, CSV, TSV, JSONL, Parquet, Arrow, and what other tools write.

    An assessor is the column of that name in a table, or named by you ("NAME=FILE"), and else the file's name.

    Parameters
    ----------
    paths_or_globs
        Files, globs, or lists of them.
    assessor
        file takes the file's name always, column the second column of qrels (trec_eval's qrels_jg form). Any
        other text is the name of the one assessor.
    intent
        column: column 2 of qrels, the column intent (or subtopic) of tables, names the intent of the topic that
        a judgment is about.

    Returns
    -------
    Judgments
        The labels of every assessor.

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = path.write_text("topic,doc,assessor,grade\n301,FT-7,ann,2\n301,FT-7,bob,0\n")
    >>> ds.read_judgments(path, scale="0..3")
    Judgments(2 labels, 2 assessors, 1 document, 1 topic, scale 0…3)
    """
    if intent not in (None, "column"):
        raise InputError(Text(Option("intent", intent), ' is not "column".'))
    options = replace(ReadOptions.of(**reading).judgments, assessor=assessor, intent=intent is not None)
    judgments = judgments_from_files(paths_or_globs, options)
    options.refuse_unused()
    return judgments


@spelled_out
def read_audit(
    path: object,
    *,
    scale: ScaleLike = None,
    labels: str | Sequence[str] | None = None,
    **table: Unpack[TableKeywords],
) -> Audit:
    r"""An audit from a file: expert labels, and the probability with which each document was chosen.

    Parameters
    ----------
    path
        A table (.csv, .tsv, .jsonl, .parquet, .arrow, .xlsx) with topic, doc, grade and, if known, inclusion.
        Or any file of judgments of one assessor, then without probabilities. A frame or a dict is read the same way.

    Returns
    -------
    Audit
        Gold judgments with inclusion probabilities.

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "audit.csv"
    >>> _ = path.write_text("topic,doc,grade,inclusion\nq1,d1,1,0.5\nq1,d2,0,0.25\n")
    >>> len(ds.read_audit(path).judgments)
    2
    """
    options = ReadOptions.of(scale=scale, labels=labels, **table)
    audit = as_gold(path, options.audit)
    if isinstance(audit, Judgments):
        audit = Audit(audit)
    if not isinstance(audit, Audit):
        raise InputError(f"{type(path).__name__} is no audit.", "Give the path of a file, a frame or a dict.")
    options.audit.refuse_unused()
    return audit


__all__ = ["PathLike", "read_audit", "read_judgments", "read_runs"]
