"""A bar on stderr for work that takes more than two seconds; nothing at all when stderr is not a terminal.

>>> with Progress("replicates", total=3) as bar:
...     for _ in range(3):
...         bar.advance()
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import rich.progress

PATIENCE = 2.0  # seconds of silence before a bar appears


_drawn: list[Progress] = []  # the bar on the screen: work inside work has none of its own


class Progress:
    """Counts finished units; the bar appears once the work has gone on for longer than `PATIENCE`.

    `label=None` keeps quiet. `total=None` counts without an end. Rich is imported only when there is a bar to draw.
    """

    def __init__(self, label: str | None, total: int | None = None) -> None:
        self.label = label
        self.total = total
        self.done = 0
        self._start = time.monotonic()
        self._bar: rich.progress.Progress | None = None
        self._task: rich.progress.TaskID | None = None
        self._quiet = label is None or not _is_terminal()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()
            _drawn.clear()

    def advance(self, by: int = 1) -> None:
        """`by` more units are finished."""
        self.done += by
        self.tick()

    def tick(self) -> None:
        """Redraw; called while waiting, so that the bar appears in time even if the first unit is long."""
        if self._quiet:
            return
        if self._bar is None:
            if _drawn or time.monotonic() - self._start < PATIENCE:
                return
            self._open()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self.done)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self.label or "", total=self.total)
        self._bar.start()
        _drawn.append(self)


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # replaced or closed
        return False
