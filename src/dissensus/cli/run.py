"""`dissensus run`: do what an analysis file says, and write beside the results what was done."""

from __future__ import annotations

import hashlib
import io
import json as json_format
import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Annotated, Any

import click

from dissensus import __version__
from dissensus.cli.build import argument, option
from dissensus.cli.commands import group
from dissensus.cli.inputs.options import JsonOption
from dissensus.cli.parts.analysis import read_analysis
from dissensus.cli.terminal.messages import say
from dissensus.errors import InputError, OutputError
from dissensus.io.files import find_files

if TYPE_CHECKING:
    from dissensus.cli.parts.analysis import Analysis, AnalysisStep

RECORD = "what-was-done.json"
PACKAGES = ("numpy", "scipy", "polars", "numba", "xarray", "altair")


def command(
    analysis: Annotated[Path, argument(metavar="ANALYSIS", help="The analysis file (.toml).")],
    show: Annotated[bool, option("--show", help="Print the commands, ready to copy, and run none.")] = False,
    output: Annotated[
        Path | None, option("--output", "-o", metavar="FOLDER", help="Where results go; else as the file says.")
    ] = None,
    seed: Annotated[
        int | None, option("--seed", metavar="N", help="Another seed than that of the file.", min=0)
    ] = None,
    json: JsonOption = False,
) -> None:
    """Run an analysis that was written down: what is read, by which rules, which results are written.

    Results go to one folder, together with the analysis and what-was-done.json: the commands, what they said, and the
    checksums of every file read and written. Run it again and every byte is the same.

    Examples:
        dissensus run analysis.toml
        dissensus run analysis.toml --show
        dissensus report runs/* --judgments labels.csv --save-analysis analysis.toml
    """
    read = read_analysis(analysis, seed)
    results = read.results if output is None else output
    if show:
        click.echo("\n".join(step.line for step in read.steps(results)))
        return
    _check_results(results)
    unfinished = results.with_name(f".{results.name}.unfinished")
    steps = read.steps(unfinished)  # everything that is wrong with the file comes before any work
    inputs = _inputs(read)
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    try:
        done = [_run(step, unfinished, results) for step in steps]
        record = {"schema": 1, "versions": _versions(), "analysis": read.path.name, "inputs": inputs, "outputs": done}
        (unfinished / read.path.name).write_bytes(read.path.read_bytes())
        text = json_format.dumps(record, ensure_ascii=False, indent=1) + "\n"
        (unfinished / RECORD).write_text(text, encoding="utf-8")
        shutil.rmtree(results, ignore_errors=True)
        unfinished.replace(results)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    if json:
        sys.stdout.write(text)
    else:
        for step in done:
            say("note", f"{step['name']}: {', '.join(f['file'] for f in step['files'])}")
        say("note", f"wrote {results} with {RECORD}")
    status = next((s["status"] for s in done if s["status"]), 0)
    if status:
        raise SystemExit(status)


def _check_results(folder: Path) -> None:
    """Only a folder that an analysis wrote before is replaced."""
    if folder.exists() and not (folder.is_dir() and ((folder / RECORD).is_file() or not any(folder.iterdir()))):
        raise OutputError(
            f"{folder} is there already and was not written by an analysis.",
            "Name another folder with results = in the analysis, or move this one away.",
        )


def _run(step: AnalysisStep, unfinished: Path, results: Path) -> dict[str, Any]:
    """Run one command; what it printed, its exit status, and the files it wrote."""
    before = set(_files(unfinished))
    for file in step.files:
        (unfinished / file).parent.mkdir(parents=True, exist_ok=True)
    out, err = io.StringIO(), io.StringIO()
    say("note", f"{step.name} …")
    with redirect_stdout(out), redirect_stderr(err):
        status = group().main([step.command, *step.words], prog_name="dissensus", standalone_mode=False)
    written = [f for f in _files(unfinished) if f not in before]
    if not written:
        raise InputError(f"[outputs] {step.name}: dissensus {step.command} wrote no file.", "Leave this output out.")
    here, there = str(unfinished), str(results)
    messages = (out.getvalue() + err.getvalue()).splitlines()
    return {
        "name": step.name,
        "command": step.line.replace(here, there),
        "status": status if isinstance(status, int) else 0,
        "messages": [line.replace(here, there) for line in messages if line.strip()],
        "files": [{"file": str(f.relative_to(unfinished)), "sha256": _digest(f)} for f in written],
    }


def _files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.is_file())


def _inputs(read: Analysis) -> list[dict[str, str]]:
    """Every file that is read, with its checksum; a glob or a name that matches nothing is an error."""
    folder = read.path.parent
    out: dict[str, str] = {}
    for text in read.inputs():
        for file in find_files([folder / text], "run"):
            name = file.relative_to(folder) if file.is_relative_to(folder) else file
            out[str(name)] = _digest(file)
    return [{"file": name, "sha256": digest} for name, digest in sorted(out.items())]


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _versions() -> dict[str, str]:
    out = {"dissensus": __version__, "python": python_version()}
    for name in PACKAGES:
        try:
            out[name] = version(name)
        except PackageNotFoundError:
            continue
    return out
