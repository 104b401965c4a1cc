"""`dissensus label`: find the top k documents of each topic by asking which of two is better."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl

from dissensus.cli.build import argument, option
from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.messages import say
from dissensus.errors import FileError
from dissensus.io.api import read_judgments
from dissensus.io.table import read_table
from dissensus.io.writers import write_judgments
from dissensus.learning.answers import Answers
from dissensus.learning.topics import Enough, label
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale
from dissensus.windows.words import shown
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.learning.labelling import Answer

TABLES = (".csv", ".tsv", ".jsonl", ".parquet")


def command(
    documents: Annotated[
        Path,
        argument(metavar="DOCUMENTS", help="CSV, TSV, JSONL or Parquet with topic, doc and, if wanted, text."),
    ],
    top_k: Annotated[int, option("--top-k", metavar="K", help="How many documents to put in order.", min=1)] = 10,
    answers: Annotated[
        Path, option("--answers", metavar="FILE", help="Where answers are kept; start again to go on from there.")
    ] = Path("answers.jsonl"),
    judgments: Annotated[
        Path | None, option("--judgments", "-j", metavar="FILE", help="Write judgments: .csv .tsv .jsonl, qrels")
    ] = None,
    assessor: Annotated[str, option("--assessor", "-a", metavar="NAME", help="Who is answering.")] = "me",
    preferences: Annotated[
        Path | None,
        option("--preferences", metavar="FILE", help="Preferences already given: topic, better, worse[, assessor]."),
    ] = None,
    shuffle: Annotated[
        bool, option("--shuffle/--in-order", help="Ask about documents in random order, against position bias.")
    ] = True,
    tables: opt.TableReading = opt.TableReading(),
    seed: opt.SeedOption = 0,
    shown: opt.Output = opt.Output(),
) -> None:
    """Find the top k documents by asking for preferences.

    Shows two documents at a time: 1 or 2 says which is better, = that they are the same, q stops. A tournament needs
    about n + k·log₂ n questions per topic. Answers are kept as they are given; the same command goes on where it
    stopped. Preferences that were given before are not asked again (--preferences). Judgments have grades
    k…1 for the best documents in order (neighbours that were called the same share one) and 0 for the rest. Several
    people label the same documents with --assessor, each with answers of their own; their judgments go into one file,
    and from there into `merge`, `agree` and every measure.

    Examples:
        dissensus label documents.csv --top-k 10 --assessor ann --judgments labels.csv
        dissensus label documents.csv --top-k 10 --assessor bob --judgments labels.csv
        dissensus merge labels.csv -o merged.qrels
    """
    shown.check()
    table = _read(documents, tables)
    tables.refuse_unused()
    answers = own_answers(answers, assessor)
    about = {"documents": documents.name, "seed": seed, "shuffle": shuffle, "assessor": assessor}
    given = [] if preferences is None else _preferences(preferences, assessor, table)
    texts = {(t, d): text for t, d, text in table.select("topic", "doc", "text").iter_rows()}
    topics = table["topic"].unique(maintain_order=True).to_list()
    docs = {topic: table.filter(table["topic"] == topic)["doc"].to_list() for topic in topics}
    with Answers(answers, about) as kept:
        for topic, better, worse in given:
            kept.give(topic, better, worse)
        askers = {topic: kept.asker(topic, _ask(topic, texts)) for topic in topics}
        found = label(
            docs, lambda topic, a, b: askers[topic](a, b), top_k, assessor=assessor, shuffle=shuffle, seed=seed
        )
    asked, known = counted(kept.asked, "question"), counted(kept.known, "answer")
    notes = [f"{asked} asked now, {known} known before; kept in {answers}"]
    if preferences is not None:
        notes.append(f"{counted(kept.given, 'preference')} taken from {preferences}")
    if found.stopped is not None:
        notes.append(f"stopped at topic {found.stopped}; the same command goes on from there")
    if judgments is not None and found.topics:
        write_judgments(_with_others(found.judgments, assessor, judgments), judgments)
        say("note", f"wrote {judgments}")
    shown.show(replace(found, notes=tuple(notes)))


def _ask(topic: str, texts: dict[tuple[str, str], str]) -> Any:
    def ask(a: str, b: str) -> Answer:
        sys.stderr.write(f"\ntopic {topic}\n  1  {a}{_shown(texts[topic, a])}\n  2  {b}{_shown(texts[topic, b])}\n")
        while True:
            sys.stderr.write("better: 1 or 2, = same (q stops)? ")
            sys.stderr.flush()
            word = sys.stdin.readline()
            if not word or word.strip().lower() == "q":
                raise Enough
            if word.strip() in ("=", "0", "same"):
                return "same"
            if word.strip() in ("1", "2"):
                return word.strip() == "1"

    return ask


def _shown(text: str) -> str:
    return f"  {shown(text)[:300]}" if text else ""


def _frame(path: Path, tables: opt.TableReading | None = None) -> pl.DataFrame:
    """A table of texts from a file whose ending says its format."""
    if path.suffix.lower() not in TABLES:
        raise FileError(
            f"{path}: a table comes as {', '.join(TABLES)}.",
            "For example documents.csv with columns topic, doc, text.",
        )
    table = read_table(path, None if tables is None else tables.options.documents)
    return table.frame.rename({column: role for role, column in table.named.items()})


def _read(path: Path, tables: opt.TableReading) -> pl.DataFrame:
    """Frame topic, doc, text (empty where there is none)."""
    table = _frame(path, tables)
    if "doc" not in table.columns:
        raise FileError(f"{path} has no column 'doc'; its columns are {', '.join(table.columns)}.")
    for column, value in (("topic", "1"), ("text", "")):
        if column not in table.columns:
            table = table.with_columns(pl.lit(value).alias(column))
    table = table.select(pl.col("topic", "doc").cast(pl.String), pl.col("text").cast(pl.String).fill_null(""))
    twice = table.filter(table.select("topic", "doc").is_duplicated())
    if twice.height or table.select("topic", "doc").null_count().sum_horizontal()[0]:
        what = (
            f"document {twice['doc'][0]} of topic {twice['topic'][0]} twice" if twice.height else "a row without a name"
        )
        raise FileError(f"{path} holds {what}.", "Every document of a topic must appear once.")
    if not table.height:
        raise FileError(f"{path} holds no documents.")
    return table


def own_answers(path: Path, assessor: str) -> Path:
    """The file of one person's answers: the path itself for "me", else with the name before its ending.

    >>> own_answers(Path("answers.jsonl"), "me").name, own_answers(Path("answers.jsonl"), "ann").name
    ('answers.jsonl', 'answers-ann.jsonl')
    """
    if assessor == "me" or path.stem.endswith(f"-{assessor}"):
        return path
    safe = "".join(c if c.isalnum() or c in "-_" else "_" for c in assessor)
    return path.with_name(f"{path.stem}-{safe}{path.suffix}")


def _preferences(path: Path, assessor: str, table: pl.DataFrame) -> list[tuple[str, str, str]]:
    """(topic, better, worse) rows of a table that are this assessor's, or that name none."""
    frame = _frame(path)
    missing = [c for c in ("better", "worse") if c not in frame.columns]
    if missing:
        raise FileError(
            f"{path} has no column {missing[0]!r}; its columns are {', '.join(frame.columns)}.",
            "Preferences have the columns topic, better, worse and, if several people gave them, assessor.",
        )
    if "topic" not in frame.columns:
        frame = frame.with_columns(topic=pl.lit("1"))
    if "assessor" in frame.columns:
        frame = frame.filter(pl.col("assessor") == assessor)
    known = set(table.select("topic", "doc").iter_rows())
    rows = [(str(t), str(b), str(w)) for t, b, w in frame.select("topic", "better", "worse").iter_rows()]
    for topic, better, worse in rows:
        for doc in (better, worse):
            if (topic, doc) not in known:
                raise FileError(f"{path}: document {doc} of topic {topic} is not among the documents.", "Leave it out.")
    return rows


def _with_others(mine: Any, assessor: str, path: Path) -> Any:
    """The judgments of this person beside those of others that the file already holds (qrels hold one person)."""
    if not path.exists() or path.suffix.lower() not in TABLES:
        return mine
    old = read_judgments(path).to_frame()
    old = old.filter(pl.col("assessor") != assessor)
    both = pl.concat([old, mine.to_frame()])
    top = max(int(str(both["grade"].max())), 1)
    return Judgments.from_frame(both, scale=Scale.range(0, top))
