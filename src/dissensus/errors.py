"""What can go wrong, by name; and sentences that keep the values they were made from.

Every error says what was wrong (file, line, value, rule) in its first line and how to fix it in the lines below:

    JudgmentError: crowd.qrels:14 and :92 give topic 301, document FT-7, assessor A2 the grades 0 and 2.
      Keep one with repeated="first" or repeated="last", or both as repeats with repeated="keep".

An option of ours inside a sentence is a value, `Option("repeated", "first")`: Python readers see `repeated="first"`; on
the command line it becomes the flag of the running command, `--repeated first`. A fix for one side only says so with
`reader="python"` or `reader="command"`. Nothing ever parses a finished sentence.

Warnings are statistical or numerical facts the caller should know and may live with; each has its own class so that
it can be filtered or turned into an error by name.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from dissensus.wording import NOTES

if TYPE_CHECKING:
    from dissensus.arrays import Values

Reader = Literal["both", "python", "command"]


@dataclass(frozen=True)
class Option:
    """An option by the name of its Python argument; `...` stands for a value that the reader fills in.

    >>> print(Option("repeated", "first"), Option("assessor"), Option("ranks", 5), Option("scale", None))
    repeated="first" assessor=… ranks=5 scale=
    """

    name: str
    value: object = ...

    def __str__(self) -> str:
        if self.value is ...:
            return f"{self.name}=…"
        if self.value is None:
            return f"{self.name}="
        return f'{self.name}="{self.value}"' if isinstance(self.value, str) else f"{self.name}={self.value!r}"


class Text(str):
    """A sentence that keeps its parts: plain text, and options of ours as values.

    >>> text = Text("Use ", Option("test", "welch"), ".")
    >>> text
    'Use test="welch".'
    >>> text.parts
    ('Use ', Option(name='test', value='welch'), '.')
    """

    parts: tuple[str | Option, ...]

    def __new__(cls, *parts: str | Option) -> Text:
        text = super().__new__(cls, "".join(map(str, parts)))
        text.parts = tuple(piece for part in parts for piece in (part.parts if isinstance(part, Text) else (part,)))
        return text

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.parts

    @property
    def options(self) -> tuple[Option, ...]:
        """The options that the sentence names."""
        return tuple(part for part in self.parts if isinstance(part, Option))


class Fix(Text):
    """One way to fix what went wrong; `reader` says who can take it."""

    reader: Reader

    def __new__(cls, *parts: str | Option, reader: Reader = "both") -> Fix:
        fix = super().__new__(cls, *parts)
        assert isinstance(fix, Fix)
        fix.reader = reader
        return fix

    @classmethod
    def of(cls, text: str) -> Fix:
        """Any sentence as a fix for both sides; a fix stays what it is."""
        return text if isinstance(text, Fix) else cls(text)


class Note(Text):
    """A remark in a result that code may look at: its kind and its values; the words are in `dissensus.wording`.

    >>> note = Note("matrix.no-counts")
    >>> note.kind, note.values
    ('matrix.no-counts', {})
    """

    kind: str
    values: Values

    def __new__(cls, kind: str, **values: object) -> Note:
        note = super().__new__(cls, NOTES[kind].format(**values))
        assert isinstance(note, Note)
        note.kind, note.values = kind, values
        return note

    def __getnewargs_ex__(self) -> tuple[tuple[str], Values]:
        return (self.kind,), self.values


def fixes_for(reader: Literal["python", "command"], fixes: Iterable[str]) -> list[Fix]:
    """The fixes that one side can take.

    >>> both = [Fix("Name one."), Fix("Use ds.merge.", reader="python"), Fix("Use --merge.", reader="command")]
    >>> fixes_for("python", both)
    ['Name one.', 'Use ds.merge.']
    """
    return [fix for fix in map(Fix.of, fixes) if fix.reader in ("both", reader)]


_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""A text with control, escape and direction characters shown instead of obeyed.

    >>> print(visible("a\x1b[31mb"))
    a\x1b[31mb
    """
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


def asked_from(error: BaseException) -> list[str]:
    """The last line of a user's own code on the way to an error, and how to see the whole way."""
    ours = str(Path(__file__).parent)
    way = traceback.extract_tb(error.__traceback__)
    depth = next((i for i, frame in enumerate(way) if frame.filename.startswith(ours)), len(way))
    line = (way[depth - 1].line or "").strip() if depth else ""
    return ["", f"  in line {way[depth - 1].lineno}: {line}", "  (%debug goes to where it was raised)"] if line else []


class DissensusError(Exception):
    """Base of all errors raised on purpose. `DissensusError(what, fix, …)`; fixes are printed indented."""

    def __init__(self, what: str, *fixes: str) -> None:
        super().__init__(what, *fixes)
        self.what = what
        self.fixes = tuple(map(Fix.of, fixes))

    def __str__(self) -> str:
        return visible("\n  ".join((self.what, *fixes_for("python", self.fixes))))

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the sentence first, then the line of the cell, and nothing of what is inside."""
        return [f"{type(self).__name__}: {self}", *asked_from(self)]


class InputError(DissensusError, ValueError):
    """An argument or a file breaks a rule."""


class UnknownName(DissensusError, AttributeError):
    """A public name that does not exist; the message says which one is most like it."""

    def __init__(self, what: str, *fixes: str, name: str) -> None:
        super().__init__(what, *fixes)
        self.name = name


class UnknownParameter(DissensusError, TypeError):
    """A keyword that a verb does not take; the message says which one is most like it."""


class FileError(InputError):
    """A file is missing, a directory, empty, truncated, of a wrong encoding, or lacks a column."""


class RunError(InputError):
    """A ranking breaks a rule: a document twice, a score that is not a finite number."""


class JudgmentError(InputError):
    """Judgments break a rule: two grades from one assessor, a value that is not a grade."""


class ScaleError(JudgmentError):
    """A grade outside the scale, or judges on different scales."""


class MeasureError(InputError):
    """A measure's name cannot be read, a parameter is out of range, or the measure does not fit the data."""


class UnknownMeasure(InputError, KeyError):
    """A measure that scores do not hold."""


class ConfusionError(InputError):
    """A confusion matrix is not one, or cannot do what is asked of it (singular, wrong scale)."""


class WorkError(DissensusError, RuntimeError):
    """A unit of repeated work failed; the message names the unit and its seed."""


class WorkspaceError(DissensusError, RuntimeError):
    """A workspace is damaged, in use, or holds work with other parameters."""


class OutputError(DissensusError, OSError):
    """A result could not be written; nothing half-written is left behind."""


class MissingExtra(DissensusError, ImportError):
    """An optional dependency is not installed; the message says which `pip install` brings it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs the extra '{extra}', which is not installed.",
            f"In a clone of dissensus: pip install '.[{extra}]'",
        )


class DissensusWarning(UserWarning):
    """Base of all warnings raised on purpose."""


class DataWarning(DissensusWarning):
    """The data are usable but odd: missing topics, unknown labels, few observations."""


class ConvergenceWarning(DissensusWarning):
    """An iteration stopped before it settled; the message says what to raise."""


class DependenceWarning(DissensusWarning):
    """Assessors are so similar that methods which assume independence cannot be believed."""


class ReliabilityWarning(DissensusWarning):
    """An estimate rests on too little data, or on an assumption that a test rejects."""
