"""Options of a comparison that a gold judge's scores take, and those that change nothing without them."""

from __future__ import annotations

from dissensus.errors import Fix, InputError, Option, Text


def check_gold(gold: str | None, target: str, missing: str | None, test: str) -> None:
    """Refuse options that change nothing without gold, and tests that there are none of with it."""
    if gold is not None:
        if test == "t":
            return
        raise InputError(
            Text(Option("test", test), ": scores corrected by gold have their own test, Student's t."),
            Fix("Leave ", Option("test", None), " out."),
        )
    for option in (Option("target", target), Option("missing", missing)):
        if option.value not in ("population", "error", None):
            raise InputError(
                Text(option, " is about topics without gold scores, and no judge was named as gold."),
                Fix("Name one with ", Option("gold"), ", or leave it out."),
            )
