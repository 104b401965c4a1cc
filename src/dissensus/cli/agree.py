"""`dissensus agree`: how far assessors agree, who stands out, and one judge's confusion against another's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dissensus.cli.build import option
from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.files import draw, write_text
from dissensus.errors import InputError, OutputError
from dissensus.io.judgment_rows import are_preferences
from dissensus.judging.agreement.api import agreement, at_least
from dissensus.judging.confusion.counting import confusion
from dissensus.reporting.charts.judges import agreement_map

if TYPE_CHECKING:
    from dissensus.judging.agreement.api import Agreement
    from dissensus.tables.judgments import Judgments


def command(
    judgments: opt.JudgmentsArgument,
    confusion: Annotated[
        tuple[str, str] | None,
        option("--confusion", metavar="REFERENCE OBSERVED", help="Print this confusion matrix with its counts."),
    ] = None,
    gold: Annotated[
        str | None,
        option("--gold", metavar="NAME", help="The assessor that is the truth; stays out of the coefficients."),
    ] = None,
    dimension: opt.DimensionOption = None,
    groups: Annotated[
        str | None,
        option("--groups", metavar="FILE", help="Preferences: item, group. How often does one group win?"),
    ] = None,
    binary: Annotated[
        str | None,
        option("--binary", metavar="GRADE"),
    ] = None,
    pairs: Annotated[bool, option("--pairs", help="Show every pair of assessors.")] = False,
    per_topic: Annotated[bool, option("--per-topic", help="Show agreement topic by topic.")] = False,
    chart: Annotated[
        Path | None,
        option("--chart", metavar="FILE", help="Save the heat map assessor × assessor: .svg .png .pdf .html"),
    ] = None,
    negative: opt.NegativeOption = "unjudged",
    answers: Annotated[
        Path | None,
        option("--answers", metavar="FILE", help="Preferences: write all as one table, .csv .tsv .jsonl .parquet"),
    ] = None,
    level: Annotated[float, option("--level", metavar="P")] = 0.95,
    replicates: Annotated[int, option("--replicates", metavar="N")] = 999,
    reading: opt.Reading = opt.Reading(repeated="keep"),
    seed: opt.SeedOption = 0,
    shown: opt.Output = opt.Output(),
) -> None:
    """How far the assessors agree, pair by pair and with themselves.

    Percent agreement, overlap, Cohen, Fleiss, Krippendorff, Gwet, each with an interval over topics; who looks random,
    lazy or contrary; and how many independent assessors the crowd is worth. Files of preferences (topic, doc_a, doc_b,
    assessor, answer, order) give agreement, position bias, strengths and win rates. With --gold NAME, or a file of
    votes, the win rates are rectified.

    Examples:
        dissensus agree labels.csv --chart agreement.svg
        dissensus agree labels.csv --binary 2
        dissensus agree llm.csv --gold people.csv --groups authors.csv
        dissensus agree labels.csv --confusion gold bronze -o confusion.json
    """
    shown.check(chart, "--chart")
    if are_preferences(judgments):
        from dissensus.cli.parts.preference_output import refuse_options, show_preferences

        refuse_options({"--confusion": confusion, "--binary": binary, "--chart": chart})
        show_preferences(
            judgments, shown, gold=gold, groups=groups, dimension=dimension, write=answers, level=level, seed=seed
        )
        return
    for flag, value in (("--answers", answers), ("--dimension", dimension), ("--groups", groups)):
        if value is not None:
            raise InputError(f"{flag} is for preferences, and these files hold grades.", "Leave it out.")
    found = reading.judgments(judgments)
    reading.refuse_unused()
    if confusion is not None:
        found = found if binary is None else at_least(found, binary)
        _confusion(found, confusion, negative, shown)
        return
    result = agreement(
        found, gold=gold, binary=binary, negative=negative, level=level, replicates=replicates, seed=seed,
    )  # fmt: skip
    if chart is not None:
        _heat_map(result, chart)
    also = [name for name, wanted in (("pairs", pairs), ("by topic", per_topic)) if wanted]
    shown.show(replace(result, also=tuple(also)))


def _heat_map(result: Agreement, path: Path) -> None:
    if result.n_assessors > 100:
        raise OutputError(
            f"--chart: a heat map of {result.n_assessors:,} assessors cannot be read.",
            "Use --pairs with --output instead, or choose some of the assessors.",
        )
    order = result.assessors.sort("kappa", descending=True, nulls_last=True)["assessor"].to_list()
    draw(agreement_map(result.pairs, order), path)


def _confusion(judgments: Judgments, names: tuple[str, str], negative: opt.Negative, shown: opt.Output) -> None:
    found = confusion(judgments, names[0], names[1], negative=negative)
    assert found.counts is not None
    if shown.output is not None and shown.output.suffix.lower() == ".json":  # the form that other commands read back
        write_text(shown.output, found.to_json() + "\n")
        return
    shown.show(found.across(*names))
