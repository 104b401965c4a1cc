"""`--cluster` and `--workspace` for every command whose work may be long; the commands themselves know of neither."""

from __future__ import annotations

import contextlib
import functools
import glob
import inspect
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

#: commands that repeat work
LONG = ("evaluate", "aware", "correct", "compare", "ceiling", "noise", "experiment")
#: options that change how a result is shown, not what it is
_SHOWN_ONLY = ("json", "output", "digits", "plot", "workers", "about")

ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Work on a Dask cluster: tcp://scheduler:8786, or local:4 for four processes here.",
    ),
]
WorkspaceOption = Annotated[
    str | None,
    typer.Option(
        "--workspace",
        metavar="DIR",
        help="Record finished work there; the same command goes on from it after a stop or a crash.",
    ),
]


def with_work_options(name: str, command: Callable[..., None]) -> Callable[..., None]:
    """The command with `--cluster` and `--workspace` added to its options."""
    signature = inspect.signature(command, eval_str=True)
    extra = {"cluster": ClusterOption, "workspace": WorkspaceOption}
    further = [
        inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for option, kind in extra.items()
    ]

    @functools.wraps(command)
    def wrapped(*, cluster: str | None = None, workspace: str | None = None, **options: Any) -> None:
        with at_work(name, options, cluster, workspace):
            command(**options)

    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in signature.parameters.values()]
    wrapped.__signature__ = signature.replace(parameters=[*parameters, *further])  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in parameters} | extra
    del wrapped.__wrapped__  # typer would look through it
    return wrapped


@contextlib.contextmanager
def at_work(name: str, options: Mapping[str, Any], cluster: str | None, workspace: str | None) -> Iterator[None]:
    """Everything in the block runs on the cluster, if one is named, and is recorded in the workspace, if one is."""
    from dissensus.work.pools import AUTO
    from dissensus.work.settings import working_at

    with contextlib.ExitStack() as stack:
        space = None
        if workspace is not None:
            from dissensus.work.workspace import Workspace

            space = stack.enter_context(Workspace(workspace, parameters(name, options)))
        executor: Any = AUTO
        if cluster is not None:
            from dissensus.work.cluster import connect

            executor = stack.enter_context(connect(cluster))
        here = stack.enter_context(working_at(executor, space))
        yield
        asked = [option for option, value in (("--cluster", cluster), ("--workspace", workspace)) if value is not None]
        if asked and not here.used:
            from dissensus.cli.failure import say

            say("note", f"{' and '.join(asked)} had nothing to do: nothing in this work repeats.")


def parameters(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What a workspace is about: the command, its options, and name, size and time of every file it reads."""
    said = {k: v for k, v in options.items() if k not in _SHOWN_ONLY}
    texts = [t for v in said.values() for t in (v if isinstance(v, list | tuple) else [v]) if isinstance(t, str)]
    texts += [t for text in texts for t in re.findall(r"""['"]([^'"]+)['"]""", text)]  # MP(walk='user.json')
    named = {f for t in texts for f in (glob.glob(t, recursive=True) or [t])}
    inside = {str(f) for folder in named if os.path.isdir(folder) for f in Path(folder).rglob("*")}
    files = sorted(f for f in named | inside if os.path.isfile(f))
    stamps = [[f, os.stat(f).st_size, os.stat(f).st_mtime_ns] for f in files]
    plain = {k: list(map(str, v)) if isinstance(v, list | tuple) else _plain(v) for k, v in said.items()}
    return {"command": name, **plain, "files": stamps}


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
