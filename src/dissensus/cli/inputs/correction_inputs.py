"""Reading what is known of the judge whose labels are corrected: shared by correct, compare and gate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.errors import InputError

if TYPE_CHECKING:
    from dissensus.data.tables.audit import Audit
    from dissensus.judges.confusion.api import Confusion

ConfusionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--confusion",
        metavar="[SYSTEM=]FILE",
        help="The judge's confusion matrix from elsewhere (JSON); one per system as SYSTEM=FILE, repeated.",
    ),
]
PooledOption = Annotated[
    bool,
    typer.Option("--pooled/--no-pooled", help="Also scores and differences pooled over systems: likely, not shown."),
]


def read_knowledge(
    audit: str | None, confusion: Sequence[str] | None, scale: str | None
) -> Audit | Confusion | dict[str, Confusion] | None:
    """The audit, or the confusion matrix of all or of each system, or nothing."""
    if audit is not None and confusion:
        raise InputError(
            "--audit and --confusion cannot be combined.", "An audit of scored documents is the better one."
        )
    if audit is not None:
        from dissensus.data.readers.api import read_audit

        return read_audit(audit, scale=scale)
    return read_confusions(confusion) if confusion else None


def read_confusions(given: Sequence[str]) -> Confusion | dict[str, Confusion]:
    """One matrix from FILE, or one per system from SYSTEM=FILE; systems that name the same file share its matrix."""
    from dissensus.judges.confusion.api import Confusion

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
