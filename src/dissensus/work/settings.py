"""Where work runs when a caller does not say: here, unless a command was given a cluster or a workspace.

One settings object holds for everything in a block, however deep inside:

    with working_with(Settings(executor=client, workspace=workspace)):
        ...   # every run_units() that names no executor and no workspace uses these

The setting belongs to the block and to its thread; workers do not inherit it: work inside work stays where it is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dissensus.work.workspace import Workspace

AUTO = "auto"  # here, and on all cores once that pays


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
