"""`--cluster` and `--workspace` for every command whose work may be long; the commands themselves know of neither."""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

#: commands that repeat work
LONG = ("evaluate", "aware", "correct", "compare", "ceiling", "noise", "experiment")
#: options that change how a result is shown, not what it is
_SHOWN_ONLY = ("json", "output", "digits", "plot", "workers", "about")


def _options(
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Work on a Dask cluster: tcp://scheduler:8786, or local:4 for four processes here.",
        ),
    ] = None,
    workspace: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Record finished work there; the same command goes on from it after a stop or a crash.",
        ),
    ] = None,
) -> None:
    """The options themselves."""


def add_work_options(name: str, command: Any) -> None:
    """Give `command` the options `--cluster` and `--workspace`, which hold for everything it does."""
    run = command.callback
    further = typer.Typer(add_completion=False)
    further.command()(_options)

    def at_work(cluster: str | None, workspace: str | None, **options: Any) -> Any:
        with working_as_asked(name, options, cluster, workspace):
            return run(**options)

    command.params += [p for p in typer.main.get_command(further).params if p.name in _options.__annotations__]
    command.callback = at_work


@contextlib.contextmanager
def working_as_asked(
    name: str, options: Mapping[str, Any], cluster: str | None, workspace: str | None
) -> Iterator[None]:
    """Everything in the block runs on the cluster, if one is named, and is recorded in the workspace, if one is."""
    from dissensus.work.settings import AUTO, Settings, working_with

    with contextlib.ExitStack() as stack:
        space = None
        if workspace is not None:
            from dissensus.work.workspace import Workspace

            space = stack.enter_context(Workspace(workspace, parameters(name, options)))
        executor: Any = AUTO
        if cluster is not None:
            from dissensus.work.cluster import connect

            executor = stack.enter_context(connect(cluster))
        here = stack.enter_context(working_with(Settings(executor, space)))
        yield
        given = [f"--{option}" for option, value in (("cluster", cluster), ("workspace", workspace)) if value]
        if given and not here.used:
            from dissensus.cli.terminal.failure import say

            say("note", f"{' and '.join(given)} had nothing to do: nothing in this work repeats.")


def parameters(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What a workspace is about: the command, its options, and every file it reads with a hash of its content."""
    from dissensus.data.tables.design import frame_path
    from dissensus.work.workspace import fingerprints

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


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
