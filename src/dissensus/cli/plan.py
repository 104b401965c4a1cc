"""`dissensus plan`: which documents to audit, and what that can settle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.correction_inputs import LevelOption, MergeOption, PlotOption
from dissensus.cli.options import (
    AssessorColumnOption,
    AssessorOption,
    AuditOption,
    DigitsOption,
    JsonOption,
    JudgmentsOption,
    MeasureOption,
    OutputOption,
    RepeatedOption,
    RunsArgument,
    ScaleOption,
    SeedOption,
    SystemOption,
)

if TYPE_CHECKING:
    from dissensus.inference.planning.api import Plan


def command(
    runs: RunsArgument,
    judgments: JudgmentsOption,
    audit: AuditOption = None,
    measure: MeasureOption = "P@10",
    budget: Annotated[float | None, typer.Option("--budget", metavar="N", help="Documents to audit.")] = None,
    difference: Annotated[
        float | None, typer.Option("--difference", metavar="X", help="A difference that would matter to you.")
    ] = None,
    power: Annotated[float, typer.Option("--power", metavar="P", help="Probability of finding it.")] = 0.8,
    between: Annotated[
        tuple[str, str] | None, typer.Option("--between", metavar="A B", help="Two systems to tell apart.")
    ] = None,
    scores: Annotated[
        bool, typer.Option("--scores", help="Give every scored document a chance: for single scores, too.")
    ] = False,
    order: Annotated[
        bool,
        typer.Option(
            "--order", help="Commit to an order, to be graded from the top and looked at with compare --anytime."
        ),
    ] = False,
    sample: Annotated[
        Path | None,
        typer.Option("--sample", metavar="FILE", help="Write the documents to audit (.csv); it comes back as --audit."),
    ] = None,
    merge: MergeOption = None,
    assessor: AssessorOption = None,
    scale: ScaleOption = None,
    repeated: RepeatedOption = "error",
    assessor_column: AssessorColumnOption = False,
    system: SystemOption = None,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
    plot: PlotOption = None,
    digits: DigitsOption = 4,
    json: JsonOption = False,
    output: OutputOption = None,
) -> None:
    """Which documents experts should audit, and how many are enough.

    The table is the power curve: standard error and smallest difference found, by number of audited documents.

    Examples:
        dissensus plan runs/* --judgments llm.qrels --budget 200 --sample to-audit.csv
        dissensus plan runs/* --judgments llm.qrels --audit gold.csv --difference 0.03 --between bm25 neural
        dissensus plan A.run B.run --judgments llm.qrels --order --sample order.csv
    """
    from dissensus.cli.correction_inputs import read_bronze
    from dissensus.cli.output import check_output, emit
    from dissensus.data.readers.api import read_runs
    from dissensus.data.readers.audit_files import read_audit
    from dissensus.inference.planning.api import plan

    check_output(output)
    check_output(sample, "--sample")
    bronze, said = read_bronze(
        judgments, assessor=assessor, merge=merge, scale=scale, repeated=repeated, assessor_column=assessor_column,
        seed=seed,
    )  # fmt: skip
    made = plan(
        read_runs(*runs, system=system), bronze, None if audit is None else read_audit(audit, scale=scale), budget,
        difference, power, measure=measure, systems=between, scores=scores, level=level, seed=seed, order=order,
    )  # fmt: skip
    said.append(_keep(made, sample))
    if plot is not None:
        from dissensus.cli.correction_inputs import draw
        from dissensus.report.charts.correction import power_chart

        draw(power_chart(made.table, difference), plot)
    emit(
        made.table,
        json=json,
        output=output,
        title=f"What an audit can tell about {made.pair[0]} and {made.pair[1]}",
        footer=[made.sentence, *made.notes, *said],
        facts={
            "labels": made.labels,
            "queries": made.queries,
            "sentence": made.sentence,
            "sample": made.sample.to_dicts(),
        },
        digits=digits,
    )


def _keep(made: Plan, sample: Path | None) -> str:
    """Write the documents to audit, if asked to; what was done, in words."""
    if sample is None:
        return f"{made.sample.height:,} documents drawn; --sample FILE writes them."
    from dissensus.cli.output import write

    write({"sample": made.sample}, sample)
    return f"wrote {made.sample.height:,} documents to {sample}"
