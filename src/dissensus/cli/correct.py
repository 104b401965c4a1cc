"""`dissensus correct`: scores as the gold judge would have given them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dissensus.cli.inputs import options as opt
from dissensus.cli.inputs.correction_inputs import ConfusionOption, LevelOption, MergeOption, PlotOption, PooledOption
from dissensus.measures.policies import Policies

if TYPE_CHECKING:
    from dissensus.inference.comparison.pair_diagnosis import PairDiagnosis
    from dissensus.inference.correction.result import Corrected

GOLD_ONLY = "gold_low, gold_high: the interval from the audited documents alone, without the judge's labels (gold only)"


def command(
    runs: opt.RunsArgument,
    judgments: opt.JudgmentsOption,
    audit: opt.AuditOption = None,
    confusion: ConfusionOption = None,
    measure: opt.MeasuresOption = opt.TABLE_MEASURES,
    method: Annotated[
        Literal["auto", "confusion", "rectified"],
        typer.Option("--method", help="auto: an audit of scored documents is used to rectify, else the matrix."),
    ] = "auto",
    target: Annotated[
        Literal["population", "these_topics"],
        typer.Option("--target", help="Intervals for all topics like these, or for these topics only."),
    ] = "population",
    pooled: PooledOption = True,
    bootstrap: Annotated[
        bool, typer.Option("--bootstrap", help="Intervals by resampling topics and calibration together.")
    ] = False,
    merge: MergeOption = None,
    assessor: opt.AssessorOption = None,
    scale: opt.ScaleOption = None,
    repeated: opt.RepeatedOption = "error",
    assessor_column: opt.AssessorColumnOption = False,
    system: opt.SystemOption = None,
    topics: opt.TopicsOption = Policies.topics,
    unjudged: opt.UnjudgedOption = Policies.unjudged,
    ties: opt.TiesOption = Policies.ties,
    empty: opt.EmptyOption = Policies.empty,
    level: LevelOption = 0.95,
    seed: opt.SeedOption = 0,
    plot: PlotOption = None,
    digits: opt.DigitsOption = 4,
    json: opt.JsonOption = False,
    output: opt.OutputOption = None,
) -> None:
    """Correct scores for judge error with an expert audit or a confusion matrix.

    Naive and corrected score of every system with its interval, the method and why it was chosen, and what the audit
    says about the judge. Findings that cast doubt on a number are marked with "!".

    Examples:
        dissensus correct runs/* --judgments llm.qrels --audit gold.csv -m P@10 -m nDCG@10
        dissensus correct runs/* --judgments crowd.csv --merge majority --audit gold.csv
        dissensus correct runs/* --judgments llm.qrels --confusion llm.json -m DCG@10
        dissensus correct A.run B.run --judgments llm.qrels --confusion A=a.json --confusion B=b.json -m P@10
    """
    from dissensus.cli.inputs.correction_inputs import read_bronze, read_knowledge
    from dissensus.cli.terminal.output import check_output, check_plot, emit
    from dissensus.data.readers.api import read_runs
    from dissensus.errors import InputError
    from dissensus.inference.correction.api import correct

    check_output(output)
    check_plot(plot)
    known = read_knowledge(audit, confusion, scale)
    if known is None:
        raise InputError("nothing is known of the judge.", "Give --audit gold.csv, or --confusion matrix.json.")
    bronze, said = read_bronze(
        judgments, assessor=assessor, merge=merge, scale=scale, repeated=repeated, assessor_column=assessor_column,
        seed=seed,
    )  # fmt: skip
    result = correct(
        read_runs(*runs, system=system), bronze, known, measure, method, target=target, level=level, seed=seed,
        pooled=pooled, topics=topics, unjudged=unjudged, ties=ties, empty=empty,
    )  # fmt: skip
    if plot is not None:
        _draw(result, plot)
    table = result.table
    if bootstrap:
        table = table.drop("low", "high").join(result.bootstrap(), on=["measure", "system"], maintain_order="left")
        table = table.select(result.table.columns)
        said.append("low and high: bootstrap over topics and calibration, 2,000 resamples; se is not of the bootstrap")
    pairs = _diagnosis(result)
    findings = [f"{name}: {f}" for name, found in result.diagnosis.items() for f in found]
    gold = table["gold_low"].is_finite().any()
    if gold:
        said.append(GOLD_ONLY)
    elif not json and output is None:
        table = table.drop("gold_low", "gold_high")  # nothing but dashes
    emit(
        table,
        json=json,
        output=output,
        title="Corrected scores",
        footer=[*said, *findings, *_pair_lines(pairs), *result.notes, result.footer],
        facts={
            "diagnosis": {n: [str(f) for f in found] for n, found in result.diagnosis.items()},
            "pairs": [d.row() for d in pairs],
        },
        digits=digits,
    )


def _diagnosis(result: Corrected) -> list[PairDiagnosis]:
    """The diagnosis of pairs of systems, where an audit of scored documents gives one."""
    from dissensus.inference.comparison.pair_diagnosis import diagnoses

    if len(result.systems) < 2 or not any(r.sensitivity is not None for r in result.results.values()):
        return []
    return diagnoses(result, result.compare_all("none"))


def _pair_lines(pairs: list[PairDiagnosis]) -> list[str]:
    from dissensus.cli.terminal.comparison_output import diagnosis_lines

    return diagnosis_lines(pairs, everything=False, more="--json lists them")


def _draw(result: Corrected, plot: Path) -> None:
    import polars as pl

    from dissensus.cli.inputs.correction_inputs import chart_file, draw
    from dissensus.report.charts.system_scores import score_chart

    for name in result.results:
        part = result.table.filter(pl.col("measure") == name)
        order = part.sort("corrected", "naive", descending=True, nulls_last=True)["system"].to_list()
        corrected = part.select("system", pl.lit("corrected").alias("kind"), score="corrected", low="low", high="high")
        naive = part.select("system", pl.lit("naive").alias("kind"), score="naive", low="naive", high="naive")
        draw(
            score_chart(pl.concat([naive, corrected]), name, order=order),
            chart_file(plot, name, len(result.results) > 1),
        )
