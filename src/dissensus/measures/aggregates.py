"""From the scores of topics to one number: the mean, the sum (counts), or the geometric mean (GMAP).

Undefined topics (NaN) are left out; where none is defined the number is NaN.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import DissensusError, InputError, MeasureError
from dissensus.measures.measure import Measure

Floats = NDArray[np.float64]
How = Literal["mean", "sum", "geometric"]


def aggregated(values: Floats, how: How = "mean") -> Floats:
    """One number from the last axis.

    >>> aggregated(np.array([[0.5, 1e-5], [1.0, np.nan]]), "geometric").round(6).tolist()
    [0.002236, 1.0]
    """
    defined = ~np.isnan(values)
    count = defined.sum(axis=-1)
    here = np.log(np.where(defined, values, 1.0)) if how == "geometric" else np.where(defined, values, 0.0)
    total = here.sum(axis=-1)
    mean = np.full(count.shape, np.nan)
    np.divide(total, 1 if how == "sum" else count, out=mean, where=count > 0)
    return np.exp(mean) if how == "geometric" else mean


def aggregates(variables: Iterable[str], measures: Iterable[Measure]) -> dict[str, How]:
    """How the topics of each variable become one number; `AP.low` goes with `AP`, standard errors are averaged."""
    how = {str(m): m.aggregate for m in measures}
    found: dict[str, How] = {}
    for name in variables:
        owner = next((m for m in how if name == m or name.startswith(f"{m}.")), None)
        found[name] = "mean" if owner is None or name == f"{owner}.se" else how[owner]
    return found


def aggregate_of(variable: str, attrs: Mapping[Any, Any]) -> How:
    """How a variable of scores becomes one number: as its attributes say, else as the measure of that name does."""
    known = attrs.get("aggregates")
    if isinstance(known, Mapping) and variable in known:
        how: How = known[variable]
        return how
    from dissensus.measures.catalog import measure

    try:
        return measure(variable).aggregate
    except DissensusError:
        return "mean"  # a column of a score table that no measure of ours is called


def for_means(values: Floats, how: How, name: str, topics: int | None = None) -> Floats:
    """Scores (systems × topics) whose mean over topics answers for the aggregate.

    The geometric mean is the mean of logarithms; a sum is the mean of n times the scores, over the n topics that all
    systems have, or so many `topics`.
    """
    if how == "geometric":
        if (values[np.isfinite(values)] <= 0).any():
            raise InputError(f"{name} is averaged geometrically, and some scores are not above 0.")
        return np.asarray(np.log(values), np.float64)
    if how == "sum":
        n = int(np.isfinite(values).all(axis=0).sum()) if topics is None else topics
        return np.asarray(values * n, np.float64)
    return values


def refuse_geometric(measure: Measure) -> None:
    """Refuse a geometric mean where errors of labels are corrected: they are additive on topics, not on logarithms."""
    if measure.aggregate == "geometric":
        plain = {"GMAP": "AP", "GMBpref": "Bpref"}.get(measure.name, "AP")
        raise MeasureError(
            f"{measure} is averaged geometrically over topics, and only means can be corrected and planned for.",
            f"Use {plain}, or compare {measure} without an audit.",
        )
