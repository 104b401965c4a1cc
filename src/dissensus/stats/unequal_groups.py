"""One-way analysis of variance with groups of unequal size, and which pairs of groups differ.

>>> table = one_way({"mv": [0.71, 0.74, 0.69], "em": [0.80, 0.83], "aware": [0.81, 0.84, 0.82, 0.85]})
>>> table["group"].df, round(table["group"].f, 2)
(2, 27.87)
>>> tukey_kramer({"mv": [0.71, 0.74, 0.69], "em": [0.80, 0.83], "aware": [0.81, 0.84, 0.82, 0.85]})["differs"].to_list()
[True, True, False]
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from dissensus.arrays import Floats
from dissensus.errors import InputError
from dissensus.stats.analysis_of_variance import Anova, table_rows
from dissensus.stats.intervals import check_level


def one_way(groups: Mapping[str, ArrayLike], *, name: str = "group", clip: bool = False) -> Anova:
    """The analysis of variance of one factor: F = (SS_between/(k−1)) / (SS_within/(N−k)); ω² = df(F−1)/(df(F−1)+N).

    `groups` maps each group to its observations; `name` is what the factor is called. The same table as `anova` gives
    where groups are of one size. Assumes equal variance within groups, which unequal sizes make matter.
    """
    values = _checked(groups)
    x = np.concatenate(list(values.values()))
    between = sum(len(v) * (v.mean() - x.mean()) ** 2 for v in values.values())
    rows = table_rows(x, {(name,): float(between)}, {(name,): len(values) - 1}, clip)
    means = np.array([v.mean() for v in values.values()])
    return Anova(tuple(rows), {name: tuple(values)}, {name: means}, len(x), tuple(map(len, values.values())))


def tukey_kramer(groups: Mapping[str, ArrayLike], *, level: float = 0.95) -> pl.DataFrame:
    """a, b, difference, low, high, p_value, differs: all pairs of groups of unequal size (Tukey 1953, Kramer 1956).

    a and b differ when |x̄_a − x̄_b| > q(level; k, N−k) √(MS_error/2 · (1/n_a + 1/n_b)).
    """
    from scipy.stats import studentized_range

    values = _checked(groups)
    error = one_way(values).error
    quantile = float(studentized_range.ppf(check_level(level), len(values), error.df))
    rows = []
    for (a, x), (b, y) in itertools.combinations(values.items(), 2):
        scale = math.sqrt((error.ms or 0.0) / 2 * (1 / len(x) + 1 / len(y)))
        d = float(x.mean() - y.mean())
        p = float(studentized_range.sf(abs(d) / scale, len(values), error.df)) if scale > 0 else float(d == 0)
        rows.append((a, b, d, d - quantile * scale, d + quantile * scale, p, abs(d) > quantile * scale))
    schema = ["a", "b", "difference", "low", "high", "p_value", "differs"]
    return pl.DataFrame(rows, schema=schema, orient="row")


def _checked(groups: Mapping[str, ArrayLike]) -> dict[str, Floats]:
    values = {str(name): np.asarray(v, np.float64).ravel() for name, v in groups.items()}
    if len(values) < 2:
        raise InputError(f"there are {len(values)} groups; an effect needs two.")
    for name, v in values.items():
        if not len(v):
            raise InputError(f"group {name!r} is empty.", "Leave it out.")
        if not np.isfinite(v).all():
            raise InputError(
                f"group {name!r} has {np.sum(~np.isfinite(v)):,} values that are not finite numbers.",
                "Leave missing observations out.",
            )
    return values
