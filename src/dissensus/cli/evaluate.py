"""`dissensus evaluate`: runs and judgments in, a table of scores out."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from dissensus.cli.build import option
from dissensus.cli.inputs import options as opt
from dissensus.cli.inputs.long_work import LongWork
from dissensus.cli.parts.trec_eval_look import OFFICIAL, trec_lines
from dissensus.errors import InputError
from dissensus.io.judgment_rows import are_preferences
from dissensus.measures.catalog import measure_list
from dissensus.measures.divided import evaluated, scored
from dissensus.measures.families.time_biased import with_lengths
from dissensus.measures.gain_files import read_gains
from dissensus.measures.score_tables import Form, Scores
from dissensus.measures.worth import on_gains, with_gains
from dissensus.tables.collection import join
from dissensus.windows.files import for_paper

if TYPE_CHECKING:
    from dissensus.measures.measure import Measure
    from dissensus.tables.judgments import Judgments


def command(
    runs: opt.RunsArgument,
    judgments: opt.JudgmentsOption,
    measures: opt.MaybeMeasuresOption = None,
    per_topic: Annotated[bool, option("--per-topic", "-q", help="One row per topic instead of means.")] = False,
    perquery: Annotated[
        bool, option("--perquery", help="One row per system, topic and measure, as PyTerrier's perquery.csv.")
    ] = False,
    long: Annotated[
        bool, option("--long", help="One row per judge and system, instead of systems × judges for each measure.")
    ] = False,
    by: Annotated[
        Literal["agreement"] | None,
        option(
            "--by", help="Means within thirds of the topics, by how far the assessors agree; labels of the majority."
        ),
    ] = None,
    assessor: opt.AssessorOption = None,
    gains: opt.GainsOption = None,
    policies: opt.PolicyOptions = opt.PolicyOptions(),
    reading: opt.RunReading = opt.RunReading(),
    intent_column: Annotated[
        bool,
        option(
            "--intent-column",
            help="Column 2 of qrels (`intent` in tables) names the intent of the topic, for diversity.",
        ),
    ] = False,
    documents: Annotated[
        str | None,
        option("--documents", metavar="FILE", help="Texts of documents (doc, text), for measures that need lengths."),
    ] = None,
    trec_eval: Annotated[
        bool,
        option(
            "--trec-eval",
            help="Names, numbers and output as trec_eval 10's: its default measures without -m, empty topics score 0.",
        ),
    ] = False,
    seed: opt.SeedOption = 0,
    shown: opt.Output = opt.Output(),
    work: LongWork = LongWork(),
) -> None:
    """Score runs by every assessor's judgments.

    Examples:
        dissensus evaluate runs/* --judgments labels.csv -m AP -m nDCG@10 -m "RBP(p=0.8)"
        dissensus evaluate runs/* --judgments labels.csv -m nDCG@10 --by agreement
        dissensus evaluate bm25.run --judgments nist.qrels --trec-eval -q
        dissensus evaluate runs/* --judgments subtopics.qrels --intent-column -m alpha_nDCG@20
        dissensus evaluate runs/* --judgments preferences.csv -m "Compat(p=0.8)"
    """
    shown.check()
    if by is not None and per_topic:
        raise InputError("--by and --per-topic cannot be combined.", "--by --json lists every topic with its stratum.")
    wanted, short = _wanted(measures, trec_eval, documents, gains)
    chosen = replace(policies, empty="zero" if trec_eval else policies.empty).chosen()
    if assessor is None and by is None and not are_preferences(judgments):
        scores = evaluated(runs, judgments, wanted, chosen, seed, reading.with_intents(intent_column), "topics")
    else:
        if are_preferences(judgments):
            from dissensus.cli.parts.preference_output import judgments_from

            labels = judgments_from(judgments, wanted)
        else:
            labels = reading.judgments(judgments, intent=intent_column)
        systems = reading.runs(*runs)
        reading.refuse_unused()
        (judge,) = on_gains(wanted, judge_of(labels, assessor, merged=by is not None, seed=seed))
        scores = scored(join(systems, judge), wanted, chosen, seed, "topics")
        if by is not None:
            from dissensus.judging.agreement.score_strata import by_agreement, topic_agreement

            account = Scores(scores)
            found = by_agreement(scores, topic_agreement(labels), seed=seed)
            shown.show(replace(found, notes=tuple(account.notes), facts=account.facts))
            return
    if trec_eval and shown.on_terminal:
        sys.stdout.write("".join(f"{line}\n" for line in trec_lines(scores, per_topic=per_topic)))
        return
    form: Form = "perquery" if perquery else "topics" if per_topic else "rows" if long else "means"
    if form == "means" and not shown.json and for_paper(shown.output):
        from dissensus.reporting.paper_tables import paper_scores  # compares systems, which scores do not need

        shown.show(paper_scores(scores, short))
        return
    shown.show(Scores(scores, form, short))


def _wanted(
    names: list[str] | None, trec_eval: bool, documents: str | None, gains: str | None
) -> tuple[list[Measure], dict[str, str]]:
    """The measures, and how columns are headed on the terminal: by the file of their gains, not 17 digits."""
    if trec_eval and not names:
        names = [*OFFICIAL]
    measures = measure_list(names or opt.TABLE_MEASURES, trec_eval=trec_eval)
    if documents is not None:
        measures = with_lengths(measures, documents)
    if gains is None:
        return measures, {}

    plain, measures = measures, with_gains(measures, read_gains(gains))
    file = Path(gains).name
    return measures, {str(m): f"{p}, gains of {file}" for p, m in zip(plain, measures, strict=True) if m != p}


def judge_of(labels: Judgments, assessor: str | None, *, merged: bool, seed: int) -> Judgments:
    """The labels of the assessor named; else everybody's, or where they are to be `merged` the majority's."""
    if merged and len(labels.assessors) < 2:
        raise InputError(
            f"--by agreement: there is one assessor, {labels.assessors[0]}, and none to agree with.",
            "Give the labels of two assessors or more.",
        )
    if assessor is not None:
        return labels.select(assessors=[assessor])
    if not merged:
        return labels
    from dissensus.judging.merging.api import merge

    return merge(labels, method="majority", seed=seed).judgments
