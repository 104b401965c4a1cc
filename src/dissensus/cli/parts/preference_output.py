"""What `agree`, `merge` and `evaluate` do when they are given preferences instead of grades."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dissensus.cli.terminal.messages import say
from dissensus.errors import InputError
from dissensus.io.writers import write_judgments
from dissensus.judging.preferences.api import check_order_measures, orders_of, preferences
from dissensus.judging.preferences.merged_order import MergedOrder
from dissensus.judging.preferences.reading import read_preferences

if TYPE_CHECKING:
    from dissensus.cli.inputs.options import Output
    from dissensus.measures.measure import Measure
    from dissensus.tables.judgments import Judgments


def show_preferences(
    files: Sequence[str],
    shown: Output,
    *,
    gold: str | None,
    groups: str | None,
    dimension: str | None,
    write: Path | None,
    level: float,
    seed: int,
) -> None:
    """Strengths, agreement, position bias and, with gold, win rates that its votes rectify."""
    given = read_preferences(*files, dimension=dimension)
    result = preferences(given, gold=gold, groups=groups, dimension=dimension, level=level, seed=seed)
    if write is not None:
        given.write(str(write))
        say("note", f"wrote {write}")
    shown.show(result)


def refuse_options(given: dict[str, object]) -> None:
    """Refuse options that are for grades."""
    for flag, value in given.items():
        if value is not None:
            raise InputError(f"{flag} is for grades, and these files hold preferences.", "Leave it out.")


def merge_preferences(files: Sequence[str], shown: Output, *, seed: int, method: str, dimension: str | None) -> None:
    """One order of the documents of each topic from the answers of all assessors, as judgments."""
    if method != "majority":
        raise InputError(
            f"--method {method} merges grades, and these files hold preferences.",
            "Leave --method out: preferences are merged by Bradley–Terry strengths.",
        )
    result = MergedOrder(preferences(read_preferences(*files, dimension=dimension), items="topic", seed=seed))
    if shown.output is not None and shown.output.suffix.lower() in (".qrels", ".txt"):
        write_judgments(result.judgments, shown.output)
        say("note", f"wrote {shown.output}")
        shown = replace(shown, output=None)
    shown.show(result)


def judgments_from(files: Sequence[str], measures: Iterable[Measure]) -> Judgments:
    """Each assessor's order of the documents, for `evaluate`; only Compat may score by it."""
    check_order_measures(measures)
    return orders_of(read_preferences(*files))
