"""A folder in which long work can be stopped and taken up again.

The folder holds one SQLite file: what is being computed, with every parameter, and the finished units of each task.
Start the same work with the same folder and it goes on from what was done, with the same final result; start other
work with it and it is refused, showing what differs; a second process waits or is refused.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with Workspace(folder, {"command": "aware", "seed": 0}) as workspace:
    ...     task = workspace.task("replicates", {"units": 3})
    ...     task.append(0, 0.25)
    >>> with Workspace(folder, {"command": "aware", "seed": 0}) as workspace:
    ...     sorted(workspace.task("replicates", {"units": 3}).done)
    [0]

Only the process that opened it writes to it: workers hand their results back.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from dissensus import __version__
from dissensus.errors import OutputError, WorkspaceError
from dissensus.work.units import Store, Task, difference

if TYPE_CHECKING:
    from dissensus.arrays import Values

FILE = "workspace.sqlite"
_OURS = {FILE, f"{FILE}-wal", f"{FILE}-shm", f"{FILE}-journal"}


class Workspace:
    """Open with `with`; `parameters` (JSON values) say what is computed, down to the hash of every input.

    The version of dissensus is one of them: another version may count in another way. `wait=True` waits for another
    process to leave the folder instead of being refused.
    """

    def __init__(
        self, folder: str | os.PathLike[str], parameters: Mapping[str, object] | None = None, *, wait: bool = False
    ) -> None:
        self.folder = Path(folder)
        self.parameters: Values = {**json.loads(json.dumps(dict(parameters or {}))), "version": __version__}
        self._tasks: dict[str, Task] = {}
        self._calls: dict[str, int] = {}
        self._make_folder()
        self._refuse_folder_of_others()
        self._store = Store(self.folder / FILE, wait=wait)
        try:
            self._check_parameters()
        except BaseException:
            self._store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def task(self, name: str, about: Mapping[str, object] | None = None) -> Task:
        """The finished units of one task; `about` says how its units are numbered and seeded."""
        if name not in self._tasks:
            self._tasks[name] = Task(self._store, name, about or {})
        return self._tasks[name]

    def next_task(self, name: str, about: Mapping[str, object] | None = None) -> Task:
        """A task without a name: the n-th of its kind; a repeated command meets them in the same order."""
        self._calls[name] = self._calls.get(name, 0) + 1
        return self.task(f"{name}-{self._calls[name]}", about)

    def close(self) -> None:
        """Close the file and let other processes in."""
        self._tasks.clear()
        self._store.close()

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise WorkspaceError(f"workspace {self.folder} is a file.", "Give the name of a folder.") from None
        except OSError as error:
            raise OutputError(
                f"workspace {self.folder} could not be made: {error.strerror}.", "Choose a folder you can write to."
            ) from error

    def _refuse_folder_of_others(self) -> None:
        names = sorted(p.name for p in self.folder.iterdir())
        if FILE in names:
            return
        if "workspace.json" in names:
            raise WorkspaceError(
                f"{self.folder} is a workspace of dissensus 0.1, which this version cannot continue.",
                "Finish the work with the version that began it, or give an empty folder to start afresh.",
            )
        if strangers := [n for n in names if n not in _OURS]:
            raise WorkspaceError(
                f"{self.folder} is not a workspace: it holds {', '.join(strangers[:3])}.", "Give an empty folder."
            )

    def _check_parameters(self) -> None:
        old = self._store.about("")
        lines = difference(old or {}, self.parameters)
        if old is None or (lines and not self._store.begun()):
            self._store.note("", self.parameters)  # the work noted there never began: nothing is lost
        elif lines:
            raise WorkspaceError(
                f"workspace {self.folder} belongs to other work:",
                *lines,
                "Use another folder for this work, or repeat the old command to finish it.",
            )


def fingerprints(paths: Iterable[str | os.PathLike[str]]) -> dict[str, str]:
    """Each file with a hash of its content: a workspace must not go on with other data.

    A name, a size and a time are not enough: an editor can keep all three.
    """
    out = {}
    for path in paths:
        with open(path, "rb") as file:
            out[os.fspath(path)] = hashlib.file_digest(file, _blake).hexdigest()
    return out


def _blake() -> Any:
    return hashlib.blake2b(digest_size=16)
