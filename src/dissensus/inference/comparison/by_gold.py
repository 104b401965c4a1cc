"""What is special where a gold judge corrects the scores of another one: its options, and what is beside each pair."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from dissensus.errors import Fix, InputError, Option, Text
from dissensus.inference.comparison.corrected_pairs import naive_differences
from dissensus.inference.comparison.difference import Difference
from dissensus.inference.comparison.engine import Family
from dissensus.inference.comparison.power import units_needed

if TYPE_CHECKING:
    from dissensus.inference.correction.score_tables import RectifiedScores


def check_options(gold: str | None, target: str, missing: str | None, test: str) -> None:
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


def beside_naive(
    pairs: list[Difference], corrected: RectifiedScores, f: Family, difference: float | None
) -> list[Difference]:
    """Corrected pairs with what the judge alone says of them; `difference` is one that matters to the user."""
    from dissensus.inference.correction.score_tables import METHOD

    naive, p = naive_differences(corrected.judge, f.a, f.b)
    gold, topics = int(corrected.topics.audited.sum()), corrected.judge.shape[1]
    untold = "nothing tells how the judge errs on the other topics: it errs equally on nearly all gold topics"
    out = []
    for k, d in enumerate(pairs):
        advice = d.advice
        if difference is not None and d.detectable > difference:
            m, n = (units_needed(x, d.detectable, difference) for x in (gold, topics))
            advice = f"a difference of {difference:g} would need about {n:,} topics, {m:,} of them with gold scores"
        notes = (f"no corrected difference, because {untold}.",) if math.isnan(d.difference) else d.notes
        out.append(replace(d, method=METHOD, naive=float(naive[k]), naive_p=float(p[k]), advice=advice, notes=notes))
    return out
