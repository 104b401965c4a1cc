"""The results of `make bench` by commit, and the page that draws them.

    python -m bench --keep          run the benchmarks, and write bench/history/DATE-COMMIT-MACHINE.json
    python -m bench.kept            the page as Markdown; the site has it as docs/evidence/benchmarks

A file says which commit was timed, when, on which machine, how busy that was, and with which versions. Seconds of two
machines are not compared, so each machine has lines of its own. Nothing here is a test: times belong to a machine.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from bench.rows import Row

ROOT = Path(__file__).resolve().parents[1]
HISTORY = Path(__file__).with_name("history")
WIDE, TALL = 150, 26
COLOURS = ("#0b62a3", "#b3541e", "#3a7d44", "#7a4fa3")  # by machine; each has a shape of its own, too


# ── keeping ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def keep(rows: Sequence[tuple[str, Row]], machine: str, versions: str, folder: Path = HISTORY) -> Path:
    """Write what was measured beside what was there before; rows of other benchmarks of this commit stay."""
    commit, changed = commit_of(ROOT)
    name = re.sub(r"[^a-z0-9]+", "-", (platform.node() or "machine").lower()).strip("-")
    now = datetime.now(UTC)
    file = folder / f"{now:%Y-%m-%d}-{commit}{'-changed' if changed else ''}-{name}.json"
    measured = [{"bench": bench, **asdict(row)} for bench, row in rows]
    timed = {bench for bench, _ in rows}
    if file.exists():
        measured = [r for r in json.loads(file.read_text("utf-8"))["rows"] if r["bench"] not in timed] + measured
    value = {
        "schema": 1, "commit": commit, "changed": changed, "at": now.isoformat(timespec="seconds"), "name": name,
        "machine": machine.removeprefix("Machine: "), "cores": os.cpu_count(), "load": load(),
        "versions": versions.removeprefix("Versions: "), "rows": measured,
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return file


def commit_of(place: Path) -> tuple[str, bool]:
    """The commit that is checked out, and whether files differ from it; "unknown" outside of git."""
    try:
        git = ["git", "-C", str(place)]
        commit = subprocess.check_output([*git, "rev-parse", "--short=8", "HEAD"], text=True, stderr=subprocess.DEVNULL)
        status = [*git, "status", "--porcelain", "--untracked-files=no"]
        return commit.strip(), bool(subprocess.check_output(status, text=True).strip())
    except (OSError, subprocess.CalledProcessError):
        return "unknown", False


def load() -> float | None:
    """How many processes wanted a core in the last minute; None where the system does not say."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


# ── drawing ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def history(folder: Path = HISTORY) -> list[dict[str, Any]]:
    """All kept results, the oldest first."""
    return sorted((json.loads(p.read_text("utf-8")) for p in folder.glob("*.json")), key=lambda r: str(r["at"]))


def page(kept: list[dict[str, Any]]) -> str:
    """Which commits were timed where, then for each benchmark the newest numbers, and all before as marks."""
    from bench.__main__ import seconds, times

    parts = ["# Benchmarks", INTRODUCTION]
    if not kept:
        return "\n\n".join([*parts, "Nothing is kept yet.", ""])
    machines = list(dict.fromkeys(r["name"] for r in kept))
    parts.append(
        "\n".join(["| commit | date | machine | load | benchmarks |", "|---|---|---|---:|---|", *map(_run, kept)])
    )
    for bench in sorted({row["bench"] for r in kept for row in r["rows"]}):
        lines = ["| what | dissensus | peer | its time | ratio | seconds so far |", "|---|---:|---|---:|---:|---|"]
        for what in dict.fromkeys(row["what"] for r in kept for row in r["rows"] if row["bench"] == bench):
            points = [
                (machines.index(r["name"]), row)
                for r in kept
                for row in r["rows"]
                if (row["bench"], row["what"]) == (bench, what)
            ]
            newest = Row(**{k: v for k, v in points[-1][1].items() if k != "bench"})
            cells = [
                what.replace("|", "\\|"), seconds(newest.ours_seconds), newest.peer or "–",
                seconds(newest.peer_seconds), times(newest.ratio),
                drawing([(m, float(row["ours_seconds"])) for m, row in points], what),
            ]  # fmt: skip
            lines.append("| " + " | ".join(cells) + " |")
        parts += [f"## {bench}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


INTRODUCTION = """What `make bench` measured, by commit and machine. Ratios are the peer's seconds divided by ours, both
measured in the same run on the same machine. Under load both numbers grow, so compare seconds only between rows of one
machine at a load below its number of cores. A mark in the last column is one run, from left to right in time. It is
higher where dissensus took longer, and each machine has its own shape."""


def _run(run: dict[str, Any]) -> str:
    names = ", ".join(dict.fromkeys(row["bench"] for row in run["rows"]))
    busy = "–" if run["load"] is None else f"{run['load']:g} of {run['cores']}"
    changed = " (and changes)" if run["changed"] else ""
    return f"| `{run['commit']}`{changed} | {run['at'][:10]} | {run['machine']} | {busy} | {names} |"


def drawing(points: list[tuple[int, float]], what: str) -> str:
    """Marks and lines of each machine along time, from 0 to the longest time.

    >>> drawing([(0, 1.0), (0, 2.0)], "x").count("<circle")
    2
    """
    most = max(value for _, value in points) or 1.0
    step = (WIDE - 12) / max(len(points) - 1, 1)
    at = [(m, 6 + i * step, TALL - 4 - (TALL - 8) * value / most) for i, (m, value) in enumerate(points)]
    out = []
    for m in sorted({m for m, *_ in at}):
        colour, mine = COLOURS[m % len(COLOURS)], [(x, y) for which, x, y in at if which == m]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in mine)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        for x, y in mine:
            round_ = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
            square = f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6" fill="{colour}"/>'
            out.append(square if m % 2 else round_)
    label = escape(f"{what}: {len(points)} runs, the longest {most:.3g} s", quote=True).replace("|", "&#124;")
    return f'<svg width="{WIDE}" height="{TALL}" role="img" aria-label="{label}">{"".join(out)}</svg>'


if __name__ == "__main__":
    sys.stdout.write(page(history()))
