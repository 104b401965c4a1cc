"""Scores as plain arrays, and what a column of them is: whose, how its topics become one number, under which name.

The number of all topics is their mean, their sum (counts), or their geometric mean (GMAP). Undefined topics (NaN) are
left out; where none is defined the number is NaN.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dissensus.arrays import Floats, Values
from dissensus.errors import DissensusError, Fix, InputError, MeasureError
from dissensus.measures.catalog import measure as named
from dissensus.measures.measure import Measure
from dissensus.wording import counted
from dissensus.work.memory import with_room

if TYPE_CHECKING:
    import xarray as xr

DIMS = ("assessor", "system", "topic")
COPIES = 3  # of the scores are held while they are computed: kernel, table, result
How = Literal["mean", "sum", "geometric"]


@dataclass(frozen=True)
class ScoreArrays:
    """Scores as arrays (assessor, system, topic) by variable name, with the names of their axes."""

    values: dict[str, Floats]
    assessors: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    attrs: Values

    def means(self) -> dict[str, Floats]:
        """Each variable over the topics, (assessor, system): the mean, or what the measure names (sum, geometric)."""
        how = self.attrs.get("aggregates", {})
        return {name: aggregated(scores, how.get(name, "mean")) for name, scores in self.values.items()}

    @classmethod
    def of(cls, scores: xr.Dataset | ScoreArrays) -> ScoreArrays:
        """The arrays of a Dataset of `evaluate`; variables with other dims are left out."""
        if isinstance(scores, ScoreArrays):
            return scores
        names = [tuple(str(n) for n in scores.coords[dim].values) for dim in DIMS]
        tables = {str(n): v for n, v in scores.data_vars.items() if set(v.dims) == set(DIMS)}
        values = {n: np.asarray(v.transpose(*DIMS).values, np.float64) for n, v in tables.items()}
        return cls(values, names[0], names[1], names[2], dict(scores.attrs))

    def to_dataset(self) -> xr.Dataset:
        """The same as an `xarray.Dataset`, which finds a measure under each of its names."""
        from dissensus.measures.named_scores import Dataset

        axes = (self.assessors, self.systems, self.topics)
        coords = {dim: (dim, np.array(names, dtype=object)) for dim, names in zip(DIMS, axes, strict=True)}
        return Dataset({k: (DIMS, v) for k, v in self.values.items()}, coords=coords, attrs=dict(self.attrs))


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


def aggregate_of(variable: str, attrs: Mapping[Any, object]) -> How:
    """How a variable of scores becomes one number: as its attributes say, else as the measure of that name does."""
    known = attrs.get("aggregates")
    if isinstance(known, Mapping) and variable in known:
        how: How = known[variable]
        return how
    try:
        return named(variable).aggregate
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


def refuse_too_large(judges: int, systems: int, topics: int, measures: Sequence[object]) -> None:
    """Refuse scores that do not fit: every judge has a score of every system on every topic, judged or not."""
    several = f" × {len(measures)} measures" if len(measures) > 1 else ""
    with_room(
        COPIES * 8 * judges * systems * topics * len(measures),
        f"scores of {counted(judges, 'judge')} × {counted(systems, 'system')} × {counted(topics, 'topic')}{several}",
        Fix("Merge the judges into one first: dissensus merge.", reader="command"),
        Fix("Merge the judges into one first: ds.merge(judgments).judgments.", reader="python"),
        "Or name fewer measures, systems or topics at a time.",
    )
