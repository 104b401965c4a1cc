"""`dissensus judges`: may a judge replace an assessor, where does it err, did it drift, what does it do to systems."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from dissensus.cli.build import option
from dissensus.cli.inputs import options as opt
from dissensus.cli.report import read_queries, read_texts
from dissensus.cli.terminal.messages import say
from dissensus.errors import OutputError
from dissensus.measures.policies import DEFAULT_MEASURE
from dissensus.reporting.judge_table import judges, people_named
from dissensus.reporting.sections.judge_cards import write_cards


def command(
    judgments: opt.JudgmentsArgument,
    gold: Annotated[
        str | None, option("--gold", metavar="NAME", help="The assessor that is the truth, if no audit is.")
    ] = None,
    audit: opt.AuditOption = None,
    judge: Annotated[
        list[str] | None,
        option("--judge", metavar="NAME", help="A judge to look at; repeatable. All but gold and people without it."),
    ] = None,
    human: Annotated[
        list[str] | None,
        option("--human", metavar="A,B", help="People the judge might replace; the test takes two."),
    ] = None,
    runs: Annotated[
        list[str] | None,
        option("--runs", "-r", metavar="FILE", help="Runs, for ranks, systems and their order; repeatable."),
    ] = None,
    measures: Annotated[
        str, option("--measures", "-m", metavar="NAME", help="For the order of systems.")
    ] = DEFAULT_MEASURE,
    before: Annotated[
        str | None, option("--before", metavar="NAME", help="The version before: what drifted since?")
    ] = None,
    carry: opt.CarryOverOptions = opt.CarryOverOptions(),
    score: Annotated[
        Literal["accuracy", "rmse", "ordinal"], option("--score", help="How near two labels are.")
    ] = "accuracy",
    epsilon: Annotated[
        float, option("--epsilon", metavar="X", help="What the judge's lower cost is worth: .2 beside experts.")
    ] = 0.2,
    by_document: Annotated[
        bool, option("--by-document", help="Documents as units, as published, instead of topics.")
    ] = False,
    rel: Annotated[
        str | None, option("--rel", metavar="GRADE", help="Cut the grades in two for biases, Se and Sp.")
    ] = None,
    documents: Annotated[
        list[str] | None, option("--documents", metavar="FILE", help="Texts of the documents, for their length.")
    ] = None,
    topic_texts: Annotated[
        str | None, option("--topic-texts", metavar="FILE", help="Texts of the topics, for query terms.")
    ] = None,
    card: Annotated[Path | None, option("--card", metavar="FILE", help="Write the cards as one page (.html).")] = None,
    reading: opt.Reading = opt.Reading(),
    seed: opt.SeedOption = 0,
    shown: opt.Output = opt.Output(),
) -> None:
    """Look at judges: may one replace an assessor, where does it err, did it drift, what does it do to systems.

    Gold is an assessor, or an audit, whose documents count 1/π. A judge may replace an assessor only where people are
    named (--human) and it agrees with gold beyond chance. Other judges, gold and its earlier version are no people.
    One row per judge: agreement with gold, ω and ρ of the replaceability test, the biases found, and how near its
    order of systems is to gold's. One judge alone, or --card, shows everything behind them.

    Examples:
        dissensus judges labels.csv --gold expert --card judges.html
        dissensus judges labels.csv --gold expert --judge gpt5 --human ann,bob,cyd
        dissensus judges labels.csv --audit audit.csv --runs 'runs/*'
        dissensus judges labels.csv --gold expert --judge gpt5 --before gpt4 --runs 'runs/*'
        dissensus judges labels.csv --gold expert --judge gpt5 --runs 'runs/*' --new-run new.run -m P@10
    """
    shown.check()
    if card is not None and card.suffix.lower() not in (".html", ".htm"):
        raise OutputError(f"--card {card}: a card is a web page.", f"Name it {card.with_suffix('.html')}.")
    labels = reading.judgments(judgments)
    found = judges(
        labels, gold, judge, people_named(labels, human or ()), audit=reading.audit(audit, labels.scale),
        runs=reading.runs(*runs) if runs else None, measures=measures, before=before,
        new_run=reading.runs(*carry.new_run) if carry.new_run else None, probe=carry.audit(reading, labels.scale),
        margin=carry.margin, score=score, epsilon=epsilon, by_document=by_document, rel=rel,
        documents=read_texts(labels, documents) if documents else None,
        topic_texts=None if topic_texts is None else read_queries(topic_texts), seed=seed,
    )  # fmt: skip
    reading.refuse_unused()
    if card is not None:
        subtitle = f"{len(labels):,} labels by {len(labels.assessors):,} assessors, gold: {found.gold}"
        say("note", f"wrote {write_cards(list(found.cards), card, subtitle)}")
    shown.show(found)
