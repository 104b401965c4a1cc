"""A folder in which long work can be stopped and taken up again.

The folder holds `workspace.json` (what is being computed, with every parameter), one record of finished units per
task, and a lock. Start the same work with the same folder and it goes on from what was done, with the same final
result; start other work with it and it is refused, showing what differs; a second process waits or is refused.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with Workspace(folder, {"command": "aware", "seed": 0}) as workspace:
    ...     record = workspace.task("replicates", {"units": 3})
    ...     record.append(0, 0.25)
    >>> with Workspace(folder, {"command": "aware", "seed": 0}) as workspace:
    ...     sorted(workspace.task("replicates", {"units": 3}).done)
    [0]
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from dissensus.errors import OutputError, WorkspaceError
from dissensus.work.atomic import atomic
from dissensus.work.record import Record, difference

FORMAT = "dissensus workspace 1"
# a header that a process was writing when it was killed (see `atomic`)
_TORN = re.compile(r"\.(workspace-[0-9a-f]{12}\.part\.json|.+-[0-9a-f]{12}\.part\.units)")


class Workspace:
    """Open with `with`; `parameters` (JSON values) say what is computed, down to the hash of every input.

    `wait=True` waits for another process to leave the folder instead of being refused.
    """

    def __init__(
        self, folder: str | os.PathLike[str], parameters: Mapping[str, Any] | None = None, *, wait: bool = False
    ) -> None:
        self.folder = Path(folder)
        self.parameters: dict[str, Any] = json.loads(json.dumps(dict(parameters or {})))
        self._records: dict[str, Record] = {}
        self._calls: dict[str, int] = {}
        self._make_folder()
        self._refuse_folder_of_others()
        self._lock = _Lock(self.folder / "lock", wait=wait)
        try:
            self._check_parameters()
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def task(self, name: str, about: Mapping[str, Any] | None = None) -> Record:
        """The record of finished units of one task; `about` says how its units are numbered and seeded."""
        if name not in self._records:
            stem = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "task"
            self._records[name] = Record(self.folder / f"{stem}.units", {"task": name, **(about or {})})
        return self._records[name]

    def next_task(self, name: str, about: Mapping[str, Any] | None = None) -> Record:
        """A record for work without a name: the n-th of its kind; a repeated command meets them in the same order."""
        self._calls[name] = self._calls.get(name, 0) + 1
        return self.task(f"{name}-{self._calls[name]}", about)

    def close(self) -> None:
        """Close all records and let other processes in."""
        try:
            for record in self._records.values():
                record.close()
        finally:
            self._records.clear()
            self._lock.release()

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
        if (self.folder / "workspace.json").exists():
            return
        names = sorted(p.name for p in self.folder.iterdir())
        strangers = [n for n in names if n != "lock" and not _TORN.fullmatch(n)]
        if strangers:
            raise WorkspaceError(
                f"{self.folder} is not a workspace: it holds {', '.join(strangers[:3])}.", "Give an empty folder."
            )

    def _check_parameters(self) -> None:
        path = self.folder / "workspace.json"
        for torn in self.folder.glob(".*.part.*"):
            if _TORN.fullmatch(torn.name):
                torn.unlink(missing_ok=True)
        if not path.exists():
            self._write_parameters(path)
            return
        try:
            written = json.loads(path.read_text("utf-8"))
            known, old = written["format"] == FORMAT, dict(written["parameters"])
        except (ValueError, KeyError, TypeError, OSError):
            known, old = False, {}
        if not known:
            raise WorkspaceError(
                f"{path} is damaged or of another version.", "Use another workspace, or remove this one."
            )
        lines = difference(old, self.parameters)
        if lines and not any(self.folder.glob("*.units")):
            self._write_parameters(path)  # the work noted there never began: nothing is lost by taking it over
        elif lines:
            raise WorkspaceError(
                f"workspace {self.folder} belongs to other work:",
                *lines,
                "Use another folder for this work, or repeat the old command to finish it.",
            )

    def _write_parameters(self, path: Path) -> None:
        with atomic(path) as file:
            json.dump({"format": FORMAT, "parameters": self.parameters}, file, indent=2, ensure_ascii=False)


class _Lock:
    """One process at a time; the system lets go of the lock when the process ends, however it ends."""

    def __init__(self, path: Path, *, wait: bool) -> None:
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise OutputError(
                f"workspace {path.parent} cannot be written to: {error.strerror}.", "Choose a folder you can write to."
            ) from error
        while not _try_lock(self._handle):
            if not wait:
                owner = os.pread(self._handle, 32, 0).decode("ascii", "replace").strip() if os.name == "posix" else ""
                os.close(self._handle)
                raise WorkspaceError(
                    f"workspace {path.parent} is in use by another process" + (f" ({owner})." if owner else "."),
                    "Wait until it has finished, or use another workspace.",
                )
            time.sleep(0.2)
        if os.name == "posix":
            os.ftruncate(self._handle, 0)
            os.pwrite(self._handle, f"process {os.getpid()}".encode(), 0)

    def release(self) -> None:
        if self._handle >= 0:
            with contextlib.suppress(OSError):
                os.close(self._handle)
            self._handle = -1


def _try_lock(handle: int) -> bool:
    try:
        if os.name == "posix":
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:  # pragma: no cover
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError:
        return False
    return True
