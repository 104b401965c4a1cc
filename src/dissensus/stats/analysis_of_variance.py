"""Balanced analysis of variance, any number of factors, chosen interactions, by sums of squares.

The data are an array with one axis per factor: every combination of levels was observed once (a further axis may hold
replicates). Effects are then differences of means, and no design matrix has to be built.

    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(6, 3, 4)) + np.array([0, 0.1, 3])[:, None]
    >>> table = anova(scores, {"topic": 6, "approach": ["mv", "em", "aware"], "measure": 4}, [("approach", "measure")])
    >>> [row.source for row in table.rows]
    ['topic', 'approach', 'measure', 'approach*measure', 'error', 'total']
    >>> table.tukey("approach").groups
    (('aware',), ('em', 'mv'))

Written by hand because statsmodels builds a design matrix of N × parameters, which for 34 approaches × 29 sizes × 3
measures × 2 collections already takes gigabytes. Groups of unequal size: `one_way`. Not for unbalanced designs of
several factors, whose sums of squares are no longer unique.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from dissensus.arrays import Floats
from dissensus.errors import InputError, Option, Text
from dissensus.results import Result, Table
from dissensus.stats.intervals import check_level

Term = tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """One line of the table; the error has no F, the total only SS and df."""

    source: str
    ss: float
    df: int
    ms: float | None = None
    f: float | None = None
    p_value: float | None = None
    omega2: float | None = None


@dataclass(frozen=True)
class Anova(Result):
    """The table, and what is needed to compare the levels of a factor."""

    rows: tuple[Row, ...]
    levels: dict[str, tuple[str, ...]]
    means: dict[str, Floats] = field(repr=False)
    n: int
    sizes: tuple[int, ...] | None = None  # of the groups of a one-way analysis, where they may differ

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know: effects smaller than noise alone would make them."""
        below = [r.source for r in self.rows if r.omega2 is not None and r.omega2 < 0]
        if not below:
            return ()
        return (
            f"ω² is below zero for {', '.join(below)}: F is under 1, the groups differ less than chance alone makes "
            "them differ; read it as no effect found (clip=True shows 0)",
        )

    def __getitem__(self, source: str) -> Row:
        for row in self.rows:
            if row.source == source:
                return row
        raise InputError(f"{source!r} is not a source of this table: {', '.join(r.source for r in self.rows)}.")

    @property
    def error(self) -> Row:
        return self["error"]

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"effects": Table.of(self._rows())}

    def _rows(self) -> pl.DataFrame:
        numbers = {"ss": pl.Float64, "ms": pl.Float64, "f": pl.Float64, "p_value": pl.Float64, "omega2": pl.Float64}
        return pl.DataFrame(
            [asdict(r) for r in self.rows], schema_overrides={"source": pl.String, "df": pl.Int64, **numbers}
        )

    def __str__(self) -> str:
        def shown(value: float | None, form: str) -> str:
            return "" if value is None else format(value, form)

        width = max(len(r.source) for r in self.rows)
        lines = [f"{'source':{width}} {'SS':>10} {'df':>7} {'MS':>10} {'F':>12} {'p':>9} {'ω²':>8}"]
        for r in self.rows:
            p = "" if r.p_value is None else "< 0.0001" if r.p_value < 1e-4 else f"{r.p_value:.4f}"
            lines.append(
                f"{r.source:{width}} {r.ss:>10.4f} {r.df:>7,} {shown(r.ms, '.4f'):>10} {shown(r.f, ',.4f'):>12} "
                f"{p:>9} {shown(r.omega2, '.4f'):>8}"
            )
        return "\n".join([*lines, *self.notes])

    def tukey(self, factor: str, *, level: float = 0.95) -> TukeyGroups:
        """Which levels of a factor cannot be told apart: Tukey's HSD with the error of the whole model."""
        if factor not in self.levels:
            raise InputError(f"{factor!r} is not a factor of this table: {', '.join(self.levels)}.")
        if self.sizes is not None and len(set(self.sizes)) > 1:
            raise InputError(
                f"the groups have different sizes ({', '.join(map(str, self.sizes))}): one distance does not fit all.",
                "Compare pairs with tukey_kramer.",
            )
        return tukey_groups(self.levels[factor], self.means[factor], self.error, self.n, level=level)


@dataclass(frozen=True)
class TukeyGroups:
    """Levels from the best mean down; a group holds levels that do not differ; a level may be in several."""

    levels: tuple[str, ...]
    means: tuple[float, ...]
    groups: tuple[tuple[str, ...], ...]
    critical: float  # means further apart than this differ
    level: float

    def to_frame(self) -> pl.DataFrame:
        marks = ["".join("X" if name in g else "·" for g in self.groups) for name in self.levels]
        return pl.DataFrame({"level": list(self.levels), "mean": list(self.means), "groups": marks})

    def __str__(self) -> str:
        width = max(map(len, self.levels))
        lines = [f"{n:{width}} {m:>9.4f}  {g}" for n, m, g in self.to_frame().iter_rows()]
        return "\n".join([*lines, f"means further apart than {self.critical:.4f} differ ({self.level * 100:g}%)"])


def anova(
    values: ArrayLike,
    factors: Mapping[str, int | Sequence[str]],
    interactions: Iterable[Term] = (),
    *,
    replicates: str | None = None,
    clip: bool = False,
) -> Anova:
    """Main effects of all factors, the interactions named, the rest is error.

    `factors` maps the name of each axis, in order, to its number of levels or their names; `replicates` is the name of
    an axis that holds repeated observations and has no effect. F = MS/MS_error; ω² = df(F−1)/(df(F−1)+N), negative
    where the effect is smaller than noise would make it: kept and explained in `notes`, 0 with `clip=True`.
    """
    x = np.asarray(values, np.float64)
    names = list(factors)
    levels = {name: _levels(name, factors[name]) for name in names}
    if x.shape != tuple(len(levels[n]) for n in names):
        wanted = ", ".join(f"{n} {len(levels[n])}" for n in names)
        raise InputError(f"values have shape {x.shape}, the factors say {wanted}.", "One axis per factor, in order.")
    if not np.isfinite(x).all():
        raise InputError(
            f"values hold {np.sum(~np.isfinite(x)):,} missing cells; a balanced analysis needs every cell.",
            "Leave out the levels that have gaps.",
        )
    if replicates is not None and replicates not in names:
        raise InputError(Text(Option("replicates", replicates), f" is not one of the factors {', '.join(names)}."))
    mains = [(n,) for n in names if n != replicates]
    terms = mains + [_interaction(t, [m[0] for m in mains]) for t in interactions]
    if len(set(map(frozenset, terms))) < len(terms):
        raise InputError("an interaction is named twice.")
    effects = {term: _effect(x, names, term) for term in terms}
    sums = {t: x.size * float((effects[t][0] ** 2).mean()) for t in terms}
    rows = table_rows(x, sums, {t: effects[t][1] for t in terms}, clip)
    means = {n: x.mean(axis=tuple(i for i, other in enumerate(names) if other != n)) for (n,) in mains}
    return Anova(tuple(rows), {n: levels[n] for (n,) in mains}, means, x.size)


def table_rows(x: Floats, sums: Mapping[Term, float], dfs: Mapping[Term, int], clip: bool = False) -> list[Row]:
    """The lines of the table from the sums of squares of its terms."""
    from scipy.special import fdtrc

    total = float(((x - x.mean()) ** 2).sum())
    df_error = x.size - 1 - sum(dfs.values())
    if df_error < 1:
        raise InputError(
            "the model leaves no degrees of freedom for the error.", "Leave out an interaction or add replicates."
        )
    ss_error = max(total - sum(sums.values()), 0.0)  # below zero only by rounding
    ms_error = ss_error / df_error
    rows = []
    for term, ss in sums.items():
        df = dfs[term]
        ms = ss / df
        f = ms / ms_error if ms_error > 0 else math.inf
        p = float(fdtrc(df, df_error, f))
        rows.append(Row("*".join(term), ss, df, ms, f, p, omega_squared(df, f, x.size, clip=clip)))
    return [*rows, Row("error", ss_error, df_error, ms_error), Row("total", total, x.size - 1)]


def omega_squared(df: int, f: float, n: int, *, clip: bool = False) -> float:
    """Share of variance a source accounts for: df(F−1)/(df(F−1)+N) (Olejnik & Algina 2003).

    >>> round(omega_squared(33, 171.8716, 5916), 4)
    0.488

    Below zero where F < 1: the unbiased estimate of no effect falls on either side of 0. `clip=True` cuts it there.
    """
    value = df * (f - 1) / (df * (f - 1) + n) if math.isfinite(f) else 1.0
    return max(value, 0.0) if clip else value


def _effect(x: Floats, names: list[str], term: Term) -> tuple[Floats, int]:
    """Means over all other factors, minus every effect of lower order; and the degrees of freedom."""
    axes = [names.index(n) for n in term]
    out = x.mean(axis=tuple(i for i in range(x.ndim) if i not in axes), keepdims=True)
    for axis in axes:  # centring each axis in turn takes all lower effects out at once
        out = out - out.mean(axis=axis, keepdims=True)
    return out, math.prod(x.shape[a] - 1 for a in axes)


def _interaction(term: Term, factors: list[str]) -> Term:
    unknown = [n for n in term if n not in factors]
    if unknown or len(set(term)) < max(len(term), 2):
        raise InputError(f"interaction {term!r}: two or more different factors out of {', '.join(factors)} are needed.")
    return tuple(term)


def _levels(name: str, given: int | Sequence[str]) -> tuple[str, ...]:
    levels = tuple(str(i) for i in range(given)) if isinstance(given, int) else tuple(map(str, given))
    if len(levels) < 2:
        raise InputError(f"factor {name!r} has {len(levels)} level(s); an effect needs two.", "Leave the factor out.")
    return levels


def tukey_groups(levels: Sequence[str], means: ArrayLike, error: Row, n: int, *, level: float = 0.95) -> TukeyGroups:
    """Tukey's HSD: two levels differ when |mean a − mean b| > q(level; k, df_error) √(MS_error / n per level)."""
    from scipy.stats import studentized_range

    values = np.asarray(means, np.float64)
    k = len(values)
    q = float(studentized_range.ppf(check_level(level), k, error.df))
    critical = q * math.sqrt((error.ms or 0.0) / (n / k))
    order = sorted(range(k), key=lambda i: (-values[i], levels[i]))
    ordered = values[order]
    # levels have equal n, so one distance separates any two, and groups are stretches of the ordered means
    stretches = [(i, int(np.searchsorted(-ordered, -(ordered[i] - critical), side="right"))) for i in range(k)]
    widest = [s for i, s in enumerate(stretches) if i == 0 or s[1] > stretches[i - 1][1]]
    names = [levels[i] for i in order]
    return TukeyGroups(
        tuple(names),
        tuple(float(v) for v in ordered),
        tuple(tuple(names[a:b]) for a, b in widest),
        critical,
        level,
    )


def all_interactions(factors: Iterable[str], order: int = 2) -> list[Term]:
    """Every interaction of 2…`order` factors, for `anova(…, interactions=)`.

    >>> all_interactions(["a", "b", "c"])
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    names: list[Any] = list(factors)
    return [t for size in range(2, order + 1) for t in itertools.combinations(names, size)]
