"""`dissensus label`: find the top k documents of each topic by asking which of two is better."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dissensus.cli.options import DigitsOption, JsonOption, OutputOption, SeedOption

if TYPE_CHECKING:
    import polars as pl


def command(
    documents: Annotated[
        Path,
        typer.Argument(metavar="DOCUMENTS", help="CSV, TSV, JSONL or Parquet with topic, doc and, if wanted, text."),
    ],
    top_k: Annotated[int, typer.Option("--top-k", metavar="K", help="How many documents to put in order.", min=1)] = 10,
    answers: Annotated[
        Path, typer.Option("--answers", metavar="FILE", help="Where answers are kept; start again to go on from there.")
    ] = Path("answers.jsonl"),
    judgments: Annotated[
        Path | None, typer.Option("--judgments", "-j", metavar="FILE", help="Write judgments: .csv .tsv .jsonl, qrels")
    ] = None,
    assessor: Annotated[str, typer.Option("--assessor", "-a", metavar="NAME", help="Who is answering.")] = "me",
    shuffle: Annotated[
        bool, typer.Option("--shuffle/--in-order", help="Ask about documents in random order, against position bias.")
    ] = True,
    seed: SeedOption = 0,
    digits: DigitsOption = 4,
    json: JsonOption = False,
    output: OutputOption = None,
) -> None:
    """Find the top k documents by asking for preferences.

    Shows two documents at a time: 1 or 2 says which is better, q stops. A tournament needs about n + k·log₂ n questions
    per topic. Answers are kept as they are given; the same command goes on where it stopped. Judgments have grades
    k…1 for the best documents in order and 0 for the rest.

    Example:
        dissensus label documents.csv --top-k 10 --judgments mine.csv
    """
    import numpy as np

    from dissensus.cli.output import check_output, emit
    from dissensus.data.readers.writers import write_judgments
    from dissensus.learning.answers import Answers
    from dissensus.learning.labelling import top_k_labelling
    from dissensus.work.plural import counted

    check_output(output)
    table = _read(documents)
    topics = table["topic"].unique(maintain_order=True).to_list()
    about = {"documents": documents.name, "seed": seed, "shuffle": shuffle, "assessor": assessor}
    results: dict[str, Any] = {}
    stopped = None
    with Answers(answers, about) as kept:
        for number, topic in enumerate(topics):
            here = table.filter(table["topic"] == topic)
            texts = dict(zip(here["doc"], here["text"], strict=True))
            order = here["doc"].to_list()
            if shuffle:
                order = np.random.default_rng([seed, number]).permutation(np.array(order, dtype=object)).tolist()
            try:
                results[topic] = top_k_labelling(order, kept.asker(topic, _ask(topic, texts)), top_k)
            except _Enough:
                stopped = topic
                break
    asked, known = counted(kept.asked, "question"), counted(kept.known, "answer")
    notes = [f"{asked} asked now, {known} known before; kept in {answers}"]
    if stopped is not None:
        notes.append(f"stopped at topic {stopped}; the same command goes on from there")
    if judgments is not None and results:
        from dissensus.cli.failure import say

        write_judgments(_together(results, assessor), judgments)
        say("note", f"wrote {judgments}")
    emit(_orders(results), json=json, output=output, title=f"Top {top_k} by preference", footer=notes, digits=digits)


class _Enough(Exception):
    """The person has answered enough for now."""


def _ask(topic: str, texts: dict[str, str]) -> Any:
    def ask(a: str, b: str) -> bool:
        sys.stderr.write(f"\ntopic {topic}\n  1  {a}{_shown(texts[a])}\n  2  {b}{_shown(texts[b])}\n")
        while True:
            sys.stderr.write("better: 1 or 2 (q stops)? ")
            sys.stderr.flush()
            word = sys.stdin.readline()
            if not word or word.strip().lower() == "q":
                raise _Enough
            if word.strip() in ("1", "2"):
                return word.strip() == "1"

    return ask


def _shown(text: str) -> str:
    from dissensus.results import shown

    return f"  {shown(text)[:300]}" if text else ""


def _read(path: Path) -> pl.DataFrame:
    """Frame topic, doc, text (empty where there is none)."""
    import polars as pl

    from dissensus.errors import FileError

    readers: dict[str, Any] = {
        ".csv": pl.read_csv,
        ".tsv": lambda p, **more: pl.read_csv(p, separator="\t", **more),
        ".jsonl": lambda p, **_: pl.read_ndjson(p),
        ".parquet": lambda p, **_: pl.read_parquet(p),
    }
    if path.suffix.lower() not in readers:
        raise FileError(f"{path}: documents come as {', '.join(readers)}.", "With columns topic, doc, text.")
    try:
        table: pl.DataFrame = readers[path.suffix.lower()](path, infer_schema=False)
    except FileNotFoundError:
        raise FileError(f"{path} does not exist.") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FileError(f"{path} cannot be read: {error}.") from error
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
        raise FileError(f"{path} holds {what}.", "Every document of a topic stands there once.")
    if not table.height:
        raise FileError(f"{path} holds no documents.")
    return table


def _together(results: dict[str, Any], assessor: str) -> Any:
    from dissensus.data.tables.judgments import Judgments
    from dissensus.data.tables.scale import Scale

    k = max(len(r.order) for r in results.values())
    grades = {
        topic: {**{d: k - i for i, d in enumerate(r.order)}, **dict.fromkeys(r.rest, 0)} for topic, r in results.items()
    }
    return Judgments.from_dict({assessor: grades}, scale=Scale.range(0, max(k, 1)))


def _orders(results: dict[str, Any]) -> pl.DataFrame:
    import polars as pl

    rows = [(t, place, str(d)) for t, r in results.items() for place, d in enumerate(r.order, start=1)]
    return pl.DataFrame(rows, orient="row", schema={"topic": pl.String, "rank": pl.Int64, "doc": pl.String})
