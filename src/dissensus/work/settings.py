"""Where work runs when nobody says: here, unless a command was told otherwise.

A command line that names a cluster or a workspace holds for everything the command does, however deep inside:

    with working_at(executor=client, workspace=workspace):
        ...   # every run_units() without an executor or a workspace of its own uses these

The setting belongs to the block and to its thread; workers do not inherit it: work inside work stays where it is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from dissensus.work.workspace import Workspace


@dataclass(frozen=True)
class Place:
    """`executor` as in `run_units`; `workspace` an open one, or None; `used` names what was run there."""

    executor: Any = None
    workspace: Workspace | None = None
    used: list[str] = field(default_factory=list, compare=False)


_here: ContextVar[Place | None] = ContextVar("place", default=None)


def place() -> Place:
    """Where work runs now."""
    return _here.get() or Place()


@contextlib.contextmanager
def working_at(executor: Any = None, workspace: Workspace | None = None) -> Iterator[Place]:
    """Everything in the block runs at this place.

    >>> with working_at(executor=2):
    ...     place().executor
    2
    >>> place().executor is None
    True
    """
    here = Place(executor, workspace)
    token = _here.set(here)
    try:
        yield here
    finally:
        _here.reset(token)
