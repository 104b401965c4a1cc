"""Is this Runs, is this Judgments? The two are easily exchanged, or given as the paths and dicts they come from."""

from __future__ import annotations

from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.runs import Runs
from dissensus.errors import InputError


def check_runs_kind(runs: object) -> None:
    """Refuse what is not Runs, with the way to make some."""
    _check(runs, "runs", Runs)


def check_judgments_kind(judgments: object) -> None:
    """Refuse what is not Judgments, with the way to make some."""
    _check(judgments, "judgments", Judgments)


def _check(given: object, role: str, kind: type[Runs] | type[Judgments]) -> None:
    if isinstance(given, kind):
        return
    raise InputError(
        f"{role} is a {type(given).__name__}, not {kind.__name__}.",
        "Runs come first, then judgments, where both are wanted."
        if isinstance(given, Runs | Judgments)
        else f"Read files with read_{role}, or use {kind.__name__}.from_dict or {kind.__name__}.from_frame.",
    )
