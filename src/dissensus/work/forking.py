"""Forks that would hang are refused in words.

A process that has used Polars has Polars' threads; a fork copies its memory without them, and the first sort in the
child waits for ever. Python's `multiprocessing` forks by default on Linux up to Python 3.13, so this is easily met.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from dissensus.errors import Fix, Option, WorkError

_THREADS = re.compile(r"polars-\d|tokio-rt")
_forked_with_threads = False


def refuse_after_fork() -> None:
    """Raise where this process is a fork of one in which Polars' threads were running."""
    if _forked_with_threads:
        raise WorkError(
            "this process was forked from one that had already used Polars; its frames would wait for ever here.",
            'Start workers with multiprocessing.get_context("spawn"), or before dissensus is first used.',
            Fix(
                "Or let dissensus start them: many verbs take ",
                Option("executor", 4),
                ", and commands take --cluster local:4.",
            ),
        )


def _look() -> None:
    """Before a fork: are Polars' threads running? Where the system does not show threads, an import counts as use."""
    threads = Path("/proc/self/task")
    if "polars" not in sys.modules or not threads.is_dir():
        _about_to_fork[0] = "polars" in sys.modules
        return
    names = [_name(thread / "comm") for thread in threads.iterdir()]
    _about_to_fork[0] = any(_THREADS.match(name) for name in names)


def _name(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # the thread has just ended
        return ""


def _remember() -> None:
    global _forked_with_threads
    _forked_with_threads = _forked_with_threads or _about_to_fork[0]


_about_to_fork = [False]
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_look, after_in_child=_remember)
