"""From the scores of topics to one number: the mean, the sum (counts), or the geometric mean (GMAP).

Undefined topics (NaN) are left out; where none is defined the number is NaN.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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
