"""The `dissensus` command: one file per subcommand, imported only when that subcommand runs.

A subcommand `name` is the function `command` of the module `dissensus.cli.name`; its docstring is its help, with
examples in indented lines (they keep their line breaks). It has no thinking of its own: it reads, calls the library,
and hands tables to `dissensus.cli.terminal.output.emit`. What several commands share is on shelves: `inputs` (options,
reading), `terminal` (tables, messages); `parts` has the longer parts of single commands.

Exit status: 0 done, 2 the input was refused (one message says why and what to do), 1 a bug of ours, 130 interrupted.
"""

from __future__ import annotations

import errno
import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import TextIO

from dissensus.cli.terminal.encoding import speak_any_language
from dissensus.errors import DissensusWarning

DEBUG = "DISSENSUS_DEBUG"


def main(args: Sequence[str] | None = None) -> int:
    """Run `dissensus` with `args` (the process's own without them) and return its exit status."""
    given = list(sys.argv[1:] if args is None else args)
    debug = bool(os.environ.get(DEBUG))
    words = given[: given.index("--")] if "--" in given else given
    if "--debug" in words:
        debug = True
        given.remove("--debug")
    _stand_in_for_closed_streams()
    speak_any_language()
    _one_thread_of_blas()
    given = given or ["--help"]
    with warnings.catch_warnings():
        _one_line_warnings(debug)
        return _guarded(given, debug)


def _guarded(args: list[str], debug: bool) -> int:
    import click

    from dissensus.cli.terminal.messages import Running, report

    running = Running(words=tuple(args))
    try:
        from dissensus.cli.commands import group

        status = group().main(args, prog_name="dissensus", standalone_mode=False, obj=running)
        sys.stdout.flush()
    except BaseException as error:
        if debug and not isinstance(error, SystemExit | KeyboardInterrupt | click.Abort):
            import traceback

            traceback.print_exc()
        return report(error, running.flags)
    if status == 130:
        return report(KeyboardInterrupt(), running.flags)
    return status if isinstance(status, int) else 0


def _one_line_warnings(debug: bool) -> None:
    from dissensus.cli.terminal.messages import say, spoken

    warnings.simplefilter("always", DissensusWarning)
    seen: set[str] = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        sentence = message.args[0] if isinstance(message, Warning) and message.args else str(message)
        text = " ".join(spoken(sentence).split())
        if debug or not issubclass(category, DissensusWarning):
            text = f"{text} ({category.__name__}, {filename}:{lineno})"
        if text not in seen:
            seen.add(text)
            say("warning", text)

    warnings.showwarning = show


class _Closed(io.TextIOBase):
    """Standard output that the caller closed (`>&-`): tables have nowhere to go, files still do."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, "standard output is closed, so the result cannot be shown")


def _stand_in_for_closed_streams() -> None:
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _one_thread_of_blas() -> None:
    """Matrices are small here: OpenBLAS's further threads would only spin. A user's own setting holds."""
    if "numpy" not in sys.modules:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
