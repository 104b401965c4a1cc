"""Runs and judgments that a command was given, or the refusal of a command without them."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Sequence

from dissensus.errors import DissensusError, InputError
from dissensus.io.check.recognise import recognise

MISSING = "no judgments were given."


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
        f"trec_eval takes the qrels first. Here they follow --judgments: {right}",
    )
