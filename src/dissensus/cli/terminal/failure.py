"""Errors in one voice: what was wrong, and below it, indented, the way out."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from dissensus.cli.terminal.flags import running
from dissensus.errors import DissensusError, visible

_COLOURS = {"error": "\x1b[1;31m", "warning": "\x1b[33m", "note": "\x1b[36m"}


def colour_wanted(stream: TextIO) -> bool:
    """True where colour helps: a terminal, and NO_COLOR is not set (FORCE_COLOR overrides the terminal test)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def say(kind: str, text: str) -> None:
    """One remark on stderr: `error: …`, `warning: …`, `note: …`; a progress line that stands there is wiped first."""
    colour = _COLOURS.get(kind, "") if colour_wanted(sys.stderr) else ""
    wipe = "\r\x1b[2K" if sys.stderr.isatty() and os.environ.get("TERM") != "dumb" else ""
    sys.stderr.write(f"{wipe}{colour}{kind}:{chr(27) + '[0m' if colour else ''} {visible(text)}\n")
    sys.stderr.flush()


def report(error: BaseException) -> int:
    """Say what went wrong and return the exit status."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if isinstance(error, BrokenPipeError):
        # whoever read our output has seen enough; what is still buffered must not complain at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort":
        say("error", "interrupted; no half-written file is left behind.")
        return 130
    if isinstance(error, DissensusError):
        say("error", running().error(error))
        return 2
    if hasattr(error, "format_message"):  # the command line itself was wrong
        say("error", _usage(error))
        return 2
    if isinstance(error, OSError):
        say("error", _os_error(error))
        return 2
    if isinstance(error, MemoryError):
        say("error", "out of memory.\n  Use fewer systems, topics or assessors at a time.")
        return 2
    say(
        "error",
        f"{type(error).__name__}: {error}\n"
        "  This is a bug in dissensus. Run again with --debug to see where, and report it.",
    )
    return 1


def _usage(error: BaseException) -> str:
    message = error.format_message()  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    if context is None:
        return str(message)
    return f"{message}\n  {context.get_usage().replace('Usage: ', 'usage: ')}\n  See: {context.command_path} --help"


def _os_error(error: OSError) -> str:
    what = f"{error.filename}: " if error.filename else ""
    reasons = {
        FileNotFoundError: "there is no such file.",
        IsADirectoryError: "this is a directory, not a file.",
        NotADirectoryError: "a part of this path is a file, not a directory.",
        PermissionError: "permission denied.",
        FileExistsError: "this exists already.",
    }
    reason = next((text for kind, text in reasons.items() if isinstance(error, kind)), None)
    return what + (reason or f"{error.strerror or error}.")
