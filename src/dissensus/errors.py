"""What can go wrong, by name.

Every error says what was wrong (file, line, value, rule) in its first line and the way out in the lines below:

    JudgmentError: crowd.qrels:14 and :92 give topic 301, document FT-7, assessor A2 the grades 0 and 2.
      Keep one with repeated="first" or repeated="last", or both as repeats with repeated="keep".

Options are written as Python has them; on the command line they become flags of the running command. A way out for one
side only begins with "In Python, " or "On the command line, ", and the other side does not show it.

Warnings are statistical or numerical facts the caller should know and may live with; each has its own class so that
it can be filtered or turned into an error by name.
"""

from __future__ import annotations

from collections.abc import Iterable

PYTHON, COMMAND_LINE = "In Python, ", "On the command line, "


def ways_for(side: str, ways_out: Iterable[str]) -> list[str]:
    """The ways out that one side has, without the words that say which side it is.

    >>> ways_for(PYTHON, ["Name one.", "In Python, merge them with ds.merge.", "On the command line, use --merge."])
    ['Name one.', 'Merge them with ds.merge.']
    """
    other = COMMAND_LINE if side == PYTHON else PYTHON
    own = ((way, way.removeprefix(side)) for way in ways_out if not way.startswith(other))
    return [way if short == way else short[:1].upper() + short[1:] for way, short in own]


class DissensusError(Exception):
    """Base of all errors raised on purpose. `DissensusError(what, way_out, …)`; ways out are printed indented."""

    def __init__(self, what: str, *ways_out: str) -> None:
        super().__init__(what, *ways_out)
        self.what = what
        self.ways_out = ways_out

    def __str__(self) -> str:
        return "\n  ".join((self.what, *ways_for(PYTHON, self.ways_out)))


class InputError(DissensusError, ValueError):
    """An argument or a file breaks a rule."""


class FileError(InputError):
    """A file is missing, a directory, empty, truncated, of a wrong encoding, or lacks a column."""


class RunError(InputError):
    """A ranking breaks a rule: a document twice, a score that is no finite number."""


class JudgmentError(InputError):
    """Judgments break a rule: two grades from one assessor, a grade that is no grade."""


class ScaleError(JudgmentError):
    """A grade outside the scale, or judges on different scales."""


class MeasureError(InputError):
    """A measure's name cannot be read, a parameter is out of range, or the measure does not fit the data."""


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
            f"{what} needs the extra '{extra}', which is not installed.", f"pip install 'dissensus[{extra}]'"
        )


class DissensusWarning(UserWarning):
    """Base of all warnings raised on purpose."""


class DataWarning(DissensusWarning):
    """The data are usable but odd: missing topics, unknown labels, few observations."""


class ConvergenceWarning(DissensusWarning):
    """An iteration stopped before it settled; the message says what to raise."""


class DependenceWarning(DissensusWarning):
    """Judges are so alike that methods which assume independence cannot be believed."""


class ReliabilityWarning(DissensusWarning):
    """An estimate rests on too little data, or on an assumption that a test rejects."""
