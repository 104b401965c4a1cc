"""`dissensus merge`: many assessors in, one label per document out, posteriors and confusions beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dissensus.cli.options import (
    AssessorColumnOption,
    DigitsOption,
    JsonOption,
    JudgmentsArgument,
    RepeatedOption,
    ScaleOption,
    SeedOption,
)

if TYPE_CHECKING:
    import polars as pl

    from dissensus.judges.merging.result import Merged

QRELS = (".qrels", ".txt")
SHOWN = 20


def command(
    judgments: JudgmentsArgument,
    method: Annotated[
        Literal["majority", "em-mv", "em-neu"],
        typer.Option("--method", help="Majority vote, or EM from the majority vote, or EM from neutral judges."),
    ] = "majority",
    per_topic: Annotated[bool, typer.Option("--per-topic", help="Estimate assessors afresh in every topic.")] = False,
    ties: Annotated[Literal["coin", "lower", "higher"], typer.Option("--ties", help="How ties are settled.")] = "coin",
    gold: Annotated[
        str | None,
        typer.Option("--gold", metavar="NAME", help="The assessor that is the truth; checks the merged labels."),
    ] = None,
    tol: Annotated[float, typer.Option("--tol", metavar="X", help="EM stops when no posterior moves more.")] = 1e-3,
    max_rounds: Annotated[int, typer.Option("--max-rounds", metavar="N", help="Most rounds of EM.")] = 1000,
    smoothing: Annotated[
        float, typer.Option("--smoothing", metavar="X", help="Pseudo-count per cell in the M step.")
    ] = 0.01,
    negative: Annotated[
        Literal["unjudged", "label"],
        typer.Option("--negative", help="Grades below zero: unjudged, or labels of their own."),
    ] = "unjudged",
    scale: ScaleOption = None,
    repeated: RepeatedOption = "error",
    assessor_column: AssessorColumnOption = False,
    seed: SeedOption = 0,
    digits: DigitsOption = 4,
    json: JsonOption = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the labels: .qrels .csv .tsv .parquet .json .tex; posteriors and confusions go beside them.",
        ),
    ] = None,
) -> None:
    """Merge assessors into one set of labels: majority vote or EM.

    Beside merged.qrels come merged-posterior.csv (how sure every label is) and merged-confusions.csv (every assessor's
    confusion matrix). EM is for assessors that err independently; the warnings say when it is not to be believed.

    Example: dissensus merge labels.csv --method em-mv -o merged.qrels
    """
    from dissensus.cli.output import check_output, emit
    from dissensus.data.readers.api import read_judgments
    from dissensus.errors import Fix, InputError, Option
    from dissensus.judges.merging.api import merge

    as_qrels = output is not None and output.suffix.lower() in QRELS
    check_output(None if as_qrels else output)
    found = read_judgments(
        *judgments, assessor="column" if assessor_column else None, scale=scale, repeated=repeated
    )  # fmt: skip
    merged = merge(
        found,
        method,
        per_topic=per_topic,
        ties=ties,
        seed=seed,
        tol=tol,
        max_rounds=max_rounds,
        smoothing=smoothing,
        gold=gold,
        negative=negative,
        label="rounds",
    )
    if as_qrels and not found.scale.ordered:
        names = ",".join(found.scale.names)
        raise InputError(
            f"the labels are names whose order is not known ({names}), and qrels hold numbers.",
            Fix("Declare the scale, lowest grade first: ", Option("scale", names), "."),
            "Write the labels by name: -o merged.csv",
        )
    if as_qrels and output is not None:
        _write_qrels(merged, output)
    everything = {
        "labels": merged.to_frame(),
        "posterior": merged.posterior,
        "confusions": merged.confusions.to_frame(),
    }
    written = output is not None and not as_qrels
    emit(
        everything if json or written else _summary(merged),
        json=json,
        output=output if written else None,
        title=f"Merged by {method}",
        footer=str(merged).splitlines(),
        facts={"converged": merged.converged, "rounds": merged.rounds, "log_likelihood": merged.log_likelihood},
        digits=digits,
    )


def _write_qrels(merged: Merged, path: Path) -> None:
    from dissensus.cli.failure import say
    from dissensus.cli.output import write
    from dissensus.work.atomic import atomic

    judgments = merged.judgments
    ids = judgments.doc_ids()
    with atomic(path) as file:
        file.writelines(
            f"{judgments.topics[judgments.item_topic[i]]} 0 {ids[i]} {grade}\n"
            for i, grade in zip(judgments.item, judgments.grade, strict=True)
        )
    say("note", f"wrote {path}")
    for name, table in (("posterior", merged.posterior), ("confusions", merged.confusions.to_frame())):
        for file_written in write({name: table}, path.with_name(f"{path.stem}-{name}.csv")):
            say("note", f"wrote {file_written}")


def _summary(merged: Merged) -> dict[str, pl.DataFrame]:
    """Grades given, and how often each assessor says what was merged."""
    import numpy as np
    import polars as pl

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
