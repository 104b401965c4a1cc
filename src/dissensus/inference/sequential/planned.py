"""The sample of `ds.plan(…, order=True)`: all documents that count, in the order in which they are to be labelled."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from dissensus.data.tables.design import Coverage
from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.runs import Runs
from dissensus.inference.sequential.layout import lay_along
from dissensus.inference.sequential.order import commit, rates
from dissensus.measures.measure import Measure

if TYPE_CHECKING:
    import polars as pl


def ordered_sample(
    runs: Runs,
    judgments: Judgments,
    measure: Measure,
    systems: Sequence[str],
    assessor: str | None,
    *,
    scores: bool,
    seed: int,
    covers: Coverage,
) -> tuple[pl.DataFrame, list[str]]:
    """(topic, doc, grade, draw, rate, next_key, covers; notes): the order that `seed` commits to.

    `scores`: single scores are to be followed, so that documents which all systems rank equally are drawn, too.
    """
    import polars as pl

    layout = lay_along(runs, judgments, measure, tuple(systems), assessor, None)
    n = len(layout.systems)
    contrasts: list[tuple[int, int | None]] = [(i, None) for i in range(n)]
    if not scores and n > 1:
        contrasts = list(combinations(range(n), 2))
    order = commit(rates(layout, contrasts), seed)
    frame = order.to_frame(layout).with_columns(**{name: pl.lit(value) for name, value in covers.columns().items()})
    notes = [
        f"the order of all {len(order):,} documents that count is committed: grade them from draw 1, without gaps, and "
        "look as often as you like with sequential.",
        "keep the rows that have no grade: their rates belong to the calculation.",
    ]
    return frame, notes
