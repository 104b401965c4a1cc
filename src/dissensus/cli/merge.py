"""`dissensus merge`: many assessors in, one label per document out, posteriors and confusions beside it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import polars as pl

from dissensus.cli.build import option
from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.messages import say
from dissensus.errors import DissensusWarning, Fix, InputError, Option
from dissensus.io.judgment_rows import are_preferences
from dissensus.judging.agreement.api import unused_note
from dissensus.judging.agreement.flags import looks_lines, suspects, unused_grades
from dissensus.judging.label_table import crowd_and_truth
from dissensus.judging.label_table import labels as table_of
from dissensus.judging.merging.api import merge
from dissensus.judging.merging.comparison import compare_methods
from dissensus.windows.files import check_output, write_rows
from dissensus.work.atomic import atomic

if TYPE_CHECKING:
    from dissensus.judging.merging.comparison import MethodComparison
    from dissensus.judging.merging.result import Merged
    from dissensus.tables.judgments import Judgments
    from dissensus.tables.scale import Scale

QRELS = (".qrels", ".txt")
SHOWN = 20


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
    written = output is not None and not as_qrels
    tables = _everything(merged) if shown.json or written else _summary(merged)
    footer = [*str(merged).splitlines(), *_scales(found, negative)]
    if not drop_suspects and not per_topic:
        footer += _suspects(found, merged, gold, negative, break_ties, seed)
    if compare:
        comparison = compare_methods(found, gold=gold, negative=negative, seed=seed)
        tables["methods"] = comparison.table.drop("seconds")
        footer += _best(comparison)
    if not shown.json and not written:
        footer += ["accuracy: the share of an assessor's labels that equal the merged ones, not gold", *_shown(merged)]
    replace(shown, output=output if written else None).emit(
        tables,
        title=f"Merged by {method}",
        footer=footer,
        facts={
            "converged": merged.converged,
            "rounds": merged.rounds,
            "log_likelihood": merged.log_likelihood,
            "exponent": merged.exponent,
            "suspects": merged.suspects,
            "doubts": [d.kind for d in merged.doubts],
        },
    )


def _check_numbers(scale: Scale) -> None:
    """Qrels hold numbers: labels whose order is not known cannot be written there."""
    if not scale.ordered:
        names = ",".join(scale.names)
        raise InputError(
            f"the labels are names whose order is not known ({names}), and qrels hold numbers.",
            Fix("Declare the scale, lowest grade first: ", Option("scale", names), "."),
            "Write the labels by name: -o merged.csv",
        )


def _everything(merged: Merged) -> dict[str, pl.DataFrame]:
    return {"labels": merged.to_frame(), "posterior": merged.posterior, "confusions": merged.confusions.to_frame()}


def _suspects(
    judgments: Judgments,
    merged: Merged,
    gold: str | None,
    negative: opt.Negative,
    ties: Literal["coin", "lower", "higher"],
    seed: int,
) -> list[str]:
    """Who looks random, lazy or contrary, and what leaving them out would change."""
    who = suspects(crowd_and_truth(judgments, gold, negative)[0], judgments.assessors)
    lines = looks_lines(who)
    if not who:
        return lines
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DissensusWarning)
            other = merge(
                judgments, merged.method, ties=ties, seed=seed, gold=gold, negative=negative, suspects="drop",
                temper=False,
            )  # fmt: skip
    except InputError as error:
        return [*lines, error.what]
    old, new = merged.to_frame(), other.to_frame()
    both = old.join(new, on=["topic", "doc"], suffix="_new")
    changed = int((both["grade"] != both["grade_new"]).sum())
    lost = old.height - both.height
    text = f"leaving them out (--drop-suspects) changes {changed:,} of {both.height:,} labels"
    if lost:
        text += f" and leaves {lost:,} documents without a label"
    if merged.calibration is not None and other.calibration is not None:
        text += f"; against gold {merged.calibration.accuracy:.1%} → {other.calibration.accuracy:.1%} right"
    return [*lines, text]


def _best(comparison: MethodComparison) -> list[str]:
    if comparison.best is None:
        return list(comparison.notes)
    return [
        f"{comparison.best} predicts {comparison.kept:,} labels kept back best (lowest log-loss); assessors that share "
        "errors predict each other, so this does not prove that they are right",
        *comparison.notes,
    ]


def _shown(merged: Merged) -> list[str]:
    labels = merged.confusions.to_frame().group_by("assessor").agg(n=pl.col("count").sum())["n"]
    n = int((labels > 0).sum())
    text = f"assessors: shown are the {SHOWN} with most labels of {n:,}; --json or --output has all"
    return [text] if n > SHOWN else []


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


def _scales(labels: Judgments, negative: opt.Negative) -> list[str]:
    """Assessors who may have judged on a shorter scale: a vote takes their 1 for everybody's 1."""
    return [str(unused_note(found)) for found in unused_grades(table_of(labels, negative), labels.assessors)]


def _summary(merged: Merged) -> dict[str, pl.DataFrame]:
    """Grades given, and how often each assessor says what was merged."""
    grades, number = np.unique(merged.judgments.grade, return_counts=True)
    scale = merged.judgments.scale
    table = pl.DataFrame(
        {"grade": [scale.name(int(g)) for g in grades], "documents": number, "share": number / number.sum()}
    )
    cells = merged.confusions.to_frame()
    people = (
        cells.group_by("assessor", maintain_order=True)
        .agg(
            labels=pl.col("count").sum(),
            accuracy=pl.col("count").filter(pl.col("reference") == pl.col("observed")).sum() / pl.col("count").sum(),
        )
        .filter(pl.col("labels") > 0)
        .sort("labels", descending=True)
    )
    return {"labels": table, "assessors": people.head(SHOWN).with_columns(pl.col("labels").round(0).cast(pl.Int64))}
