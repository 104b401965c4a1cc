"""`dissensus doctor`: what these files are, and what can be done with them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl

from dissensus.cli.build import argument
from dissensus.cli.inputs.options import FileReading, Saved, UnusedSeedOption
from dissensus.cli.parts.prescriptions import Cabinet, prescribe
from dissensus.errors import DissensusError
from dissensus.io.check.recognise import Recognised, recognise
from dissensus.io.judgment_rows import looks_like_preferences
from dissensus.judging.preferences.reading import read_preferences
from dissensus.wording import counted

FEW = 4  # files of one folder that have a row each


def command(
    files: Annotated[
        list[str],
        argument(metavar="FILES", help="Any files or quoted globs: runs, labels, audits, clicks, features …"),
    ],
    reading: FileReading = FileReading(),
    shown: Saved = Saved(),
    seed: UnusedSeedOption = 0,
) -> None:
    """Look at files, say what they are, and write out the commands that they support, ready to copy.

    Files are known by what is in them, not by their names. For commands that cannot be run, it says what is missing.

    Examples:
        dissensus doctor runs/* labels.csv audit.csv
        dissensus doctor "data/*" --json
    """
    shown.check()
    cabinet = Cabinet(tuple(_preferences(one) or one for path in files for one in recognise(path, reading.options)))
    advice = prescribe(cabinet)
    able, unable = [p for p in advice if not p.missing], [p for p in advice if p.missing]
    rows: list[tuple[str, str, str]] = [(f.path, f.what, f.holds or f.problem) for f in cabinet.files]
    if shown.on_terminal:
        rows = shortened(rows)
    tables = {
        "files": pl.DataFrame(rows, schema={"file": pl.String, "is": pl.String, "holds": pl.String}, orient="row"),
        "missing": pl.DataFrame(
            [{"command": p.command, "for": p.why, "needs": p.missing} for p in unable],
            schema={"command": pl.String, "for": pl.String, "needs": pl.String},
        ),
    }
    lines = [f"{p.line}    # {p.why}" for p in able] or ["no command can be run with these files alone."]
    if cabinet.other_scales:
        names = ", ".join(f.path for f in cabinet.other_scales)
        lines.append(f"left out, because their grades end elsewhere than those of the other labels: {names}")
    if len(cabinet.assessors) > 1 and able:
        named = ", ".join(cabinet.assessors[:8])
        lines.append(f"where one assessor is taken, --assessor names it: {named}")
    shown.emit(
        tables,
        title="What these files are",
        footer=lines,
        facts={"commands": [{"command": p.command, "for": p.why, "line": p.line} for p in able]},
    )


def _preferences(found: Recognised) -> Recognised | None:
    """The file as preferences, where it is one: four columns that end in a document look like labels with names."""
    if found.what not in ("unknown", "labels"):
        return None
    try:
        if not looks_like_preferences(Path(found.path)):
            return None
        given = read_preferences(found.path)
    except (DissensusError, OSError):
        return None
    holds = f"{counted(len(given), 'answer')}, {counted(len(given.assessors), 'assessor')}"
    return Recognised(found.path, "preferences", holds, topics=given.topics)


def shortened(rows: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Many files of one folder that hold the same amount of the same as one row.

    >>> shortened([(f"runs/{i}.run", "runs", "1 system, 5 topics") for i in range(9)] + [("a.csv", "labels", "")])
    [('9 files in runs', 'runs', '1 system, 5 topics each'), ('a.csv', 'labels', '')]
    """
    groups: dict[tuple[str, str, str], list[str]] = {}
    for path, what, holds in rows:
        groups.setdefault((str(Path(path).parent), what, holds), []).append(path)
    out: list[tuple[str, str, str]] = []
    for (folder, what, holds), paths in groups.items():
        if len(paths) > FEW and what != "unknown":
            out.append((f"{len(paths)} files in {folder}", what, f"{holds} each"))
        else:
            out += [(path, what, holds) for path in paths]
    return out
