"""Every assessor's preferences as an order of the documents of each topic: judgments for `Compat`.

    >>> from dissensus.judges.preferences.table import Preferences
    >>> rows = [("q", "d1", "d2", "ann", "a"), ("q", "d2", "d3", "ann", "a"), ("q", "d1", "d2", "bob", "b")]
    >>> orders_of(Preferences.from_rows(rows)).to_frame().rows()[:3]
    [('q', 'd1', 'ann', 3), ('q', 'd1', 'bob', 1), ('q', 'd2', 'ann', 2)]

Grades only number the places, the least preferred 1, so a measure that adds gains up has nothing to add here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dissensus.errors import Fix, MeasureError, Option
from dissensus.judges.preferences.api import preferences
from dissensus.judges.preferences.table import Preferences
from dissensus.measures.measure import Measure

if TYPE_CHECKING:
    from dissensus.data.tables.judgments import Judgments


def orders_of(prefs: Preferences) -> Judgments:
    """Judgments with the order of each assessor: Bradley–Terry strengths within the topics, from its answers alone."""
    import polars as pl

    from dissensus.data.tables.judgments import Judgments

    parts = [preferences(prefs.by(who), items="topic").judgments(who).to_frame() for who in prefs.assessors]
    return Judgments.from_frame(pl.concat(parts))


def check_order_measures(measures: Iterable[Measure]) -> None:
    """Refuse measures that would take places in an order for grades."""
    from dissensus.measures.families.compatibility import Compat

    wrong = [m for m in measures if not isinstance(getattr(m, "inner", m), Compat)]
    if wrong:
        raise MeasureError(
            f"{wrong[0]} needs grades, and preferences only order the documents.",
            Fix("Use ", Option("measure", "Compat(p=0.8)"), ", which compares a ranking with that order."),
        )
