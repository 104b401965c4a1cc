"""Where work runs: the settings of a block, the cores of this process, and forks of it that would hang.

A caller who does not say works here, unless a command was given a cluster or a workspace.

One settings object holds for everything in a block, however deep inside:

    with working_with(Settings(executor=client, workspace=workspace)):
        ...   # every run_units() that names no executor and no workspace uses these

The setting belongs to the block and to its thread; workers do not inherit it: work inside work stays where it is.

This is the one context variable. It says where work runs and what records it, never how a file is read or a number is
computed. A command knows its cluster at the top, and work begins several verbs deeper, in over twenty places. As a
parameter, it would stand in the signature of every verb between, and a verb that forgot it would run here in silence.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dissensus.errors import Fix, Option, WorkError

if TYPE_CHECKING:
    from dissensus.work.workspace import Workspace

THREADS = "DISSENSUS_THREADS"  # most threads or processes that work is spread over
AUTO = "auto"  # here, and on all cores once that pays
_THREADS = re.compile(r"polars-\d|tokio-rt")


@dataclass(frozen=True)
class Settings:
    """`executor` as in `run_units`; `workspace` an open one, or None; `used` lists what was run with them."""

    executor: Any = None
    workspace: Workspace | None = None
    used: list[str] = field(default_factory=list, compare=False)


_current: ContextVar[Settings | None] = ContextVar("settings", default=None)


def settings() -> Settings:
    """The settings that hold now."""
    return _current.get() or Settings()


@contextlib.contextmanager
def working_with(new: Settings) -> Iterator[Settings]:
    """Everything in the block works with these settings.

    >>> with working_with(Settings(executor=2)):
    ...     settings().executor
    2
    >>> settings().executor is None
    True
    """
    token = _current.set(new)
    try:
        yield new
    finally:
        _current.reset(token)


def cores() -> int:
    """Cores this process may run on (its affinity where the system tells): at least one, at most DISSENSUS_THREADS."""
    most = os.environ.get(THREADS, "").strip()
    if not most:
        return _available()
    if not most.isascii() or not most.isdigit() or not int(most):
        raise WorkError(
            f"{THREADS}={most} is not a number of threads.", f"Set it to a whole number, as in {THREADS}=2."
        )
    return min(int(most), _available())


def _available() -> int:
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


_forked_with_threads = False


def refuse_after_fork() -> None:
    """Raise where this process is a fork of one in which Polars' threads were running.

    A process that has used Polars has Polars' threads; a fork copies its memory without them, and the first sort in
    the child waits for ever. Python's `multiprocessing` forks by default on Linux up to Python 3.13, so this is easily
    met.
    """
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
