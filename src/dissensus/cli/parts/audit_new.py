"""`dissensus audit new`: commit the order, and write the study."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import polars as pl

from dissensus.audit.settings import EXPERTS, GUIDELINE, Stop, StudySettings
from dissensus.cli.build import argument, option
from dissensus.cli.inputs import options as opt
from dissensus.cli.parts.audit_sample import planned_sample
from dissensus.cli.terminal.messages import say
from dissensus.cli.terminal.output import print_json
from dissensus.errors import FileError
from dissensus.io.contents import contents, decode
from dissensus.io.documents import read_documents
from dissensus.io.topic_texts import read_topic_texts
from dissensus.tables.copies import copy_notes
from dissensus.tables.scale import as_scale

if TYPE_CHECKING:
    from dissensus.audit.study import Texts

SHOWN = 10


def new(
    place: Annotated[str, argument(metavar="STUDY", help="The file to make, or postgresql://…")],
    runs: opt.RunsArgument,
    judgments: opt.JudgmentsOption,
    measures: Annotated[
        str | None,
        option(
            "--measures",
            "-m",
            metavar="NAME",
            help="A measure. Without it: the sample's, nDCG@10 with --stop budget:N, else P@10.",
        ),
    ] = None,
    sample: Annotated[
        Path | None,
        option("--sample", metavar="FILE", help="A sample of plan, judged whole and looked at once. Any measure."),
    ] = None,
    documents: Annotated[
        list[str] | None,
        option("--documents", metavar="FILE", help="Texts: JSONL, CSV, Parquet with doc, text; or a folder."),
    ] = None,
    topic_texts: Annotated[
        str | None, option("--topic-texts", metavar="FILE", help="Topics in words: TSV, TREC topics, JSONL.")
    ] = None,
    between: Annotated[
        tuple[str, str] | None, option("--between", metavar="A B", help="Two systems to tell apart; else all.")
    ] = None,
    purpose: Annotated[
        Literal["differences", "scores"],
        option("--for", help="What is asked: which system is better, or how good each one is."),
    ] = "differences",
    stop: Annotated[
        str, option("--stop", metavar="RULE", help="decided, margin:0.02, width:0.05 or budget:300.")
    ] = "decided",
    expert: Annotated[
        list[str] | None, option("--expert", metavar="NAME", help="Who judges; repeat it. Two without it.")
    ] = None,
    grades: Annotated[
        str | None, option("--grades", metavar="GRADES", help="The experts' scale, if not the judge's: 0..3")
    ] = None,
    grade_names: Annotated[
        str | None, option("--grade-names", metavar="NAMES", help="What the buttons say: Bad,Fair,Good")
    ] = None,
    guideline: Annotated[Path | None, option("--guideline", metavar="FILE", help="How to grade: a text file.")] = None,
    mark_query: Annotated[bool, option("--mark-query", help="Mark words of the query in documents.")] = False,
    second: Annotated[float, option("--second", metavar="P", help="Share judged by a second expert.")] = 0.15,
    again: Annotated[float, option("--again", metavar="P", help="Share that comes back to its expert.")] = 0.05,
    title: Annotated[str, option("--title", metavar="TEXT", help="Title, for the owner.")] = "",
    without_texts: Annotated[
        bool, option("--without-texts", help="Start although texts are missing; ids are shown instead.")
    ] = False,
    target: Annotated[
        Literal["these_topics", "population"], option("--target", help="What the interval is about.")
    ] = "these_topics",
    reading: opt.OneJudge = opt.OneJudge(),
    inference: opt.Inference = opt.Inference(),
    json: opt.JsonOption = False,
) -> None:
    """Make a study: draw the order, commit it, and keep all that is needed to judge and to close.

    Measures that are not linear, such as nDCG, take a fixed number of labels: --stop budget:N, or --sample FILE.

    Examples:
        dissensus audit new study.db runs/* -j llm.qrels -m "P(rel=2)@10" --documents docs.jsonl
        --topic-texts topics.tsv --between A B --stop decided --seed 7
        dissensus audit new study.db runs/* -j llm.qrels -m nDCG@10 --stop budget:300
        dissensus audit new study.db runs/* -j llm.qrels --sample to-audit.csv --documents docs.jsonl
    """
    from dissensus.audit.people import kept_tokens, links_file
    from dissensus.audit.store import StudyStore
    from dissensus.audit.study import new_study, plan_order

    bronze, notes = reading.of_one_judge(judgments, inference.seed)
    read = reading.runs(*runs)
    reading.refuse_unused()
    planned = planned_sample(sample, measures, (read, bronze), (between, stop), inference)
    settings = StudySettings(
        planned.measure, between, Stop.parse(stop), inference.level, inference.seed, as_scale(grades),
        tuple(n.strip() for n in grade_names.split(",")) if grade_names else (), tuple(expert or EXPERTS), title,
        GUIDELINE if guideline is None else _text(guideline), mark_query, second, again, target,
        scores=purpose == "scores",
    )  # fmt: skip
    notes = [*notes, *copy_notes(bronze, read)]
    if planned.sample is None:
        order = plan_order(read, bronze, settings).order
    else:
        order = planned.sample.order
        whole = Stop("budget", order.height)
        settings = replace(settings, stop=whole, scores=planned.sample.covers.scores)
    texts = needed_texts(order, settings.stop.budget, documents, topic_texts, without_texts)
    with StudyStore.create(place) as store:
        made = new_study(store, read, bronze, settings, texts, planned=planned.sample)
        kept_tokens(made, place, new=True)
        facts = {
            "study": made.id, "title": made.row.title, "documents": len(made.order), "commitment": made.commitment,
            "order_hash": made.row.order_hash, "seed_hash": made.row.seed_hash, "salt": made.row.salt,
            "stop": str(made.stop), "measure": settings.measure,
            "sample": planned.sample is not None, "links": str(links_file(made, place)), "notes": notes,
        }  # fmt: skip
    _say(place, facts, made.stop.sentence(), json)


def _say(place: str, facts: dict[str, object], until: str, json: bool) -> None:
    from dissensus.audit.store import is_server

    if json:
        print_json(facts)
        return
    for note in facts["notes"]:  # type: ignore[attr-defined]
        say("warning", str(note))
    what = f"{facts['documents']:,} documents in a committed order, to be judged {until}"
    if facts["sample"]:
        what = f"{facts['documents']:,} documents, all to be judged before {facts['measure']} is looked at, once"
    shown = "the database" if is_server(place) else place
    sys.stdout.write(
        f"{facts['title']}\n"
        f"{what}.\n"
        f"Links are in {facts['links']}: keep that file to yourself.\n"
        f"Next: dissensus audit serve {shown}\n"
        f"Commitment: {facts['commitment']}\n"
        "Keep it elsewhere: it shows later that order, rates and settings were fixed before the first label.\n"
    )


def needed_texts(
    order: pl.DataFrame, budget: int | None, documents: list[str] | None, topic_texts: str | None, anyway: bool
) -> Texts:
    """The texts of all documents that may be judged; missing ones are an error that lists them, unless `anyway`."""
    from dissensus.audit.study import Texts

    order = order if budget is None else order.head(budget)
    docs, topics = order["doc"].unique(maintain_order=True).to_list(), order["topic"].unique().sort().to_list()
    found = read_documents(list(documents), docs) if documents else {}
    asked = read_topic_texts(topic_texts) if topic_texts else {}
    for flag, what, wanted, have in (
        ("--documents", "documents", docs, found), ("--topic-texts", "topics", topics, asked),
    ):  # fmt: skip
        lost = [name for name in wanted if name not in have]
        given = documents if flag == "--documents" else topic_texts
        if not lost:
            continue
        if given and not anyway:
            raise _missing(flag, what, lost, len(wanted))
        say("warning", f"{len(lost):,} of {len(wanted):,} {what} have no text; their ids are shown ({flag} FILE).")
    return Texts(asked, found)


def _missing(flag: str, what: str, lost: list[str], wanted: int) -> Exception:
    some = ", ".join(lost[:SHOWN]) + (f", and {len(lost) - SHOWN:,} more" if len(lost) > SHOWN else "")
    return FileError(
        f"{flag}: {len(lost):,} of {wanted:,} {what} that may be judged have no text: {some}.",
        f"Give the files that hold them, too ({flag} can be repeated for documents).",
        "Start without them with --without-texts.",
    )


def _text(path: Path) -> str:
    return decode(contents(path), path).strip()
