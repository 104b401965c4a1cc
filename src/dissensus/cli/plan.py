"""`dissensus plan`: which documents to audit, and what that can settle."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from dissensus.cli.build import option
from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.files import draw
from dissensus.errors import InputError, OutputError
from dissensus.inference.planning.api import plan
from dissensus.inference.planning.result import SAMPLES
from dissensus.io.table import read_table
from dissensus.measures.policies import DEFAULT_LINEAR
from dissensus.reporting.charts.correction import power_chart
from dissensus.windows.files import check_file, check_output

if TYPE_CHECKING:
    from dissensus.inference.planning.result import Plan


def command(
    runs: opt.RunsArgument,
    judgments: opt.JudgmentsOption,
    audit: opt.AuditOption = None,
    measures: opt.MeasuresOption = [DEFAULT_LINEAR],  # noqa: B006
    budget: Annotated[float | None, option("--budget", metavar="N")] = None,
    difference: opt.DifferenceOption = None,
    power: Annotated[float, option("--power", metavar="P")] = 0.8,
    between: Annotated[
        tuple[str, str] | None, option("--between", metavar="A B", help="Two systems to tell apart.")
    ] = None,
    purpose: Annotated[
        Literal["scores", "differences", "pooled"] | None,
        option(
            "--for",
        ),
    ] = None,
    unit: Annotated[Literal["document", "topic", "topic,document"], option("--unit")] = "document",
    minutes: Annotated[
        float | None, option("--minutes-per-label", metavar="M", help="Minutes that one label takes.")
    ] = None,
    price: Annotated[float | None, option("--price", metavar="P")] = None,
    order: Annotated[
        bool,
        option("--order"),
    ] = False,
    sample: Annotated[
        Path | None,
        option(
            "--sample",
            metavar="FILE",
            help="Write the documents to audit (.csv, .xlsx), and NAME.frame.parquet; they come back as --audit.",
        ),
    ] = None,
    frame: Annotated[
        Path | None,
        option("--frame", metavar="FILE", help="Write the probabilities of all documents alone (.parquet)."),
    ] = None,
    reading: opt.OneJudge = opt.OneJudge(),
    policies: opt.PolicyOptions = opt.PolicyOptions(),
    inference: opt.Inference = opt.Inference(),
    shown: opt.ChartOutput = opt.ChartOutput(),
) -> None:
    """Which documents experts should audit, and how many are enough.

    The table is the power curve: standard error and smallest difference found, by number of audited documents.

    Examples:
        dissensus plan runs/* --judgments llm.qrels --budget 200 --sample to-audit.csv
        dissensus plan runs/* --judgments llm.qrels --audit gold.csv --difference 0.03 --between bm25 neural
        dissensus plan A.run B.run --judgments llm.qrels --order --sample order.csv
        dissensus plan runs/* --judgments llm.qrels --for pooled --budget 300 --sample to-audit.csv
    """
    shown.check()
    check_sample(sample)
    check_output(frame, "--frame")
    bronze, said = reading.of_one_judge(judgments, inference.seed)
    systems, known = reading.runs(*runs), reading.audit(audit)
    reading.refuse_unused()
    made = plan(
        systems, bronze, known, budget,
        difference, power, measures=measures, systems=between, purpose=purpose, order=order,
        unit=unit, minutes_per_label=minutes, price=price, **asdict(inference), **asdict(policies),
    )  # fmt: skip
    said += _keep(made, sample, frame)
    if shown.plot is not None:
        draw(power_chart(made.table, difference), shown.plot)
    shown.show(replace(made, notes=(*made.notes, *said)))


def check_sample(sample: Path | None) -> None:
    """Refuse a sample file that cannot be written, or that experts have begun to grade."""
    if sample is None:
        return

    check_file(sample, "--sample", SAMPLES, "to-audit.csv")
    if sample.is_file() and _graded(sample):
        raise OutputError(
            f"--sample {sample} exists and holds grades, which would be lost.",
            "Name another file, or remove this one.",
            f"To go on with it, give it as the audit made before: --audit {sample}",
        )


def _graded(sample: Path) -> bool:
    """Does the file hold grades? One that cannot be read as a table is not ours, and holds none."""
    try:
        table = read_table(sample).frame
    except InputError:
        return False
    column = next((c for c in table.columns if c.strip().lower() == "grade"), None)
    return column is not None and any(str(g).strip() for g in table[column].drop_nulls())


def _keep(made: Plan, sample: Path | None, frame: Path | None) -> list[str]:
    """Write the documents to audit and their frame, if asked to; what was done, in words."""
    notes = []
    if frame is not None:
        notes.append(f"wrote the probabilities of {made.everyone.height:,} documents to {made.write_frame(frame)}")
    if sample is None:
        return [*notes, f"{made.sample.height:,} documents drawn; --sample FILE writes them."]
    files = made.write(sample)
    beside = f", and the probabilities of all documents to {files[1]}: keep it beside the sample" if files[1:] else ""
    return [*notes, f"wrote {made.sample.height:,} documents to {files[0]}{beside}"]
