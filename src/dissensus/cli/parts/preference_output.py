"""What `agree`, `merge` and `evaluate` do when they are given preferences instead of grades."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from dissensus.cli.terminal.messages import say
from dissensus.errors import InputError
from dissensus.io.writers import write_judgments
from dissensus.judging.preferences.reading import read_preferences
from dissensus.judging.preferences.table import Preferences
from dissensus.judging.preferences.win_rates import rectified_win_rates

if TYPE_CHECKING:
    from dissensus.cli.inputs.options import Output
    from dissensus.measures.measure import Measure
    from dissensus.tables.judgments import Judgments


def show_preferences(
    files: Sequence[str], shown: Output, *, gold: str | None, write: Path | None, level: float, seed: int
) -> None:
    """Strengths, agreement, position bias and, with gold, win rates that its answers rectify."""
    from dissensus.judging.preferences.api import preferences

    given = read_preferences(*files)
    judges = given if gold is None else without(given, gold)
    result = preferences(judges, level=level, seed=seed)
    if write is not None:
        given.write(str(write))
        say("note", f"wrote {write}")
    everything = not shown.on_terminal
    tables = {"agreement": preferences(given, level=level).agreement if gold else result.agreement}
    tables |= {"position": result.position, "discrimination": result.judges, "strengths": result.strengths}
    units = "topics are the units" if result.items == "shared" else "within each topic, answers are the units"
    notes = [*result.notes, f"strengths: Bradley–Terry, {level:.0%} intervals, {units}"]
    if result.items == "shared" or everything:
        tables["win rates"] = result.wins
    if gold is not None:
        tables["rectified"] = rectified(judges, given.by(gold), level)
        notes.append(
            f"rectified: win rates of each judge corrected by {gold}'s answers; of the pairs with the same answer and "
            "order by the judge, each had the same chance to be audited"
        )
    if everything:
        tables["answers"] = given.to_frame()
    tables = {name: table for name, table in tables.items() if table.height}
    facts = {"items": result.items, "groups": result.groups, "shrunken": result.shrunken}
    shown.emit(tables, title="Preferences", footer=notes, facts=facts)


def refuse_options(given: dict[str, object]) -> None:
    """Refuse options that are for grades."""
    for flag, value in given.items():
        if value is not None:
            raise InputError(f"{flag} is for grades, and these files hold preferences.", "Leave it out.")


def without(prefs: Preferences, gold: str) -> Preferences:
    """The answers of all assessors but one."""
    prefs.by(gold)  # an error that names who there is
    others = [row for row in prefs.to_frame().iter_rows() if row[3] != gold]
    if not others:
        raise InputError(f"{gold} is the only assessor, so there is no judge to compare.", "Give a judge's answers.")
    return Preferences.from_rows(others)


def rectified(judges: Preferences, gold: Preferences, level: float) -> pl.DataFrame:
    """Win rates of every judge's pairs, naive and rectified by gold's answers to some of them."""
    parts = []
    for who in judges.assessors:
        table = rectified_win_rates(judges.by(who), gold, level=level)
        parts.append(table.select(pl.lit(who).alias("judge"), pl.all()))
    return pl.concat(parts)


def merge_preferences(files: Sequence[str], shown: Output, *, seed: int, method: str) -> None:
    """One order of the documents of each topic from the answers of all assessors, as judgments."""
    from dissensus.judging.preferences.api import preferences

    if method != "majority":
        raise InputError(
            f"--method {method} merges grades, and these files hold preferences.",
            "Leave --method out: preferences are merged by Bradley–Terry strengths.",
        )
    result = preferences(read_preferences(*files), items="topic", seed=seed)
    judgments = result.judgments()
    table = result.strengths.join(judgments.to_frame(), left_on=["topic", "item"], right_on=["topic", "doc"])
    notes = [
        *result.notes,
        "grade: the place in its topic's order, the least preferred 1; for Compat, which goes by order alone",
    ]
    if shown.output is not None and shown.output.suffix.lower() in (".qrels", ".txt"):
        write_judgments(judgments, shown.output)
        say("note", f"wrote {shown.output}")
        shown = replace(shown, output=None)
    table = table.sort(["topic", "strength"], descending=[False, True])
    columns = ("topic", "item", "grade", "strength", "se", "low", "high")
    shown.emit(table.select(columns), title="Order by preferences", footer=notes)


def judgments_from(files: Sequence[str], measures: Iterable[Measure]) -> Judgments:
    """Each assessor's order of the documents, for `evaluate`; only Compat may score by it."""
    from dissensus.judging.preferences.api import check_order_measures, orders_of

    check_order_measures(measures)
    return orders_of(read_preferences(*files))
