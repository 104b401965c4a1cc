"""What a user may say about the files: whose each is, which column is which, what to do about missing values.

A file is its namesake's (`bm25.run` is of the system bm25), or of whom the user says: NAME=FILE. Two files of one name
are an error.

Python functions take these as arguments; the command line sets them once for a command, and every file that the command
reads is read by them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from dissensus.data.readers.files import PathLike, find_files, stem
from dissensus.data.tables.columns import NAMES
from dissensus.errors import FileError, InputError, Option, Text

Given = PathLike | Iterable[PathLike] | Mapping[str, PathLike]


def named_files(given: Iterable[Any], reader: str) -> list[tuple[Path, str | None]]:
    """(file, name or None) of paths, globs, "NAME=FILE" and {name: file}, in the order of the files' names."""
    plain: list[Any] = []
    named: list[tuple[str, PathLike]] = []
    for one in given:
        if isinstance(one, Mapping):
            named += [(str(name), path) for name, path in one.items()]
        elif isinstance(one, str | os.PathLike) or not isinstance(one, Iterable):
            _sort(one, plain, named)
        else:
            for inner in one:
                _sort(inner, plain, named)
    found: list[tuple[Path, str | None]] = (
        [(path, None) for path in find_files(plain, reader)] if plain or not named else []
    )
    for name, path in named:
        files = find_files([path], reader)
        if len(files) > 1:
            raise FileError(f"{name}={path} names {len(files):,} files.", "One name belongs to one file.")
        found.append((files[0], name))
    return sorted(found, key=lambda pair: str(pair[0]))


def _sort(one: Any, plain: list[Any], named: list[tuple[str, PathLike]]) -> None:
    if isinstance(one, str) and "=" in one and not Path(one).exists():
        name, sign, path = one.partition("=")
        if sign and name and path and not set(name) & set("/\\*?["):
            named.append((name, path))
            return
    plain.append(one)


def assessor_of(path: Path, name: str | None, assessor: str | None) -> str:
    """The one assessor of a file: as the file is named by the user, as `assessor=` says, else as the file is called."""
    return name or (stem(path, qrels=True) if assessor in (None, "file", "column") else str(assessor))


def refuse_namesakes(files: Iterable[tuple[Path, str | None]], what: str, *ways_out: str, qrels: bool = False) -> None:
    """Refuse two files whose system or assessor would have one name."""
    seen: dict[str, Path] = {}
    for path, name in files:
        own = stem(path, qrels=qrels) if name is None else name
        other = seen.setdefault(own, path)
        if other is not path:
            folders = other.parent.name, path.parent.name
            first, second = folders if all(folders) and folders[0] != folders[1] else ("A", "B")
            raise FileError(
                f"{other} and {path} are both called {own!r}, and {what} is named after its file.",
                f"Name them: {first}={other} {second}={path}",
                *ways_out,
            )


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
