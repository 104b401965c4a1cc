"""`dissensus judges`: may a judge replace an assessor, where does it err, did it drift, what does it do to systems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import polars as pl

from dissensus.cli.build import option
from dissensus.cli.inputs import options as opt
from dissensus.cli.report import read_queries, read_texts
from dissensus.cli.terminal.messages import say
from dissensus.errors import InputError, OutputError
from dissensus.inference.carry_over import carry_over
from dissensus.judging.label_table import with_gold
from dissensus.measures.policies import DEFAULT_MEASURE
from dissensus.reporting.judge_card import CardSettings, judge_card
from dissensus.reporting.sections.judge_cards import write_cards
from dissensus.tables.copies import copy_notes
from dissensus.work.progress import Progress

if TYPE_CHECKING:
    from dissensus.reporting.judge_card import JudgeCard
    from dissensus.tables.audit import Audit
    from dissensus.tables.judgments import Judgments
    from dissensus.tables.runs import Runs


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
        option("--human", metavar="A,B", help="People the judge might replace; without them nobody asks."),
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
    labels, gold, given = _with_gold(labels, gold, audit, reading)
    people = _people(labels, human)
    systems = reading.runs(*runs) if runs else None
    if carry.new_run is None:
        reading.refuse_unused()
    names = _judges(labels, gold, judge, [*people, *([before] if before else [])])
    texts = read_texts(labels, documents) if documents else None
    queries = None if topic_texts is None else read_queries(topic_texts)
    settings = CardSettings(people, score, epsilon, not by_document, measures, rel, before, seed)
    cards = []
    with Progress("judges", len(names)) as bar:
        for name in names:
            cards.append(
                judge_card(
                    labels,
                    name,
                    gold,
                    runs=systems,
                    documents=texts,
                    topic_texts=queries,
                    settings=settings,
                    audit=given,
                )
            )
            bar.advance()
    if card is not None:
        subtitle = f"{len(labels):,} labels by {len(labels.assessors):,} assessors, gold: {gold}"
        say("note", f"wrote {write_cards(cards, card, subtitle)}")
    tables = _tables(cards, everything=not shown.on_terminal)
    carried = _carried(labels, names, gold, systems, measures, carry, reading)
    if carried:
        tables["carry-over"] = pl.concat([frame for frame, _ in carried])
    shown.emit(
        tables,
        title=f"Judges against {gold}",
        footer=[*_footer(cards), *(line for _, line in carried), *copy_notes(labels), *labels.notes],
    )


def _carried(
    labels: Judgments,
    names: list[str],
    gold: str,
    systems: Runs | None,
    measures: str,
    new: opt.CarryOverOptions,
    reading: opt.Reading,
) -> list[tuple[pl.DataFrame, str]]:
    """(table, sentence) of every judge and new run: does the calibration by gold hold for it?"""
    if new.new_run is None:
        return []
    if systems is None:
        raise InputError("--new-run is compared with the runs that were calibrated, and none are given.", "Add --runs.")
    audited, runs = new.audit(reading, labels.scale), reading.runs(*new.new_run)
    reading.refuse_unused()
    results = [
        (name, one)
        for name in names
        for one in carry_over(systems, runs, labels, name, gold, measures, margin=new.margin, probe=audited)
    ]
    return [(r.to_frame().insert_column(0, pl.lit(name).alias("judge")), f"{name}, {r}") for name, r in results]


def _with_gold(
    labels: Judgments, gold: str | None, file: str | None, reading: opt.Reading
) -> tuple[Judgments, str, Audit | None]:
    """(labels with gold among them, gold's name, the audit that it is)."""
    if (gold is None) == (file is None):
        raise InputError(
            "gold is an assessor or an audit: " + ("neither was named." if gold is None else "both were named."),
            "Name the assessor that is the truth: --gold NAME",
            "Give the experts' audit: --audit FILE",
        )
    if gold is not None:
        return labels, gold, None
    audit = reading.audit(file, labels.scale)
    assert audit is not None
    graded = audit.judgments.rows(audit.judgments.grade >= 0)
    both, name = with_gold(labels, graded)
    return both, name, audit


def _people(labels: Judgments, human: list[str] | None) -> list[str]:
    """The people named, one by one or several with commas between them."""
    whole = (part for name in human or () for part in ([name] if name in labels.assessors else name.split(",")))
    return list(dict.fromkeys(name.strip() for name in whole if name.strip()))


def _judges(labels: Judgments, gold: str, chosen: list[str] | None, no_judges: list[str]) -> list[str]:
    for name in (gold, *(chosen or ()), *no_judges):
        if name not in labels.assessors:
            known = ", ".join(labels.assessors[:10])
            file = [f"Give the file with the judges, as in gold={name}, and its name: --gold gold"]
            ways_out = [f"Assessors: {known}", *(file if Path(name).is_file() else ())]
            raise InputError(f"no assessor is called {name!r}.", *ways_out)
    if both := [name for name in chosen or () if name in no_judges]:
        raise InputError(
            f"{both[0]} is named as a judge and as one of those it is held against.", "Name each of them once."
        )
    names = chosen or [a for a in labels.assessors if a != gold and a not in no_judges]
    if not names:
        raise InputError(f"beside gold {gold!r} there is no judge to look at.", "Give the labels of a judge as well.")
    return names


def _counted(confusion: pl.DataFrame) -> pl.DataFrame:
    """Counts of documents as whole numbers; weighted ones stay as they are."""
    count = confusion["count"]
    whole = count.is_null().all() or (count == count.round()).all()
    return confusion.with_columns(pl.col("count").cast(pl.Int64)) if whole else confusion


def _tables(cards: list[JudgeCard], *, everything: bool) -> dict[str, pl.DataFrame]:
    rows = pl.concat([c.to_frame() for c in cards]).sort("kappa", descending=True, nulls_last=True)
    tables = {"judges": rows.drop([c for c in rows.columns if not everything and rows[c].is_null().all()])}
    if len(cards) > 1 and not everything:
        return tables
    parts: dict[str, list[pl.DataFrame]] = {}
    for c in cards:
        found = {
            "confusion": _counted(c.confusion.to_frame()),
            "biases": None if c.bias is None else c.bias.table,
            "replaceability": None if c.replaceability is None else c.replaceability.table,
            "leaderboard": None if c.leaderboard is None else c.leaderboard.table,
            "flips": None if c.drift is None else c.drift.flips,
            "drift against gold": None if c.drift is None else c.drift.against_gold,
            "systems": None if c.order is None else c.order.table.rename({c.judge: "score", f"rank {c.judge}": "rank"}),
        }
        for name, frame in found.items():
            if frame is not None:
                parts.setdefault(name, []).append(frame.insert_column(0, pl.lit(c.judge).alias("judge")))
    return tables | {name: pl.concat(frames) for name, frames in parts.items()}


def _footer(cards: list[JudgeCard]) -> list[str]:
    if len(cards) == 1:
        return cards[0].sentences()
    lines = []
    passed = [c.judge for c in cards if c.replaceability is not None and c.replaceability.passes]
    tested = [c for c in cards if c.replaceability is not None]
    if tested:
        lines.append(f"may replace an assessor: {', '.join(passed) or 'none'} (of {len(tested)} tested)")
    for part in dict.fromkeys(p for c in cards for p in c.missing):
        reasons = {c.missing[part] for c in cards if part in c.missing}
        lines.append(f"no {part} for {sum(part in c.missing for c in cards)} judges: {'; '.join(sorted(reasons)[:2])}")
    return lines
