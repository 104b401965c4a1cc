"""`dissensus agree`: how far assessors agree, who stands out, and one judge's confusion against another's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import polars as pl

from dissensus.cli.build import option
from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.files import draw, write_text
from dissensus.errors import InputError, OutputError
from dissensus.io.judgment_rows import are_preferences
from dissensus.judging.agreement.api import agreement, at_least
from dissensus.judging.agreement.flags import KINDS
from dissensus.judging.confusion.counting import confusion
from dissensus.reporting.charts.judges import agreement_map

if TYPE_CHECKING:
    from dissensus.judging.agreement.api import Agreement
    from dissensus.tables.judgments import Judgments

SHOWN = 20  # rows of long tables on the terminal; files and JSON hold all


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
    shown.emit(
        _tables(result, everything=not shown.on_terminal, pairs=pairs, per_topic=per_topic),
        title="Agreement",
        footer=[str(result.effective), *_suspects(result), *result.notes],
        facts={"effective": result.effective.to_dict()},
    )


def _tables(result: Agreement, *, everything: bool, pairs: bool, per_topic: bool) -> dict[str, pl.DataFrame]:
    tables = {"coefficients": result.to_frame(), "by grade": result.per_grade}
    if not everything and (tables["coefficients"]["note"] == "").all():
        tables["coefficients"] = tables["coefficients"].drop("note")
    people = result.assessors.sort("kappa", nulls_last=True)
    tables["assessors"] = people if everything else people.head(SHOWN)
    if result.self_consistency is not None:
        tables["self-consistency"] = result.self_consistency.table
    if everything or result.alike.height:
        tables["alike"] = result.alike if everything else result.alike.head(SHOWN)
    if everything or pairs:
        tables["pairs"] = result.pairs
    if everything or per_topic:
        tables["by topic"] = result.per_topic
    return tables


def looks_lines(looks: Mapping[str, str]) -> list[str]:
    """Who looks random, lazy or contrary."""
    lines = []
    for kind in KINDS:
        who = [name for name, look in looks.items() if look == kind]
        if who:
            more = f" and {len(who) - SHOWN:,} more" if len(who) > SHOWN else ""
            lines.append(f"looks {kind}: {', '.join(who[:SHOWN])}{more}")
    return lines


def _suspects(result: Agreement) -> list[str]:
    lines = looks_lines(dict(result.assessors.select("assessor", "looks").iter_rows()))
    if result.n_assessors > SHOWN:
        lines.append(
            f"assessors: shown are the {SHOWN} with the lowest κ of {result.n_assessors:,}; --json or --output has all"
        )
    if result.alike.height > SHOWN:
        lines.append(f"pairs more similar: shown are {SHOWN} of {result.alike.height:,}; --json or --output has all")
    if result.self_consistency is not None:
        same = result.self_consistency
        lines.append(
            f"self-consistency: {float(same.same):.1%} of repeats agree, against {float(same.other):.1%} between "
            f"assessors of the same {same.n_documents:,} documents"
        )
    return lines


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
    grades = found.scale.names
    table = pl.DataFrame(
        {
            names[0]: pl.Series(grades, dtype=pl.String),
            **{f"→{g}": found.matrix[:, j] for j, g in enumerate(grades)},
            "n": found.counts.sum(axis=1).astype(int),
            **{f"n→{g}": found.counts[:, j].astype(int) for j, g in enumerate(grades)},
        }
    )
    title = f"P({names[1]} says | {names[0]} says)"
    shown.emit(table, title=title, footer=found.notes)
