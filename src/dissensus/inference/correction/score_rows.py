"""Corrected scores as rows: every system by every measure, NaN where a number is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from dissensus.inference.correction.fieller import score_intervals
from dissensus.measures.scores import aggregated

if TYPE_CHECKING:
    from dissensus.arrays import Floats, Values
    from dissensus.inference.correction.estimate import MeasureResult
    from dissensus.inference.correction.result import Corrected


def score_rows(found: Corrected) -> pl.DataFrame:
    """One row per measure and system."""
    ends: dict[str, Floats] = {}
    if found.options.interval == "bootstrap":
        parts = found.bootstrap().partition_by("measure", as_dict=True, maintain_order=True)
        ends = {str(name): rows.select("low", "high").to_numpy().T for (name,), rows in parts.items()}
    return pl.concat([pl.DataFrame(_of_measure(found, r, ends.get(r.name))) for r in found.results.values()])


def _of_measure(found: Corrected, r: MeasureResult, ends: Floats | None) -> Values:
    """The columns of one measure; `ends` are those of the intervals where they are not the estimate's own."""
    n, level = len(found.systems), found.level
    nothing = np.full((2, n), np.nan)
    known = np.zeros(n, bool) if r.refused else ~r.estimate.too_few
    low, high = score_intervals(r.estimate, level) if ends is None else ends
    numbers = {"corrected": r.estimate.theta, "se": r.estimate.se, "low": low, "high": high}
    gold = nothing if r.gold_only is None or r.refused else score_intervals(r.gold_only, level)
    columns: Values = {
        "measure": [r.name] * n,
        "system": list(found.systems),
        "naive": aggregated(r.naive),
        **{name: np.where(known, x, np.nan) for name, x in numbers.items()},
        "method": [str(r.estimate.method)] * n,
        "gold_low": gold[0],
        "gold_high": gold[1],
    }
    if any(x.bounds is not None for x in found.results.values()):
        none = nothing if r.weights is None else np.zeros((2, n))  # only linear measures have bounds
        columns["unjudged_low"], columns["unjudged_high"] = none if r.bounds is None else r.bounds
    if any(not p.why_not for p in found.pooled.values()):
        pooled = found.pooled[r.name]
        given = not r.refused and not pooled.why_not
        columns["pooled"] = pooled.theta if given else nothing[0]
        columns["pooled_low"], columns["pooled_high"] = score_intervals(pooled, level) if given else nothing
    return columns
