"""`dissensus correct`: scores as the gold judge would have given them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import polars as pl

from dissensus.cli.build import option
from dissensus.cli.inputs import options as opt
from dissensus.cli.inputs.long_work import LongWork
from dissensus.cli.inputs.study_files import runs_and_judgments
from dissensus.cli.parts.score_table_output import only_scores, read_tables
from dissensus.cli.terminal.files import chart_file, draw
from dissensus.errors import InputError
from dissensus.inference.correction.api import correct
from dissensus.inference.correction.score_tables import correct_scores
from dissensus.judging.confusion.api import Confusion
from dissensus.reporting.charts.system_scores import score_chart, score_kinds
from dissensus.windows.files import for_paper

if TYPE_CHECKING:
    from dissensus.tables.audit import Audit

ConfusionOption = Annotated[
    list[str] | None,
    option(
        "--confusion",
        metavar="[SYSTEM=]FILE",
        help="The judge's confusion matrix from elsewhere (JSON); one per system as SYSTEM=FILE, repeated.",
    ),
]
PooledOption = Annotated[
    bool,
    option(
        "--pooled/--no-pooled",
        help="Show scores, too, that pool the judge's biases over all systems by a model.",
    ),
]


def command(
    files: opt.StudyFiles = opt.StudyFiles(),
    audit: opt.AuditOption = None,
    confusion: ConfusionOption = None,
    measures: opt.MeasuresOption = opt.TABLE_MEASURES,
    gains: opt.GainsOption = None,
    method: Annotated[
        Literal["auto", "confusion", "rectified"],
        option("--method"),
    ] = "auto",
    target: Annotated[
        Literal["population", "these_topics"],
        option("--target"),
    ] = "population",
    pooled: PooledOption = True,
    bootstrap: Annotated[
        bool, option("--bootstrap", help="Intervals by resampling topics and calibration together.")
    ] = False,
    negligible: opt.NegligibleOption = None,
    by: opt.ByOption = None,
    reading: opt.OneJudge = opt.OneJudge(),
    policies: opt.PolicyOptions = opt.PolicyOptions(),
    inference: opt.Inference = opt.Inference(),
    shown: opt.ChartOutput = opt.ChartOutput(),
    work: LongWork = LongWork(),
) -> None:
    """Correct scores for judge error with an expert audit or a confusion matrix.

    The conclusion and a recommendation come first. Then every system has its naive and corrected score with its
    interval, the method and why it was chosen. A doubt about a number is marked with "!", a fact about the judge with
    "*".

    Examples:
        dissensus correct runs/* --judgments llm.qrels --audit gold.csv -m P@10 -m nDCG@10
        dissensus correct runs/* --judgments crowd.csv --merge majority --audit gold.csv
        dissensus correct runs/* --judgments llm.qrels --confusion llm.json -m DCG@10
        dissensus correct A.run B.run --judgments llm.qrels --confusion A=a.json --confusion B=b.json -m P@10
        dissensus correct --score-table llm.csv --score-table people.csv --gold people
    """
    shown.check()
    measures = opt.measured(measures, gains, files.score_table)
    if files.score_table:
        only_scores(
            runs=files.runs, judgments=files.judgments, audit=audit, confusion=confusion, merge=reading.merge,
            bootstrap=bootstrap,
        )  # fmt: skip
        correct_tables(files.score_table, measures, files.gold, reading, target, inference.level, shown, negligible)
        return
    opt.refuse_gold(files.gold)
    runs, judgments = runs_and_judgments("correct", files.runs, files.judgments, "--score-table FILE and --gold NAME")
    known = read_knowledge(audit, confusion, reading)
    if known is None:
        raise InputError("nothing is known of the judge.", "Give --audit gold.csv, or --confusion matrix.json.")
    labels, said = reading.all_labels(judgments, inference.seed)
    systems = reading.runs(*runs)
    reading.refuse_unused()
    result = correct(
        systems, labels, known, measures, method, reading.assessor, target=target, pooled=pooled, by=by,
        interval="bootstrap" if bootstrap else "wald", negligible=negligible, **asdict(inference), **asdict(policies),
    )  # fmt: skip
    if shown.plot is not None:
        draw_corrected(result.table, shown.plot)
    result = replace(result, source=tuple(said))
    if for_paper(shown.output) and result.outcomes and not shown.json and not shown.all_rows:
        from dissensus.reporting.paper_tables import paper_outcomes

        shown.show(paper_outcomes(list(result.outcomes.values()), result.footer))
        return
    shown.show(result)


def correct_tables(
    paths: Sequence[str],
    measures: Sequence[str],
    gold: str | None,
    reading: opt.OneJudge,
    target: Literal["population", "these_topics"],
    level: float,
    shown: opt.ChartOutput,
    negligible: float | None = None,
) -> None:
    """Scores of a table as the gold judge would have given them."""
    if gold is None:
        raise InputError(
            "nothing is known of the judge behind the scores.", "Name the gold judge of the table with --gold NAME."
        )
    scores, wanted = read_tables(reading, paths, measures, opt.TABLE_MEASURES)
    result = correct_scores(
        scores, wanted, gold=gold, assessor=reading.assessor, target=target, level=level, missing=reading.missing
    )
    if shown.plot is not None:
        draw_corrected(result.table, shown.plot)
    shown.show(replace(result, negligible=negligible))


def draw_corrected(table: pl.DataFrame, plot: Path) -> None:
    """Draw a table with measure, system, naive, corrected, low and high, the highest corrected score first."""
    measures = table["measure"].unique(maintain_order=True).to_list()
    for name in measures:
        part = table.filter(pl.col("measure") == name)
        order = part.sort("corrected", "naive", descending=True, nulls_last=True)["system"].to_list()
        chart = score_chart(score_kinds(part, "naive", "corrected"), name, order=order)
        draw(chart, chart_file(plot, name, len(measures) > 1))


# ── what is known of the judge: for correct, compare and gate ──
def read_knowledge(
    audit: str | None, confusion: Sequence[str] | None, reading: opt.Reading
) -> Audit | Confusion | dict[str, Confusion] | None:
    """The audit, or the confusion matrix of all or of each system, or nothing."""
    if audit is not None and confusion:
        raise InputError(
            "--audit and --confusion cannot be combined.", "An audit of scored documents is the better one."
        )
    if audit is not None:
        return reading.audit(audit)
    return read_confusions(confusion) if confusion else None


def read_confusions(given: Sequence[str]) -> Confusion | dict[str, Confusion]:
    """One matrix from FILE, or one per system from SYSTEM=FILE; systems that name the same file share its matrix."""
    named = [(text, *_split(text)) for text in given]
    if len(named) == 1 and named[0][1] is None:
        return Confusion.read(named[0][2])
    files: dict[Path, Confusion] = {}
    out: dict[str, Confusion] = {}
    for text, system, file in named:
        if system is None:
            raise InputError(
                f"--confusion {text} names no system, but {len(named)} matrices were given.",
                "Say whose each one is: --confusion A=a.json --confusion B=b.json; or give one file for all systems.",
            )
        if system in out:
            raise InputError(f"--confusion gives {system} two matrices.", "Give each system one.")
        where = Path(file).resolve()
        if where not in files:
            files[where] = Confusion.read(file)
        out[system] = files[where]
    return out


def _split(text: str) -> tuple[str | None, str]:
    """(system, file); no system where there is no "=", or where the whole text is a file."""
    system, sign, file = text.partition("=")
    return (system, file) if sign and not Path(text).is_file() else (None, text)
