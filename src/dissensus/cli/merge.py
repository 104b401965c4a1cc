"""`dissensus merge`: many assessors in, one label per document out, posteriors and confusions beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from dissensus.cli.build import option
from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.messages import say
from dissensus.errors import Fix, InputError, Option
from dissensus.io.judgment_rows import are_preferences
from dissensus.judging.merging.api import merge
from dissensus.judging.merging.comparison import compare_methods
from dissensus.judging.merging.suspects import shorter_scales, without_suspects
from dissensus.windows.files import check_output, write_rows
from dissensus.work.atomic import atomic

if TYPE_CHECKING:
    from dissensus.judging.merging.result import Merged
    from dissensus.tables.scale import Scale

QRELS = (".qrels", ".txt")


@dataclass(frozen=True)
class LabelOutput(opt.Output):
    """Where merged labels go, and in what form."""

    output: Annotated[
        Path | None,
        opt.output_file(
            "Write the labels: .qrels .csv .tsv .parquet .json .tex; posteriors and confusions go beside them."
        ),
    ] = None


def command(
    judgments: opt.JudgmentsArgument,
    method: Annotated[
        Literal["majority", "wawa", "one-coin", "mace", "glad", "kos", "em-mv", "em-neu", "em-anchored", "ordinal"],
        option("--method"),
    ] = "majority",
    per_topic: Annotated[bool, option("--per-topic")] = False,
    break_ties: Annotated[
        Literal["coin", "lower", "higher"], option("--break-ties", help="How ties are settled.")
    ] = "coin",
    drop_suspects: Annotated[
        bool, option("--drop-suspects", help="Leave out assessors that look random, lazy or contrary.")
    ] = False,
    compare: Annotated[
        bool, option("--compare/--no-compare", help="Show how well each method predicts labels kept back.")
    ] = True,
    temper: Annotated[bool, option("--temper/--no-temper")] = True,
    gold: Annotated[
        str | None,
        option("--gold", metavar="NAME", help="The assessor that is the truth; checks the merged labels."),
    ] = None,
    tol: Annotated[float, option("--tol", metavar="X")] = 1e-3,
    max_rounds: Annotated[int, option("--max-rounds", metavar="N")] = 1000,
    smoothing: Annotated[float, option("--smoothing", metavar="X")] = 0.01,
    dimension: opt.DimensionOption = None,
    negative: opt.NegativeOption = "unjudged",
    reading: opt.Reading = opt.Reading(),
    seed: opt.SeedOption = 0,
    shown: LabelOutput = LabelOutput(),
) -> None:
    """Merge assessors into one set of labels: a vote, or a model of the assessors.

    Shows who looks random and what leaving them out changes, and how well each method predicts labels kept back. Beside
    merged.qrels come merged-posterior.csv (how sure every label is) and merged-confusions.csv (every assessor's
    confusion matrix). Models are for assessors that err independently; warnings say where they fail. Files of
    preferences are merged into one order of each topic's documents, for Compat.

    Examples:
        dissensus merge labels.csv --method em-mv -o merged.qrels
        dissensus merge labels.csv --drop-suspects --gold expert
    """
    output = shown.output
    as_qrels = output is not None and output.suffix.lower() in QRELS
    check_output(None if as_qrels else output)
    if are_preferences(judgments):
        from dissensus.cli.parts.preference_output import merge_preferences

        merge_preferences(judgments, shown, seed=seed, method=method, dimension=dimension)
        return
    if dimension is not None:
        raise InputError("--dimension is for preferences, and these files hold grades.", "Leave it out.")
    found = reading.judgments(judgments)
    reading.refuse_unused()
    if as_qrels:
        _check_numbers(found.scale)
    merged = merge(
        found, method, per_topic=per_topic, ties=break_ties, seed=seed, tol=tol, max_rounds=max_rounds,
        smoothing=smoothing, gold=gold, negative=negative, suspects="drop" if drop_suspects else "keep", temper=temper,
    )  # fmt: skip
    if as_qrels and output is not None:
        _write_qrels(merged, output)
        shown = replace(shown, output=None)
    said = shorter_scales(found, negative)
    if not drop_suspects and not per_topic:
        said += without_suspects(found, merged, gold=gold, negative=negative, ties=break_ties, seed=seed)
    compared = compare_methods(found, gold=gold, negative=negative, seed=seed) if compare else None
    shown.show(replace(merged, remarks=(*merged.remarks, *said), methods=compared))


def _check_numbers(scale: Scale) -> None:
    """Qrels hold numbers: labels whose order is not known cannot be written there."""
    if not scale.ordered:
        names = ",".join(scale.names)
        raise InputError(
            f"the labels are names whose order is not known ({names}), and qrels hold numbers.",
            Fix("Declare the scale, lowest grade first: ", Option("scale", names), "."),
            "Write the labels by name: -o merged.csv",
        )


def _write_qrels(merged: Merged, path: Path) -> None:
    judgments = merged.judgments
    ids = judgments.doc_ids()
    with atomic(path) as file:
        file.writelines(
            f"{judgments.topics[judgments.item_topic[i]]} 0 {ids[i]} {grade}\n"
            for i, grade in zip(judgments.item, judgments.grade, strict=True)
        )
    say("note", f"wrote {path}")
    for name, table in (("posterior", merged.posterior), ("confusions", merged.confusions.to_frame())):
        beside = path.with_name(f"{path.stem}-{name}.csv")
        write_rows(table, beside)
        say("note", f"wrote {beside}")
