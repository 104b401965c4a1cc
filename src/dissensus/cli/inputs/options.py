"""Options that several commands share, so that every command words them the same way.

    from dissensus.cli.inputs import options as opt

    def command(runs: opt.RunsArgument, reading: opt.Reading = opt.Reading(), seed: opt.SeedOption = 0, …

Single options first, then bundles: options that commands have together, as one parameter (`commands.expanded`); what
they are for is a method of the bundle. Values that the library checks anyway (measure names, scales) come as text; the
library's error is the user's error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from dissensus.cli.build import argument, option
from dissensus.cli.inputs.reading import FileReading as FileReading
from dissensus.cli.inputs.reading import Reading as Reading
from dissensus.cli.inputs.reading import RunReading as RunReading
from dissensus.cli.inputs.reading import ScaleOption as ScaleOption
from dissensus.cli.inputs.reading import TableReading as TableReading
from dissensus.cli.terminal.files import check_plot
from dissensus.cli.terminal.output import show
from dissensus.errors import InputError
from dissensus.measures.catalog import split_names
from dissensus.measures.policies import DEFAULT_MEASURE, DEFAULT_MEASURES, Empty, Policies, Ties, Topics, Unjudged
from dissensus.measures.worth import with_gains
from dissensus.results import Result
from dissensus.windows.files import check_output
from dissensus.windows.words import DIGITS
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.tables.audit import Audit
    from dissensus.tables.judgments import Judgments
    from dissensus.tables.scale import Scale


# ── what to read ──
DimensionOption = Annotated[
    str | None,
    option("--dimension", metavar="NAME", help="Preferences: which question, where a column dimension holds several."),
]
RunsArgument = Annotated[
    list[str],
    argument(metavar="RUNS", help="Run files or quoted globs: TREC runs, CSV, TSV, JSONL, Parquet, also .gz and .zst."),
]
_JUDGMENTS = "Judgments: CSV/TSV/JSONL/Parquet with topic, doc, assessor, grade; or one qrels file per assessor."
_SEVERAL = " Repeat for several files, or give a quoted glob."
JudgmentsOption = Annotated[
    list[str],
    option("--judgments", "-j", metavar="FILE", help=_JUDGMENTS + _SEVERAL, show_default=False),
]
JudgmentsArgument = Annotated[list[str], argument(metavar="JUDGMENTS", help=_JUDGMENTS, also=("--judgments", "-j"))]
GoldOption = Annotated[
    str | None,
    option(
        "--gold",
        metavar="NAME",
        help="With --score-table: the judge whose scores on some of the topics correct those of the other.",
    ),
]


def refuse_gold(gold: str | None) -> None:
    """Refuse --gold where there is no table of scores."""
    if gold is not None:
        raise InputError("--gold names a judge of a table of scores.", "Give --score-table FILE, or --audit FILE.")


AuditOption = Annotated[
    str | None,
    option(
        "--audit",
        metavar="FILE",
        help="Gold judgments by experts; a column `inclusion` holds the probability with which each was chosen.",
    ),
]
TruthOption = Annotated[
    str | None, option("--truth", metavar="FILE", help="Complete gold judgments, to be shown beside the rest.")
]
QueriesOption = Annotated[
    Path | None,
    option("--queries", metavar="FILE", help="The number of documents of each query, if rows have no qid."),
]
AssessorOption = Annotated[
    str | None, option("--assessor", "-a", metavar="NAME", help="The assessor whose labels are used.")
]


# ── what to compute ──
Negative = Literal["unjudged", "label"]
NegativeOption = Annotated[Negative, option("--negative", help="Grades below zero: unjudged, or labels of their own.")]
NegligibleOption = Annotated[
    float | None,
    option(
        "--negligible",
        metavar="X",
        help="A loss that does not matter, for the recommendation. It is 0.02 where scores lie between 0 and 1.",
    ),
]
ByOption = Annotated[
    str | None,
    option("--by", metavar="FILE", help="Groups of topics (topic,class): does the order differ between them?"),
]
DifferenceOption = Annotated[
    float | None, option("--difference", metavar="X", help="A difference that would matter to you.")
]
TABLE_MEASURES = list(DEFAULT_MEASURES)  # what a table shows when no measure is named
ONE_MEASURE = [DEFAULT_MEASURE]  # what a command about one measure takes


def _split(names: list[str] | None) -> list[str]:
    """`-m nDCG@10,AP` is two measures; a comma inside parentheses belongs to a name."""
    return [name for text in names or () for name in split_names(text)]


def _several(**settings: Any) -> Any:
    text = 'A measure, such as AP, nDCG@10, "RBP(p=0.8)"; repeatable, or several with commas.'
    return option("--measures", "-m", metavar="NAME", split=_split, help=text, **settings)


MeasuresOption = Annotated[list[str], _several()]
MaybeMeasuresOption = Annotated[
    list[str] | None,
    _several(show_default=", ".join(DEFAULT_MEASURES)),
]
GainsOption = Annotated[
    str | None,
    option("--gains", metavar="FILE", help="Gains per grade (weights.json) for nDCG, GAP and kin."),
]
TiesOption = Annotated[
    Ties,
    option("--ties"),
]
TopicsOption = Annotated[
    Topics,
    option(
        "--topics",
    ),
]
UnjudgedOption = Annotated[
    Unjudged,
    option("--unjudged"),
]
EmptyOption = Annotated[
    Empty,
    option("--empty"),
]
SeedOption = Annotated[int, option("--seed", metavar="N", help="One seed in, one result out.", min=0)]
UnusedSeedOption = Annotated[
    int, option("--seed", metavar="N", help="Every command takes a seed; nothing is drawn here.", min=0)
]


def measured(measures: Sequence[str], gains: str | None, score_table: Sequence[str] | None = None) -> list[str]:
    """The measures, with the gains of a file where one is named."""
    if gains is None:
        return list(measures)
    if score_table:
        raise InputError("--gains has no effect here: --score-table brings the scores.", "Leave --gains out.")
    return [str(m) for m in with_gains(measures, gains)]


# ── what to show ──
JsonOption = Annotated[bool, option("--json", help="Print JSON instead of a table.")]


def output_file(help: str) -> object:
    """`--output` of a command whose file is not, or not only, a table."""
    return option("--output", "-o", metavar="FILE", help=help)


OutputOption = Annotated[Path | None, output_file("Write to a file instead: .csv .tsv .parquet .json .tex .md")]
DigitsOption = Annotated[int, option("--digits", metavar="N", help="Decimals in tables.", min=0, max=15)]


# ── bundles ──
@dataclass(frozen=True)
class StudyFiles:
    """Runs and judgments, or tables of scores instead."""

    runs: Annotated[
        list[str] | None,
        argument(metavar="RUNS", help="Run files or quoted globs, as in evaluate."),
    ] = None
    judgments: Annotated[
        list[str] | None,
        option("--judgments", "-j", metavar="FILE", help="Judgments; repeatable.", show_default=False),
    ] = None
    score_table: Annotated[
        list[str] | None,
        option("--score-table", metavar="FILE", help="Per-topic scores, instead of runs and judgments; repeatable."),
    ] = None
    gold: GoldOption = None


@dataclass(frozen=True)
class _Assessor:
    assessor: AssessorOption = None


@dataclass(frozen=True)
class AssessorReading(RunReading, _Assessor):
    """How files are read, and whose labels are used: the options of `RunReading` come after the assessor."""


@dataclass(frozen=True)
class _Merge:
    merge: Annotated[
        Literal["majority", "em-mv", "em-neu"] | None,
        option("--merge", help="Merge several assessors first: by majority vote or by EM."),
    ] = None


@dataclass(frozen=True)
class OneJudge(AssessorReading, _Merge):
    """How files are read, and how the labels of one judge come of them: one assessor's, or all merged."""

    def of_one_judge(self, paths: Sequence[str], seed: int) -> tuple[Judgments, list[str]]:
        """(labels of one judge, what was done to get them): the assessor named, or all of them merged."""
        found, said = self.all_labels(paths, seed)
        return (found if self.assessor is None else found.select(assessors=[self.assessor])), said

    def all_labels(self, paths: Sequence[str], seed: int) -> tuple[Judgments, list[str]]:
        """The same with the labels of the other assessors, too, where one is named."""
        found = self.judgments(paths)
        if self.merge is None:
            return found, []
        if self.assessor is not None:
            raise InputError("--merge and --assessor cannot be combined.", "Merge all assessors, or name one of them.")
        from dissensus.judging.merging.api import merge

        merged = merge(found, method=self.merge, seed=seed)
        said = f"bronze labels: {counted(len(found.assessors), 'assessor')} merged by {self.merge}"
        return merged.judgments, [said, *merged.remarks]


@dataclass(frozen=True)
class CarryOverOptions:
    """New runs to which a calibration is to be carried over, and an audit of them."""

    new_run: Annotated[
        list[str] | None,
        option(
            "--new-run", metavar="FILE", help="A run that the calibration was not made with: does it hold? Repeatable."
        ),
    ] = None
    probe: Annotated[
        str | None,
        option("--probe", metavar="FILE", help="Audited documents of the new runs (topic, doc, grade)."),
    ] = None
    margin: Annotated[
        float, option("--margin", metavar="X", help="What a new run's calibrated score may be off by.")
    ] = 0.02

    def audit(self, reading: FileReading, scale: Scale) -> Audit | None:
        """The audited documents of the new runs, where there are any."""
        return reading.audit(self.probe, scale)


@dataclass(frozen=True)
class PolicyOptions:
    """The four policies."""

    topics: TopicsOption = Policies.topics
    unjudged: UnjudgedOption = Policies.unjudged
    ties: TiesOption = Policies.ties
    empty: EmptyOption = Policies.empty

    def chosen(self) -> Policies:
        """The policies, checked."""
        return Policies(self.topics, self.unjudged, self.ties, self.empty)


@dataclass(frozen=True)
class _Ties:
    ties: TiesOption = Policies.ties


@dataclass(frozen=True)
class TiesFirst(PolicyOptions, _Ties):
    """The four policies as `compare`, `gate`, `report` and `figures` list them."""


@dataclass(frozen=True)
class Inference:
    """How sure to be, and the seed of what is drawn on the way."""

    level: Annotated[float, option("--level", metavar="P")] = 0.95
    seed: SeedOption = 0


@dataclass(frozen=True)
class Saved:
    """Where tables go: to the terminal, as JSON, or to a file."""

    json: JsonOption = False
    output: OutputOption = None
    all_rows: Annotated[bool, option("--all", help="Print every table, row and note, however many.")] = False
    explain: Annotated[bool, option("--explain", help="Print every note, and what the columns mean.")] = False

    def check(self, plot: Path | None = None, flag: str = "--plot") -> None:
        """Refuse an output file, or a chart, that cannot be written, before the work is done."""
        if self.output is not None or plot is not None:
            check_output(self.output)
            check_plot(plot, flag)

    @property
    def on_terminal(self) -> bool:
        """Does a person read it, rather than a program? Then long tables are cut and what is empty is left out."""
        return not self.json and self.output is None

    def show(self, result: Result, digits: int = DIGITS) -> None:
        """Print or write a result."""
        show(
            result, json=self.json, output=self.output, whole=self.all_rows, explain=self.explain, digits=digits
        )  # fmt: skip


@dataclass(frozen=True)
class _Digits:
    digits: DigitsOption = 4


@dataclass(frozen=True)
class Output(Saved, _Digits):
    """Where tables go, and with how many decimals."""

    def show(self, result: Result, digits: int | None = None) -> None:
        """Print or write a result with so many decimals."""
        super().show(result, self.digits if digits is None else digits)


@dataclass(frozen=True)
class _Plot:
    plot: Annotated[Path | None, option("--plot", metavar="FILE", help="Draw it: .svg .png .pdf .html")] = None


@dataclass(frozen=True)
class ChartOutput(Output, _Plot):
    """Where a chart and tables go."""

    def check(self, plot: Path | None = None, flag: str = "--plot") -> None:
        """Refuse files that cannot be written, before the work is done."""
        super().check(plot or self.plot, flag)
