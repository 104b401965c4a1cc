"""`dissensus demo`: a guided tour on a generated collection whose truth is known."""

from __future__ import annotations

import contextlib
import io
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.inputs.options import JsonOption, SeedOption

if TYPE_CHECKING:
    from dissensus.data.samples import Sample

MEASURE = "P(rel=2)@10"
LINES_SHOWN = 14


def command(
    folder: Annotated[
        Path, typer.Option("--folder", metavar="FOLDER", help="Where the collection and the report are written.")
    ] = Path("demo"),
    topics: Annotated[int, typer.Option("--topics", metavar="N", help="How many topics to generate.", min=2)] = 50,
    json: JsonOption = False,
    seed: SeedOption = 0,
) -> None:
    """A guided tour: generate a collection whose truth is known, and see who is fooled.

    Eight systems, five crowd assessors, an LLM judge that prefers the systems that write like it, and an expert audit
    of a quarter of the documents. Every step is a command you can run on files of your own. At the end, simulated
    experts judge a study until it is decided.

    Example:
        dissensus demo --folder demo
    """
    from dissensus.cli.parts.demo_steps import verdict
    from dissensus.cli.parts.demo_study import play_study

    refuse_strange(folder)
    start = time.monotonic()
    if json:
        with contextlib.redirect_stdout(io.StringIO()):
            sample = tour(folder, topics, seed)
            study = play_study(folder, sample, MEASURE, seed, tell, show)
        sys.stdout.write(verdict(sample, MEASURE, seed=seed, json=True, study=study) + "\n")
        return
    sample = tour(folder, topics, seed)
    tell("And against the truth, which the demo knows:")
    sys.stdout.write(verdict(sample, MEASURE, seed=seed))
    play_study(folder, sample, MEASURE, seed, tell, show)
    page = folder / "report.html"
    if page.exists():
        tell(f"Open the report in a browser: {page.resolve().as_uri()}")
    tell(f"Done in {time.monotonic() - start:.0f} s.")


def tour(folder: Path, topics: int, seed: int) -> Sample:
    """Write the collection and run every step on it, shown as it goes."""
    from dissensus.cli.parts.demo_steps import steps
    from dissensus.data.samples import generated_collection

    sample = generated_collection(seed=seed, topics=topics)
    written = sample.write(folder)
    tell(
        f"Wrote {len(written)} files to {folder}/: eight runs, labels.csv by five crowd assessors and an LLM judge, "
        "audit.csv by experts, the texts of topics and documents, and truth.csv, which is not to be had in real life."
    )
    for number, step in enumerate(steps(folder, MEASURE), start=1):
        tell(f"{number}. {step.why}")
        show(step.arguments, step.shown)
    return sample


def refuse_strange(folder: Path) -> None:
    """Write only into a folder that is new, empty, or a demo's own."""
    from dissensus.errors import OutputError

    if folder.is_file():
        raise OutputError(f"--folder {folder} is a file.", "Name a folder, which need not exist.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "truth.csv").exists():
        raise OutputError(
            f"--folder {folder} holds other files; the demo would write among them.", "Name a new folder."
        )


def tell(text: str) -> None:
    """A line of explanation, wrapped to the terminal."""
    from textwrap import fill

    from dissensus.cli.terminal.table import colours, terminal_width

    style = colours(sys.stdout)
    width = min(terminal_width(sys.stdout) or 100, 100)
    sys.stdout.write(f"\n{style.bold}{fill(text, width, break_on_hyphens=False, break_long_words=False)}{style.off}\n")
    sys.stdout.flush()


def show(arguments: list[str], end: str = "start") -> None:
    """Run a command as the user would, and show the beginning or the end of what it prints."""
    from dissensus.cli import main
    from dissensus.cli.terminal.table import colours

    style = colours(sys.stdout)
    sys.stdout.write(f"{style.dim}$ {shlex.join(['dissensus', *arguments])}{style.off}\n")
    sys.stdout.flush()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = main(arguments)
    lines = printed.getvalue().splitlines()
    hidden = len(lines) - LINES_SHOWN
    if hidden > 3:
        cut = f"… {hidden} more lines"
        lines = [*lines[:3], cut, *lines[-LINES_SHOWN:]] if end == "end" else [*lines[:LINES_SHOWN], cut]
    sys.stdout.write("".join(f"  {line}".rstrip() + "\n" for line in lines))
    if status:
        raise typer.Exit(status)
