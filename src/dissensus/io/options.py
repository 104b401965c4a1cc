"""How inputs are read: which column is which, what separates them, what a label is. One explicit value, `ReadOptions`.

Every verb that takes paths, frames or dicts takes the same keywords (`ReadKeywords`), makes `ReadOptions` of them, and
hands each input the options of its role:

    >>> options = ReadOptions.of(columns={"topic": "qid", "audit": {"grade": "stars"}}, missing="skip")
    >>> options.runs.columns, options.judgments.columns, options.audit.columns
    ({'topic': 'qid'}, {'topic': 'qid'}, {'topic': 'qid', 'grade': 'stars'})

A column that is named without a role applies to the inputs that have it: labels may call the grade `stars` while runs
have no such column. A name that none of the inputs has is an error, once all of them are read (`refuse_unused`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypedDict, TypeVar, get_type_hints

from dissensus.aliases import described
from dissensus.errors import FileError, Fix, InputError, Option, Text
from dissensus.tables.columns import NAMES
from dissensus.tables.grades import ScaleLike
from dissensus.tables.judgment_table import Repeated

if TYPE_CHECKING:
    from dissensus.arrays import Values

Missing = Literal["error", "skip"]
Role = Literal["runs", "judgments", "audit", "scores", "documents", "preferences", "clicks"]
Columns = Mapping[str, object]  # {part: column}, or {input: {part: column}} for one input
_Value = TypeVar("_Value")
P = ParamSpec("P")
R = TypeVar("R")

#: the parts of a table of each role: those that must be there, and the others
PARTS: dict[Role, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "runs": (("topic", "doc", "score"), ("system", "rank")),
    "judgments": (("doc", "grade"), ("topic", "assessor", "intent")),
    "audit": (("topic", "doc", "grade"), ("assessor", "inclusion", "covers")),
    "scores": (("topic",), ("system", "measure", "value", "assessor")),
    "documents": (("doc",), ("topic", "text", "title", "url")),
    "preferences": (("topic", "doc_a", "doc_b", "answer"), ("assessor", "order", "dimension")),
    "clicks": (("session", "rank"), ("query", "time")),
}
UNNAMED = "scores"  # the assessor of a table of scores that names none
KNOWN = tuple(dict.fromkeys((*NAMES, "text", "title", "url", *PARTS["preferences"][0], *PARTS["preferences"][1])))


class TableKeywords(TypedDict, total=False):
    """How a table is read.

    columns: which column is which, {"topic": "qid"}; a name applies to the inputs that have that column,
        {"judgments": {"grade": "stars"}} to one input. In a table without a header, columns are numbers from 1.
    separator: what separates the columns of a text table.
    """

    columns: Columns | None
    separator: str | Mapping[str, str] | None


class RowKeywords(TableKeywords, total=False):
    """How preferences are read.

    missing: rows without an answer are an "error", or "skip" leaves them out and says how many.
    """

    missing: Missing | None


class LabelKeywords(TableKeywords, total=False):
    """How judgments and audits are read.

    map: other grades for labels of an assessor, {"bin": {1: 2}}.
    threshold: the value, or values, at which a judge's scores are cut into grades.
    scale: the grades, lowest first.
    labels: the columns that a label is put together from, ["snippet", "page"]; then `scale` has one for each.
    repeated: what happens where one assessor judged a document twice: "error", "keep", "first" or "last".
    """

    map: Mapping[str, Mapping[Any, Any]] | None
    threshold: float | Sequence[float] | None
    scale: ScaleLike
    labels: str | Sequence[str] | None
    repeated: Repeated


class ReadKeywords(LabelKeywords, total=False):
    """How runs, judgments and audits are read.

    missing: rows without a grade or score are an "error", or "skip" leaves them out and says how many. With a declared
    scale it leaves out labels that are no grade of it, too.
    """

    missing: Missing | None


def spelled_out(verb: Callable[P, R]) -> Callable[P, R]:
    """The verb; in `help()`, every keyword of its `**reading` stands by itself."""
    signature = inspect.signature(verb)
    reading = next(p for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD)
    kept = [p for p in signature.parameters.values() if p is not reading]
    keywords = next(
        k for k in (TableKeywords, RowKeywords, LabelKeywords, ReadKeywords) if k.__name__ in str(reading.annotation)
    )
    default = {"repeated": "error"}
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default.get(name), annotation=str(kind))
        for name, kind in get_type_hints(keywords).items()
    ]
    verb.__signature__ = signature.replace(parameters=[*kept, *added])  # type: ignore[attr-defined]
    return described(verb)


@dataclass
class Seen:
    """Which named columns some input had, the tables that were looked at, and everybody who judged."""

    used: set[tuple[str, str]] = field(default_factory=set)
    tables: list[tuple[str, Role, tuple[str, ...]]] = field(default_factory=list)
    assessors: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class RoleOptions:
    """How the inputs of one role are read."""

    role: Role
    columns: Mapping[str, str] = field(default_factory=dict)
    separator: str | None = None
    missing: Missing = "error"
    map: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    threshold: tuple[float, ...] | None = None
    scale: ScaleLike = None
    labels: tuple[str, ...] = ()  # the columns that a label is put together from, where there are several
    repeated: Repeated = "error"
    assessor: str | None = None  # "file", "column", or the name of the one assessor
    intent: bool = False  # judgments are about intents of topics, and say which
    system: Literal["file", "tag"] | None = None
    seen: Seen = field(default_factory=Seen, compare=False, repr=False)

    @property
    def numbered(self) -> bool:
        """Are columns counted, because the table has no header?"""
        return bool(self.columns) and all(c.isdigit() for c in self.columns.values())

    def named_in(self, columns: Sequence[str], source: str) -> dict[str, str]:
        """The columns named by the user that a table has, by what they are."""
        here = {part: name for part, name in self.columns.items() if name in columns}
        self.seen.used.update(here.items())
        self.seen.tables.append((source, self.role, tuple(columns)))
        return here

    def refuse_unused(self) -> None:
        """Refuse a column that was named and that none of the inputs has."""
        refuse_unused(self)


def refuse_unused(*roles: RoleOptions) -> None:
    """Refuse a column or an assessor that was named for some of these roles and that none of the inputs has."""
    for role in roles:
        stranger = next((name for name in role.map if name not in role.seen.assessors), None)
        if stranger is not None:
            there = ", ".join(sorted(role.seen.assessors)[:10]) or "none"
            what = f" names the assessor {stranger!r}; there are {there}."
            raise InputError(Text(Option("map", None), what), "Name assessors as the files do.")
        for part, name in role.columns.items():
            if (part, name) in role.seen.used:
                continue
            tables = role.seen.tables
            has_part = [t for t in tables if part in (*PARTS[t[1]][0], *PARTS[t[1]][1])] or tables
            if has_part:
                raise no_such_column(has_part[0][0], name, part, has_part[0][2])
            what = f" names the column {name!r} for the {part}, and no table was read in which it could be."
            raise InputError(Text(Option("columns", None), what), "Files in TREC format have no names of columns.")


def no_such_column(source: str, name: str, part: str, columns: Sequence[str]) -> FileError:
    """The error for a column that the user named and a table does not have."""
    return FileError(
        f"{source} has no column {name!r} for the {part}. Its columns are {', '.join(map(repr, columns))}.",
        Fix("Name columns of the file in ", Option("columns"), ", as in topic=qid,doc=docno."),
    )


@dataclass(frozen=True)
class ReadOptions:
    """How every input of a verb is read, by its role."""

    runs: RoleOptions = field(default_factory=lambda: RoleOptions("runs"))
    judgments: RoleOptions = field(default_factory=lambda: RoleOptions("judgments"))
    audit: RoleOptions = field(default_factory=lambda: RoleOptions("audit"))
    scores: RoleOptions = field(default_factory=lambda: RoleOptions("scores"))
    documents: RoleOptions = field(default_factory=lambda: RoleOptions("documents"))
    preferences: RoleOptions = field(default_factory=lambda: RoleOptions("preferences"))
    clicks: RoleOptions = field(default_factory=lambda: RoleOptions("clicks"))
    given: frozenset[str] = frozenset()  # the keywords that say something

    @classmethod
    def of(
        cls,
        *,
        columns: Columns | None = None,
        separator: str | Mapping[str, str] | None = None,
        missing: Missing | None = None,
        map: Mapping[str, Mapping[Any, object]] | None = None,
        threshold: float | Sequence[float] | None = None,
        scale: ScaleLike = None,
        labels: str | Sequence[str] | None = None,
        repeated: Repeated = "error",
    ) -> ReadOptions:
        """The options that keywords say, checked."""
        several = _label_columns(labels, map, threshold)
        said = {"columns": columns, "separator": separator, "missing": missing, "map": map, "threshold": threshold,
                "scale": scale, "labels": labels, "repeated": None if repeated == "error" else repeated}  # fmt: skip
        if missing not in (None, "error", "skip"):
            raise InputError(Text(Option("missing", missing), ' is neither "error" nor "skip".'))
        about: Values = {
            "map": {str(a): {str(k): str(v) for k, v in m.items()} for a, m in (map or {}).items()},
            "threshold": _cuts(threshold), "scale": scale, "labels": several, "repeated": repeated,
        }  # fmt: skip
        seen = Seen()
        roles: Values = {
            role: RoleOptions(role, _columns(columns or {}, role), _one(separator, role), missing or "error", seen=seen)
            for role in PARTS
        }
        roles["judgments"] = replace(roles["judgments"], **about)
        by_assessor = isinstance(scale, Mapping) and not all(isinstance(g, int) for g in scale.values())
        roles["audit"] = replace(roles["audit"], scale=None if by_assessor and not several else scale, labels=several)
        if labels is not None and not several:
            one = {"grade": labels if isinstance(labels, str) else labels[0]}
            for role in ("judgments", "audit"):
                roles[role] = replace(roles[role], columns={**roles[role].columns, **one})
        return cls(**roles, given=frozenset(name for name, value in said.items() if value is not None))

    def refuse_unused(self) -> None:
        """Refuse a column that was named and that none of the inputs has."""
        refuse_unused(self.judgments, *(getattr(self, role) for role in PARTS if role != "judgments"))


def _label_columns(labels: str | Sequence[str] | None, map: object, threshold: object) -> tuple[str, ...]:
    """The columns that a label is put together from; none where one column holds it."""
    if labels is None or isinstance(labels, str):
        return ()
    names = tuple(str(name) for name in labels)
    twice = next((n for n in names if names.count(n) > 1), None)
    if not names or twice is not None:
        raise InputError(
            Text(Option("labels", None), " names no column." if twice is None else f" names {twice!r} twice."),
            Fix("Name each column of labels once: ", Option("labels", None), ".", reader="python"),
            Fix("Name each column of labels once with --label.", reader="command"),
        )
    for name, value in (("map", map), ("threshold", threshold)):
        if value and len(names) > 1:
            raise InputError(
                Text(Option(name, None), " changes grades, and a label of several columns is none."),
                "Change the columns in the file.",
            )
    return names if len(names) > 1 else ()


def _columns(given: Columns, role: Role) -> dict[str, str]:
    """The columns named for one role: for all roles, then for this one; numbers only where they are of such a table."""
    common = {str(part): str(name) for part, name in given.items() if not isinstance(name, Mapping)}
    own = given.get(role)
    unknown = [i for i, name in given.items() if isinstance(name, Mapping) and i not in PARTS]
    if unknown:
        raise InputError(
            Text(Option("columns", None), f" names columns of {unknown[0]!r}, which is no input."),
            f"Inputs: {', '.join(PARTS)}.",
        )
    mine = {str(part): str(name) for part, name in own.items()} if isinstance(own, Mapping) else {}
    wrong = next((part for part in (*common, *mine) if part not in KNOWN), None)
    if wrong is not None:
        raise InputError(
            Text(Option("columns", None), f" names the role {wrong!r}, which is not a valid role."),
            f"Roles: {', '.join(NAMES)}.",
        )
    needed = PARTS[role][0]
    counted = bool(common) and all(name.isdigit() for name in common.values())
    return {**({} if counted and not set(needed) <= set(common) else common), **mine}


def _one(given: _Value | Mapping[str, _Value] | None, role: Role) -> _Value | None:
    """What holds for one role."""
    return given.get(role) if isinstance(given, Mapping) else given


def _cuts(threshold: float | Sequence[float] | None) -> tuple[float, ...] | None:
    if threshold is None:
        return None
    cuts = [threshold] if isinstance(threshold, int | float) else threshold
    return tuple(sorted(float(c) for c in cuts))
