"""`dissensus compare`: which systems differ, in sentences a colleague can read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from dissensus.cli.correction_inputs import ConfusionOption, LevelOption, MergeOption, PlotOption, PooledOption
from dissensus.cli.options import (
    AssessorColumnOption,
    AssessorOption,
    AuditOption,
    DigitsOption,
    JsonOption,
    JudgmentsOption,
    MeasuresOption,
    OutputOption,
    RepeatedOption,
    RunsArgument,
    ScaleOption,
    SeedOption,
    SystemOption,
)

if TYPE_CHECKING:
    import polars as pl

    from dissensus.data.tables.audit import Audit
    from dissensus.data.tables.judgments import Judgments
    from dissensus.data.tables.runs import Runs
    from dissensus.inference.comparison.difference import Differences
    from dissensus.judges.confusion.api import Confusion

SHOWN = 40  # verdicts on the terminal


def command(
    runs: RunsArgument,
    judgments: JudgmentsOption,
    audit: AuditOption = None,
    confusion: ConfusionOption = None,
    measure: MeasuresOption = ["nDCG@10"],  # noqa: B006 (typer reads it, nobody changes it)
    test: Annotated[
        Literal["t", "welch", "randomization", "bootstrap", "wilcoxon", "tukey"],
        typer.Option("--test", help="Without an audit: the test on per-topic scores."),
    ] = "t",
    correction: Annotated[
        Literal["max-t", "holm", "bonferroni", "bh", "none"],
        typer.Option("--correction", help="For many comparisons; under holm and bh p decides, without intervals."),
    ] = "max-t",
    judge: Annotated[
        Literal["shared", "separate"] | None,
        typer.Option(
            "--judge",
            help="Through matrices: one calibration for all systems, or one each; by default as they were given.",
        ),
    ] = None,
    difference: Annotated[
        float | None, typer.Option("--difference", metavar="X", help="A difference that would matter to you.")
    ] = None,
    method: Annotated[
        Literal["auto", "confusion", "rectified"], typer.Option("--method", help="As in dissensus correct.")
    ] = "auto",
    anova: Annotated[
        bool, typer.Option("--anova", help="Analysis of variance with the assessor as a factor, instead of tests.")
    ] = False,
    anytime: Annotated[
        bool,
        typer.Option(
            "--anytime",
            help="The audit is a committed order (plan --order): intervals that hold at every look, however often.",
        ),
    ] = False,
    pooled: PooledOption = True,
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
    """Test which systems differ, with corrected p-values and groups that cannot be told apart.

    Each system's rank comes with the ranks it may have: given the adjusted verdicts, all true ranks are among them.
    With an audit, differences are corrected for the judge's errors, and the naive difference stands beside them;
    without one, the labels are taken at their word and ordinary paired tests are made.

    Examples:
        dissensus compare runs/* --judgments llm.qrels --audit gold.csv -m P@10 --difference 0.02
        dissensus compare runs/* --judgments llm.qrels --audit gold.csv -m P@10 --method confusion --judge separate
        dissensus compare A.run B.run --judgments llm.qrels --confusion A=a.json --confusion B=b.json -m P@10
        dissensus compare runs/* --judgments qrels.txt -m AP --test tukey
        dissensus compare A.run B.run --judgments llm.qrels --audit order.csv -m P@10 --anytime
    """
    from dissensus.cli.correction_inputs import read_bronze, read_knowledge
    from dissensus.cli.output import check_output, check_plot
    from dissensus.data.readers.api import read_runs

    check_output(output)
    check_plot(plot)
    known = read_knowledge(audit, confusion, scale)
    if anova:
        _refuse("--anova takes all assessors at their word", audit=audit, confusion=confusion, merge=merge, plot=plot)
        _refuse("--anova analyses all assessors", assessor=assessor)
    elif known is None:
        _refuse("nothing is known of the judge: give --audit or --confusion", judge=judge, method=method)
    else:
        _refuse("corrected scores have a test of their own", test=test)
    if test == "tukey":
        _refuse("--test tukey adjusts for all pairs by itself", correction=correction)
    found = read_runs(*runs, system=system)
    if anova:
        from dissensus.data.readers.api import read_judgments

        who = "column" if assessor_column else None
        _anova(
            found,
            read_judgments(*judgments, assessor=who, scale=scale, repeated=repeated),
            measure,
            json,
            output,
            digits,
        )
        return
    bronze, said = read_bronze(
        judgments, assessor=assessor, merge=merge, scale=scale, repeated=repeated, assessor_column=assessor_column,
        seed=seed,
    )  # fmt: skip
    if anytime:
        from dissensus.cli.anytime import show

        show(
            found, bronze, known, measure, margin=difference, level=level, said=said, json=json, output=output,
            plot=plot, digits=digits,
        )  # fmt: skip
        return
    likely: Differences | None = None
    if known is None:
        result = _at_their_word(found, bronze, measure, test, correction, difference, level, seed, said)
    else:
        result, likely = _audited(
            found, bronze, known, measure, method, correction, judge, difference, level, seed, said, pooled
        )
    if plot is not None:
        _draw(result, plot)
    _show(result, said, json, output, digits, likely)


def _refuse(why: str, **given: object) -> None:
    """Refuse options that would change nothing: whoever writes one believes that it does."""
    from dissensus.errors import InputError

    for name, value in given.items():
        if value not in (None, "auto", "t", "max-t"):
            shown = value if isinstance(value, str) else ""
            raise InputError(f"--{name} {shown}".strip() + f" has no effect here: {why}.", f"Leave --{name} out.")


def _at_their_word(
    runs: Runs,
    bronze: Judgments,
    measures: list[str],
    test: Any,
    correction: str,
    difference: float | None,
    level: float,
    seed: int,
    said: list[str],
) -> Differences:
    from dissensus.inference.comparison.api import compare
    from dissensus.measures.evaluate import evaluate

    scores = evaluate(runs, bronze, measures)
    said += ["labels taken at their word: no audit was given", str(scores.attrs.get("footer", ""))]
    names = [str(v) for v in scores.data_vars]
    return compare(scores, names, test, correction, difference=difference, level=level, seed=seed)


def _audited(
    runs: Runs,
    bronze: Judgments,
    known: Audit | Confusion | dict[str, Confusion],
    measures: list[str],
    method: Any,
    correction: str,
    judge: Any,
    difference: float | None,
    level: float,
    seed: int,
    said: list[str],
    pooled: bool,
) -> tuple[Differences, Differences | None]:
    """(corrected differences, pooled ones where there are any)."""
    from dissensus.inference.correction.api import correct

    made = correct(runs, bronze, known, measures, method, level=level, seed=seed, pooled=pooled)
    said.append("naive and naive_p: bronze labels at their word, a paired t test, not adjusted")
    said += [f"{n}: {f}" for n, findings in made.diagnosis.items() for f in findings if f.worry]
    said.append(made.footer)
    offered = any(not p.why_not for p in made.pooled.values())
    together = made.compare_all(correction, pooled=True) if offered else None
    return made.compare_all(correction, judge=judge, difference=difference), together


def _likely(result: Differences, pooled: Differences) -> tuple[pl.DataFrame, list[str]]:
    """(the table with pooled differences, verdicts that are likely where none is shown)."""
    import polars as pl

    both = list(zip(result.pairs, pooled.pairs, strict=True))
    table = result.to_frame().with_columns(
        pooled=pl.Series([p.difference for _, p in both]),
        pooled_low=pl.Series([p.interval[0] for _, p in both]),
        pooled_high=pl.Series([p.interval[1] for _, p in both]),
        claim=pl.Series(["shown" if d.significant else "likely" if p.significant else "open" for d, p in both]),
    )
    return table, [f"{p.measure}: {p.verdict} (pooled)" for d, p in both if p.significant and not d.significant]


def _show(
    result: Differences, said: list[str], json: bool, output: object, digits: int, pooled: Differences | None = None
) -> None:
    from dissensus.cli.output import emit

    table, likely = (result.to_frame(), []) if pooled is None else _likely(result, pooled)

    verdicts = [f"{d.measure}: {d.verdict}" for d in result.pairs]
    more = (
        [f"… {len(verdicts) - SHOWN:,} further verdicts (--output or --json shows all)"]
        if len(verdicts) > SHOWN
        else []
    )
    groups = [
        f"{measure}, cannot be told apart: " + " | ".join(", ".join(g) for g in found)
        for measure, found in result.groups.items()
    ]
    emit(
        table if output is not None or json else table.drop("verdict"),
        json=json,
        output=output,  # type: ignore[arg-type]
        title="Differences between systems",
        footer=[
            *verdicts[:SHOWN],
            *more,
            *likely[:SHOWN],
            *([f"… {len(likely) - SHOWN:,} further likely differences"] if len(likely) > SHOWN else []),
            *groups,
            *result.rank_lines(SHOWN),
            f"family: {result.family}",
            *result.notes,
            *said,
        ],
        facts={
            "groups": result.groups,
            "ranks": result.ranks().to_dicts(),
            "family": result.family,
            "verdicts": verdicts,
            "likely": likely,
        },
        digits=digits,
    )


def _draw(result: Differences, plot: Path) -> None:
    import polars as pl

    from dissensus.cli.correction_inputs import chart_file, draw
    from dissensus.report.charts.system_scores import difference_chart

    for name in result.groups:
        rows = [
            {
                "pair": f"{d.a} − {d.b}",
                "difference": d.difference,
                "low": d.interval[0],
                "high": d.interval[1],
                "verdict": "different" if d.significant else "cannot be told apart",
            }
            for d in result.pairs
            if d.measure == name
        ]
        draw(difference_chart(pl.DataFrame(rows), name), chart_file(plot, name, len(result.groups) > 1))


def _anova(runs: Runs, judgments: Judgments, measures: list[str], json: bool, output: object, digits: int) -> None:
    from dissensus.cli.output import emit
    from dissensus.inference.comparison.api import assessor_anova
    from dissensus.measures.evaluate import evaluate

    scores = evaluate(runs, judgments, measures)
    tables = {name: assessor_anova(scores, name).to_frame() for name in map(str, scores.data_vars)}
    emit(
        tables,
        json=json,
        output=output,  # type: ignore[arg-type]
        title="Analysis of variance of per-topic scores",
        footer=[
            "a large system*assessor row means that assessors disagree about which system is better"
            if len(judgments.assessors) > 1
            else "there is one assessor only: nothing is said about how assessors differ",
            str(scores.attrs.get("footer", "")),
        ],
        digits=digits,
    )
