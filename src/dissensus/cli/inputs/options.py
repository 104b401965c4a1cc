"""Options that several commands share, so that every command words them the same way.

    from dissensus.cli.inputs import options as opt

    def command(runs: opt.RunsArgument, judgments: opt.JudgmentsOption, json: opt.JsonOption = False, …

Values that the library checks anyway (measure names, scales) come as text; the library's error is the user's error.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from dissensus.measures.policies import DEFAULT_MEASURE, DEFAULT_MEASURES, Empty, Ties, Topics, Unjudged

# ── what to read ──
RunsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="RUNS",
        help="Run files or quoted globs: TREC runs, CSV, TSV, JSONL, Parquet, also .gz and .zst.",
        show_default=False,
    ),
]
JudgmentsOption = Annotated[
    list[str],
    typer.Option(
        "--judgments",
        "-j",
        metavar="FILE",
        help="Judgments: CSV/TSV/JSONL/Parquet with topic, doc, assessor, grade; or one qrels file per assessor. "
        "Repeat for several files, or give a quoted glob.",
        show_default=False,
    ),
]
JudgmentsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="JUDGMENTS",
        help="Judgments: CSV/TSV/JSONL/Parquet with topic, doc, assessor, grade; or one qrels file per assessor.",
        show_default=False,
    ),
]
GoldOption = Annotated[
    str | None,
    typer.Option(
        "--gold",
        metavar="NAME",
        help="With --score-table: the judge whose scores on some of the topics correct those of the other.",
    ),
]
AuditOption = Annotated[
    str | None,
    typer.Option(
        "--audit",
        metavar="FILE",
        help="Gold judgments by experts; a column `inclusion` holds the probability with which each was chosen.",
    ),
]
ScaleOption = Annotated[
    str | None,
    typer.Option("--scale", metavar="GRADES", help='The grades, lowest first: "0..3" or "Non,Rel,HRel".'),
]
AssessorColumnOption = Annotated[
    bool, typer.Option("--assessor-column", help="In qrels files, column 2 names the assessor (qrels_jg).")
]
IntentColumnOption = Annotated[
    bool,
    typer.Option(
        "--intent-column", help="Column 2 of qrels (`intent` in tables) names the intent of the topic, for diversity."
    ),
]
DocumentsOption = Annotated[
    str | None,
    typer.Option("--documents", metavar="FILE", help="Texts of documents (doc, text), for measures that need lengths."),
]
TrecEvalOption = Annotated[
    bool,
    typer.Option(
        "--trec-eval",
        help="Names, numbers and output as trec_eval 10's: its default measures without -m, empty topics score 0.",
    ),
]
QueriesOption = Annotated[
    Path | None,
    typer.Option("--queries", metavar="FILE", help="The number of documents of each query, if rows have no qid."),
]
RepeatedOption = Annotated[
    Literal["error", "keep", "first", "last"],
    typer.Option("--repeated", help="What to do when one assessor judged a document more than once."),
]
SystemOption = Annotated[
    Literal["file", "tag"] | None,
    typer.Option("--system", help="Name systems after their file, or after the tag in the run."),
]
AssessorOption = Annotated[
    str | None, typer.Option("--assessor", "-a", metavar="NAME", help="The assessor whose labels are used.")
]


# ── what to compute ──
TABLE_MEASURES = list(DEFAULT_MEASURES)  # what a table shows when no measure is named
ONE_MEASURE = [DEFAULT_MEASURE]  # what a command about one measure takes


def _split(names: list[str] | None) -> list[str]:
    """`-m nDCG@10,AP` is two measures; a comma inside parentheses belongs to a name."""
    from dissensus.measures.catalog import split_names

    return [name for text in names or () for name in split_names(text)]


MeasuresOption = Annotated[
    list[str],
    typer.Option(
        "--measure",
        "-m",
        metavar="NAME",
        callback=_split,
        help='A measure, such as AP, nDCG@10, "RBP(p=0.8)"; repeatable, or several with commas.',
    ),
]
MaybeMeasuresOption = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="NAME",
        callback=_split,
        show_default=False,  # typer puts what it is told in parentheses
        help='A measure, such as AP, nDCG@10, "RBP(p=0.8)"; repeatable, or several with commas.  '
        f"[default: {', '.join(DEFAULT_MEASURES)}]",
    ),
]
MeasureOption = Annotated[
    str, typer.Option("--measure", "-m", metavar="NAME", help='A measure, such as AP, nDCG@10, "RBP(p=0.8)".')
]
TiesOption = Annotated[
    Ties,
    typer.Option("--ties", help="Tied scores: trec_eval's order by document id, or the mean over all orders."),
]
TopicsOption = Annotated[
    Topics,
    typer.Option(
        "--topics",
        help="Average over all judged topics (missing ones score 0), those every run has, or each run's own.",
    ),
]
UnjudgedOption = Annotated[
    Unjudged,
    typer.Option("--unjudged", help="Unjudged documents: count as nonrelevant, leave out, or give bounds."),
]
EmptyOption = Annotated[
    Empty,
    typer.Option("--empty", help="Topics without relevant documents: leave out of means, or score 0 as trec_eval."),
]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", help="One seed in, one result out.", min=0)]
UnusedSeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", help="Every command takes a seed; nothing is drawn here.", min=0)
]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", metavar="N", help="Processes to use; all cores without it.", min=1)
]

# ── what to show ──
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def output_file(help: str) -> Any:
    """`--output` of a command whose file is not, or not only, a table."""
    return typer.Option("--output", "-o", metavar="FILE", help=help)


OutputOption = Annotated[Path | None, output_file("Write to a file instead: .csv .tsv .parquet .json .tex .md")]
DigitsOption = Annotated[int, typer.Option("--digits", metavar="N", help="Decimals in tables.", min=0, max=15)]

# ── carry-over of a calibration ──
NewRunOption = Annotated[
    list[str] | None,
    typer.Option(
        "--new-run", metavar="FILE", help="A run that the calibration was not made with: does it hold? Repeatable."
    ),
]
ProbeOption = Annotated[
    str | None, typer.Option("--probe", metavar="FILE", help="Audited documents of the new runs (topic, doc, grade).")
]
MarginOption = Annotated[
    float, typer.Option("--margin", metavar="X", help="What a new run's calibrated score may be off by.")
]
