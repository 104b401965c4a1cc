"""Agreement on each column of labels alone, where labels were put together from several (snippet, page).

Judges who differ on the whole label may agree on one half of it. A row for each column, and no row for labels of one.

    >>> frame = pl.DataFrame({"topic": ["1"] * 4, "doc": ["x", "x", "y", "y"], "assessor": ["a", "b"] * 2,
    ...                       "page": [2, 2, 0, 0], "style": ["dry", "odd", "odd", "dry"]})
    >>> labels = Judgments.from_frame(frame, labels=["page", "style"])
    >>> by_column(labels, Resampling("document", 0.95, 99, 0)).select("column", "labels", "equal").rows()
    [('page', 4, 1.0), ('style', 4, 0.0)]
"""

from __future__ import annotations

import polars as pl

from dissensus.judging.agreement.coefficient_interval import Resampling
from dissensus.judging.agreement.coefficients import alpha, percent, units
from dissensus.judging.label_table import labels as label_table
from dissensus.tables.judgments import Judgments

NUMBERS = ("equal", "equal.low", "equal.high", "alpha", "alpha.low", "alpha.high")


def by_column(judgments: Judgments, how: Resampling) -> pl.DataFrame:
    """column, values, labels, equal and alpha with their intervals; alpha is ordinal where the column has an order."""
    rows = []
    for name, _ in judgments.scale.facets:
        own = judgments.facet(name)
        table = label_table(own).first()
        counts = units(own, table)
        ordered = table.scale.ordered
        same, beyond = percent(counts, how), alpha(counts, "ordinal" if ordered else "nominal", ordered, how)
        pairs = [(c, c.low, c.high) for c in (same, beyond)]
        numbers = dict(zip(NUMBERS, [float(x) for pair in pairs for x in pair], strict=True))
        rows.append({"column": name, "values": str(own.scale), "labels": len(table), **numbers})
    text, whole = dict.fromkeys(("column", "values"), pl.String), {"labels": pl.Int64}
    return pl.DataFrame(rows, schema={**text, **whole, **dict.fromkeys(NUMBERS, pl.Float64)})
