"""Where long work is done: `--cluster` and `--workspace`, which hold for everything that a command does."""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from dissensus.cli.build import option
from dissensus.cli.terminal.messages import say
from dissensus.tables.design import frame_path
from dissensus.work.cluster import connect
from dissensus.work.pools import local_processes
from dissensus.work.settings import AUTO, Settings, working_with
from dissensus.work.workspace import Workspace, fingerprints

#: options that change how a result is shown, not what it is
_SHOWN_ONLY = ("json", "output", "digits", "plot", "workers", "about", "all_rows")


@dataclass(frozen=True)
class LongWork:
    """Where the work is done, and where what is finished is recorded."""

    cluster: Annotated[
        str | None,
        option(
            metavar="ADDRESS", help="Work on a Dask cluster: tcp://scheduler:8786, or local:4 for four processes here."
        ),
    ] = None
    workspace: Annotated[
        str | None,
        option(
            metavar="DIR", help="Record finished work there. The same command goes on from it after a stop or a crash."
        ),
    ] = None

    @contextlib.contextmanager
    def during(self, command: str, given: Mapping[str, Any]) -> Iterator[None]:
        """Everything in the block runs on the cluster, if one is named, and is recorded in the workspace, if one is."""
        options = {k: v for k, v in given.items() if k not in ("cluster", "workspace")}
        with contextlib.ExitStack() as stack:
            space = None
            if self.workspace is not None:
                space = stack.enter_context(Workspace(self.workspace, parameters(command, options)))
            executor: Any = AUTO
            if self.cluster is not None and self.cluster.startswith("local:"):
                executor = f"local:{local_processes(self.cluster)}"
            elif self.cluster is not None:
                executor = stack.enter_context(connect(self.cluster))
            here = stack.enter_context(working_with(Settings(executor, space)))
            yield
            asked = [f"--{name}" for name in ("cluster", "workspace") if getattr(self, name)]
            if asked and not here.used:
                say("note", f"{' and '.join(asked)} had nothing to do: nothing in this work repeats.")


def parameters(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What a workspace is about: the command, its options, and every file it reads with a hash of its content."""
    given = {k: v for k, v in options.items() if k not in _SHOWN_ONLY}
    texts = [t for v in given.values() for t in (v if isinstance(v, list | tuple) else [v]) if isinstance(t, str)]
    texts += [t for text in texts for t in re.findall(r"""['"]([^'"]+)['"]""", text)]  # MP(walk='user.json')
    texts += [t.partition("=")[2] for t in texts if "=" in t]  # a judge's NAME=FILE
    named = {f for t in texts if t for f in (glob.glob(t, recursive=True) or [t])}
    named |= {str(frame_path(Path(f))) for f in named if os.path.isfile(f)}  # an audit's frame lies beside it
    inside = {str(f) for folder in named if os.path.isdir(folder) for f in Path(folder).rglob("*")}
    files = sorted(f for f in named | inside if os.path.isfile(f))
    plain = {k: list(map(str, v)) if isinstance(v, list | tuple) else _plain(v) for k, v in given.items()}
    return {"command": name, **plain, "files": fingerprints(files)}


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
