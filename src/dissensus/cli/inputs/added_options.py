"""Options that commands get for what they do, without asking for them.

    --judgments                                           whose judgments are arguments
    --all                                                 that print tables
    --cluster --workspace                                 whose work may be long

A function declares the options of each kind; the command's own function never sees them: they hold for all it does.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from dissensus.cli.terminal.messages import EVERY_ROW, say
from dissensus.errors import DissensusError, InputError

MISSING = "no judgments were given."
#: commands that repeat work
LONG = ("evaluate", "aware", "correct", "compare", "ceiling", "noise", "experiment")
#: options that change how a result is shown, not what it is
_SHOWN_ONLY = ("json", "output", "digits", "plot", "workers", "about")


def add_options(name: str, command: Any) -> None:
    """Give a command the options of its kind."""
    add_judgments_option(command)
    add_all_option(command)
    if name in LONG:
        add_work_options(name, command)


def declared(options: Callable[..., None]) -> list[Any]:
    """The parameters that typer makes of a function whose arguments are options."""
    program = typer.Typer(add_completion=False)
    program.command()(options)
    return [p for p in typer.main.get_command(program).params if p.name in options.__annotations__]


# ── judgments that are arguments ──
def _more_judgments(
    more_judgments: Annotated[
        list[str] | None,
        typer.Option("--judgments", "-j", metavar="FILE", help="The same as JUDGMENTS, as other commands take them."),
    ] = None,
) -> None: ...


def add_judgments_option(command: Any) -> None:
    """Let `agree labels.csv` be written `agree --judgments labels.csv`, too."""
    own = next((p for p in command.params if p.name == "judgments" and p.param_type_name == "argument"), None)
    if own is None or own.nargs != -1:
        return
    own.required = False
    command.params += declared(_more_judgments)
    run = command.callback

    def together(**options: Any) -> Any:
        more = options.pop("more_judgments") or []
        options["judgments"] = [*(options["judgments"] or []), *more]
        if not options["judgments"]:
            raise InputError(MISSING, f"Name a file: dissensus {command.name} labels.csv")
        return run(**options)

    command.callback = together


def runs_and_judgments(
    command: str, runs: list[str] | None, judgments: list[str] | None, instead: str
) -> tuple[list[str], list[str]]:
    """Both, or the refusal of a command without one of them; `instead` is what it could be given, too."""
    if not runs:
        raise InputError("there are no runs.", f"Give run files and --judgments, or {instead}.")
    if not judgments:
        raise without_judgments(command, runs)
    return runs, judgments


def without_judgments(command: str, files: Sequence[str]) -> InputError:
    """The error of a command that was given no judgments; files among its runs that look like some are named."""
    from dissensus.io.check.recognise import recognise

    labels = []
    for file in files[:8]:
        with contextlib.suppress(DissensusError, OSError):
            found = recognise(file)
            labels += [file] if found and all(f.what in ("labels", "audit") for f in found) else []
    runs = [file for file in files if file not in labels]
    if not labels:
        return InputError(MISSING, f"Name them: dissensus {command} {shlex.join(files[:2]) or 'RUNS'} --judgments FILE")
    right = f"dissensus {command} {shlex.join(runs) or 'RUNS'} --judgments {shlex.quote(labels[0])}"
    return InputError(
        f"no judgments were given, and {labels[0]} looks like judgments, not like a run.",
        f"trec_eval takes the qrels first; here they follow --judgments: {right}",
    )


# ── how much is shown ──
def _all(show_all: Annotated[bool, typer.Option("--all", help="Print every row, however many.")] = False) -> None: ...


def add_all_option(command: Any) -> None:
    """Give a command that prints tables the option `--all`; where it has one of its own, that is heard, too."""
    own = next((p for p in command.params if "--all" in p.opts), None)
    if own is None and not any(p.name == "json" for p in command.params):
        return
    added = [] if own else declared(_all)
    command.params += added
    name = (own or added[0]).name
    run = command.callback

    def showing(**options: Any) -> Any:
        token = EVERY_ROW.set(bool(options.pop(name) if added else options[name]))
        try:
            return run(**options)
        finally:
            EVERY_ROW.reset(token)

    command.callback = showing


# ── where long work is done ──
def _work(
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
) -> None: ...


def add_work_options(name: str, command: Any) -> None:
    """Give `command` the options `--cluster` and `--workspace`, which hold for everything it does."""
    run = command.callback

    def at_work(cluster: str | None, workspace: str | None, **options: Any) -> Any:
        with working_as_asked(name, options, cluster, workspace):
            return run(**options)

    command.params += declared(_work)
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
            say("note", f"{' and '.join(given)} had nothing to do: nothing in this work repeats.")


def parameters(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What a workspace is about: the command, its options, and every file it reads with a hash of its content."""
    from dissensus.tables.design import frame_path
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
