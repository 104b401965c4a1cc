"""What a user may say about the files: which column is which, what separates them, what to do about missing values.

Python functions take these as arguments; the command line sets them once for a command, and every file that the command
reads is read by them.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal

from dissensus.data.tables.columns import NAMES
from dissensus.errors import InputError, Option, Text

Missing = Literal["error", "skip"]


@dataclass(frozen=True)
class Choices:
    """`columns` names the column of a role, `map` gives an assessor's labels other grades, `threshold` cuts scores."""

    columns: Mapping[str, str] = field(default_factory=dict)
    separator: str | None = None
    missing: Missing = "error"
    map: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    threshold: tuple[float, ...] | None = None
    intent: bool = False  # judgments are about intents of topics, and say which

    def __post_init__(self) -> None:
        if self.missing not in ("error", "skip"):
            raise InputError(Text(Option("missing", self.missing), ' is neither "error" nor "skip".'))
        unknown = [role for role in self.columns if role not in NAMES]
        if unknown:
            raise InputError(
                Text(Option("columns", None), f" names the role {unknown[0]!r}, which is not a valid role."),
                f"Roles: {', '.join(NAMES)}.",
            )


#: what the running command was told; nothing in Python
CHOSEN: ContextVar[Choices | None] = ContextVar("how files are read", default=None)


def choices(
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
    missing: Missing | None = None,
    map: Mapping[str, Mapping[Any, Any]] | None = None,
    threshold: float | tuple[float, ...] | None = None,
) -> Choices:
    """The choices of a call, those of the running command where the call says nothing."""
    common = CHOSEN.get() or Choices()
    cuts = (threshold,) if isinstance(threshold, int | float) else threshold
    return Choices(
        common.columns if columns is None else {str(r): str(c) for r, c in columns.items()},
        common.separator if separator is None else separator,
        common.missing if missing is None else missing,
        common.map if map is None else {str(a): {str(k): str(v) for k, v in m.items()} for a, m in map.items()},
        common.threshold if cuts is None else tuple(sorted(float(c) for c in cuts)),
    )


def parse_columns(text: str) -> dict[str, str]:
    """Roles and columns from what is typed.

    >>> parse_columns("topic=qid,doc=docno")
    {'topic': 'qid', 'doc': 'docno'}
    """
    out: dict[str, str] = {}
    for part in text.split(","):
        role, sign, column = (piece.strip() for piece in part.partition("="))
        if not sign or not role or not column:
            raise InputError(f"{part.strip()!r} does not name a role and its column.", "Write topic=qid,doc=docno.")
        if role in out:
            raise InputError(f"the role {role!r} is named twice in {text!r}.", "Name each role once.")
        out[role] = column
    return out


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
