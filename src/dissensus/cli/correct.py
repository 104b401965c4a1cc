"""`dissensus correct`: scores as the gold judge would have given them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dissensus.cli.inputs import options as opt
from dissensus.cli.inputs.correction_inputs import ConfusionOption, PooledOption

if TYPE_CHECKING:
    import polars as pl

    from dissensus.errors import DissensusError
    from dissensus.inference.comparison.pair_diagnosis import PairDiagnosis
    from dissensus.inference.correction.result import Corrected


GOLD_ONLY = "gold_low, gold_high: the interval from the audited documents alone, without the judge's labels (gold only)"


def command(
    files: opt.StudyFiles = opt.StudyFiles(),
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
    reading: opt.OneJudge = opt.OneJudge(),
    policies: opt.PolicyOptions = opt.PolicyOptions(),
    inference: opt.Inference = opt.Inference(),
    shown: opt.ChartOutput = opt.ChartOutput(),
) -> None:
    """Correct scores for judge error with an expert audit or a confusion matrix.

    Naive and corrected score of every system with its interval, the method and why it was chosen, and what the audit
    says about the judge. Findings that cast doubt on a number are marked with "!".

    Examples:
        dissensus correct runs/* --judgments llm.qrels --audit gold.csv -m P@10 -m nDCG@10
        dissensus correct runs/* --judgments crowd.csv --merge majority --audit gold.csv
        dissensus correct runs/* --judgments llm.qrels --confusion llm.json -m DCG@10
        dissensus correct A.run B.run --judgments llm.qrels --confusion A=a.json --confusion B=b.json -m P@10
        dissensus correct --score-table llm.csv --score-table people.csv --gold people
    """
    from dissensus.cli.inputs.correction_inputs import read_knowledge
    from dissensus.errors import InputError
    from dissensus.inference.correction.api import correct

    shown.check()
    if files.score_table:
        from dissensus.cli.parts.score_table_output import only_scores

        only_scores(
            runs=files.runs, judgments=files.judgments, audit=audit, confusion=confusion, merge=reading.merge,
            bootstrap=bootstrap,
        )  # fmt: skip
        correct_tables(files.score_table, measure, files.gold, reading.assessor, target, inference.level, shown)
        return
    if not files.runs or not files.judgments or files.gold is not None:
        raise _without(files.runs, files.gold)
    known = read_knowledge(audit, confusion, reading.scale)
    if known is None:
        raise InputError("nothing is known of the judge.", "Give --audit gold.csv, or --confusion matrix.json.")
    bronze, said = reading.labels(files.judgments, inference.seed)
    result = correct(
        reading.runs(*files.runs), bronze, known, measure, method, target=target, pooled=pooled, **asdict(inference),
        **asdict(policies),
    )  # fmt: skip
    if shown.plot is not None:
        draw_corrected(result.table, shown.plot)
    table = result.table
    if bootstrap:
        table = table.drop("low", "high").join(result.bootstrap(), on=["measure", "system"], maintain_order="left")
        table = table.select(result.table.columns)
        said.append("low and high: bootstrap over topics and calibration, 2,000 resamples; se is not of the bootstrap")
    pairs = _diagnosis(result)
    findings = [f"{name}: {f}" for name, found in result.diagnosis.items() for f in found]
    if table["gold_low"].is_finite().any():
        said.append(GOLD_ONLY)
    elif shown.on_terminal:
        table = table.drop("gold_low", "gold_high")  # nothing but dashes
    shown.emit(
        table,
        title="Corrected scores",
        footer=[*said, *findings, *_pair_lines(pairs), *result.notes, result.footer],
        facts={
            "diagnosis": {n: [str(f) for f in found] for n, found in result.diagnosis.items()},
            "pairs": [d.row() for d in pairs],
        },
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


def _without(runs: list[str] | None, gold: str | None) -> DissensusError:
    from dissensus.cli.inputs.added_options import without_judgments
    from dissensus.errors import InputError

    if gold is not None:
        return InputError("--gold names a judge of a table of scores.", "Give --score-table FILE, or --audit FILE.")
    if runs:
        return without_judgments("correct", runs)
    return InputError("there are no runs.", "Give run files and --judgments, or --score-table FILE and --gold NAME.")


def correct_tables(
    paths: Sequence[str],
    measures: Sequence[str],
    gold: str | None,
    assessor: str | None,
    target: Literal["population", "these_topics"],
    level: float,
    shown: opt.ChartOutput,
) -> None:
    """Scores of a table as the gold judge would have given them."""
    from dissensus.cli.parts.score_table_output import read_tables
    from dissensus.errors import InputError
    from dissensus.inference.correction.score_tables import correct_scores

    if gold is None:
        raise InputError(
            "nothing is known of the judge behind the scores.", "Name the gold judge of the table with --gold NAME."
        )
    scores, wanted = read_tables(paths, measures, opt.TABLE_MEASURES)
    result = correct_scores(scores, wanted, gold=gold, assessor=assessor, target=target, level=level)
    if shown.plot is not None:
        draw_corrected(result.table, shown.plot)
    alone = "gold_low, gold_high: the interval from the topics with gold scores alone, without the judge"
    shown.emit(result.table, title="Corrected scores", footer=[alone, *result.notes, result.footer])


def draw_corrected(table: pl.DataFrame, plot: Path) -> None:
    """Draw a table with measure, system, naive, corrected, low and high, the highest corrected score first."""
    import polars as pl

    from dissensus.cli.terminal.files import chart_file, draw
    from dissensus.report.charts.system_scores import score_chart, score_kinds

    measures = table["measure"].unique(maintain_order=True).to_list()
    for name in measures:
        part = table.filter(pl.col("measure") == name)
        order = part.sort("corrected", "naive", descending=True, nulls_last=True)["system"].to_list()
        chart = score_chart(score_kinds(part, "naive", "corrected"), name, order=order)
        draw(chart, chart_file(plot, name, len(measures) > 1))
