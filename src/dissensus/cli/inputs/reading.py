"""How the files of a command are read: options as bundles, each with the values that the readers take.

A command has one of these bundles as a parameter, and reads its files by it: `reading.runs(…)`, `reading.judgments(…)`,
`reading.audit(…)`, `reading.scores(…)`, and then `reading.refuse_unused()`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

from dissensus.cli.build import option
from dissensus.errors import InputError
from dissensus.io.audit_files import audit_from_file
from dissensus.io.options import PARTS, ReadOptions
from dissensus.io.reading import judgments_from_files, runs_from_files
from dissensus.io.score_files import scores_from_files

if TYPE_CHECKING:
    import xarray as xr

    from dissensus.io.options import ReadKeywords
    from dissensus.tables.audit import Audit
    from dissensus.tables.judgments import Judgments
    from dissensus.tables.runs import Runs

ScaleOption = Annotated[
    str | None,
    option("--scale", metavar="GRADES"),
]
AssessorColumnOption = Annotated[
    bool, option("--assessor-column", help="In qrels files, column 2 names the assessor (qrels_jg).")
]
RepeatedOption = Annotated[
    Literal["error", "keep", "first", "last"],
    option("--repeated"),
]
SystemOption = Annotated[
    Literal["file", "tag"] | None,
    option("--system", help="Name systems after their file, or after the tag in the run."),
]


@dataclass(frozen=True)
class TableReading:
    """How tables are read, whatever is in them."""

    columns: Annotated[
        str | None,
        option(
            metavar="ROLE=COLUMN,…",
            help="Which column is which, as in topic=qid,doc=docno, for the files that have it. judgments.grade=stars "
            "is for one input. Files without a header take numbers, as in doc=2,grade=3.",
        ),
    ] = None
    separator: Annotated[
        list[str] | None,
        option(
            metavar="CHARACTER",
            help="What separates the columns of a text table, or of one input, as in audit=tab. Repeatable.",
        ),
    ] = None

    @cached_property
    def options(self) -> ReadOptions:
        """How every input of the command is read; a column that none of them has is refused by `refuse_unused`."""
        return self._options()

    def _options(self) -> ReadOptions:
        return ReadOptions.of(**self._keywords())

    def _keywords(self) -> ReadKeywords:
        return {
            "columns": parse_columns(self.columns) if self.columns else None,
            "separator": parse_separators(self.separator or []),
        }

    def refuse_unused(self) -> None:
        """Refuse a column that was named and that no file has; every file was read."""
        self.options.refuse_unused()


@dataclass(frozen=True)
class FileReading(TableReading):
    """How runs, judgments, audits and tables of scores are read."""

    missing: Annotated[
        Literal["error", "skip"] | None,
        option(),
    ] = None
    map: Annotated[
        list[str] | None,
        option(metavar="NAME:1=2,2=3", help="Grades of an assessor on another scale. Repeatable."),
    ] = None
    threshold: Annotated[
        str | None,
        option(metavar="X,…"),
    ] = None

    def _keywords(self) -> ReadKeywords:
        cuts = parse_numbers(self.threshold) if self.threshold else None
        return {**super()._keywords(), "missing": self.missing, "map": parse_map(self.map or []), "threshold": cuts}

    def runs(self, *paths: str) -> Runs:
        """The runs of these files."""
        return runs_from_files(paths, self.options.runs)

    def judgments(self, paths: Sequence[str], **more: Any) -> Judgments:
        """The judgments of these files; `more` changes how these are read."""
        return judgments_from_files(paths, replace(self.options.judgments, **more))

    def audit(self, path: str | None, scale: Any = None) -> Audit | None:
        """The audit, where there is one; without a scale of its own, on the one of the option."""
        own = self.options.audit
        if scale is not None and scale.ordered:  # of labels without an order, experts may give others
            own = replace(own, scale=scale)
        return None if path is None else audit_from_file(path, own)

    def scores(self, paths: Sequence[str]) -> xr.Dataset:
        """The scores in these files."""
        return scores_from_files(paths, self.options.scores)


@dataclass(frozen=True)
class _Labels:
    scale: ScaleOption = None
    grade: Annotated[
        list[str] | None,
        option("--grade", metavar="NAME", help="Grades whose names hold commas, lowest first. Repeatable."),
    ] = None
    labels: Annotated[
        list[str] | None,
        option(
            "--label",
            metavar="COLUMN",
            help="A column of labels. Several make one label of each judgment, as in --label snippet --label page. "
            "Then --scale has one for each. Repeatable.",
        ),
    ] = None
    repeated: RepeatedOption = "error"
    assessor_column: AssessorColumnOption = False


@dataclass(frozen=True)
class Reading(FileReading, _Labels):
    """How files are read, and what labels are."""

    def _keywords(self) -> ReadKeywords:
        if self.grade and self.scale:
            raise InputError("--scale and --grade both declare the grades.", "Give one of the two.")
        scale = self.grade or self.scale
        return {**super()._keywords(), "scale": scale, "labels": self.labels or None, "repeated": self.repeated}

    def _options(self) -> ReadOptions:
        found = super()._options()
        who = "column" if self.assessor_column else None
        return replace(found, judgments=replace(found.judgments, assessor=who))


@dataclass(frozen=True)
class _System:
    system: SystemOption = None


@dataclass(frozen=True)
class RunReading(Reading, _System):
    """How files are read, and what systems are called."""

    def _options(self) -> ReadOptions:
        found = super()._options()
        return replace(found, runs=replace(found.runs, system=self.system))

    def with_intents(self, intents: bool) -> ReadOptions:
        """The options, for judgments that are about intents of topics or not."""
        return replace(self.options, judgments=replace(self.options.judgments, intent=intents))


# ── what is typed, as values ──
def parse_columns(text: str) -> dict[str, Any]:
    """Roles and columns from what is typed.

    >>> parse_columns("topic=qid,doc=docno,audit.grade=stars")
    {'topic': 'qid', 'doc': 'docno', 'audit': {'grade': 'stars'}}
    """
    out: dict[str, Any] = {}
    for part in text.split(","):
        role, sign, column = (piece.strip() for piece in part.partition("="))
        given, dot, inner = role.partition(".")
        if not sign or not role or not column or (dot and not inner):
            raise InputError(f"{part.strip()!r} does not name a role and its column.", "Write topic=qid,doc=docno.")
        names = out.setdefault(given, {}) if dot else out
        if (inner or given) in names:
            raise InputError(f"the role {role!r} is named twice in {text!r}.", "Name each role once.")
        names[inner or given] = column
    return out


def parse_separators(texts: Sequence[str]) -> str | dict[str, str] | None:
    """A separator for all inputs, or one for each role.

    >>> parse_separators(["audit=;", "judgments=tab"])
    {'audit': ';', 'judgments': '\\t'}
    """
    written = {"tab": "\t", "\\t": "\t"}
    out: dict[str, str] = {}
    for text in texts:
        role, sign, mark = text.partition("=")
        if not sign or not role:
            out.update(dict.fromkeys(PARTS, written.get(text, text)))
        elif role not in PARTS or not mark:
            raise InputError(f"--separator {text} names no input and its separator.", f"Inputs: {', '.join(PARTS)}.")
        else:
            out[role] = written.get(mark, mark)
    return out or None


def parse_map(texts: list[str]) -> dict[str, dict[str, str]]:
    """Grades of assessors on other scales from what is typed.

    >>> parse_map(["bin:1=2", "crowd:yes=3,no=0"])
    {'bin': {'1': '2'}, 'crowd': {'yes': '3', 'no': '0'}}
    """
    out: dict[str, dict[str, str]] = {}
    for text in texts:
        name, sign, pairs = text.rpartition(":")
        split = [pair.partition("=") for pair in pairs.split(",")]
        table = {label.strip(): grade.strip() for label, equals, grade in split if equals}
        if not sign or not name or len(table) < len(pairs.split(",")):
            raise InputError(f"{text!r} does not map an assessor's labels.", "Write NAME:1=2,2=3 (label=grade).")
        out.setdefault(name, {}).update(table)
    return out


def parse_numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(sorted(float(part) for part in text.split(",")))
    except ValueError:
        raise InputError(f"--threshold {text} is not a list of numbers.", "Write 0.5, or 0.3,0.6,0.9.") from None
