"""Runs and judgments in, scores out: one Dataset, every assessor, every policy stated.

`dissensus.measures.policies` says what each policy does and what its default is; the result states all four.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dissensus.data.tables.collection import Joined, join, refuse_other_documents
from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.runs import Runs
from dissensus.errors import InputError
from dissensus.measures.catalog import measure as named
from dissensus.measures.judge_grades import check_grades_used
from dissensus.measures.measure import Floats, Measure
from dissensus.measures.policies import Empty, Policies, Ties, Topics, Unjudged
from dissensus.results import summary_html
from dissensus.work.plural import counted

if TYPE_CHECKING:
    import xarray as xr


def evaluate(
    runs: Runs,
    judgments: Judgments,
    measures: Iterable[str | Measure] | str | Measure,
    topics: Topics = Policies.topics,
    unjudged: Unjudged = Policies.unjudged,
    ties: Ties = Policies.ties,
    empty: Empty = Policies.empty,
    *,
    seed: int = 0,
) -> xr.Dataset:
    """Scores of every system on every topic under every assessor.

    Returns an `xarray.Dataset` with one variable per measure, dims (assessor, system, topic), policies and counts in
    `attrs`; `attrs["footer"]` is the line that belongs under every table made of it.

    >>> import dissensus as ds
    >>> runs = ds.Runs.from_dict({"a": {"q1": {"d1": 2.0, "d2": 1.0}}})
    >>> judgments = ds.Judgments.from_dict({"ann": {"q1": {"d1": 0, "d2": 1}}})
    >>> float(ds.evaluate(runs, judgments, ["AP"])["AP"].sel(assessor="ann", system="a", topic="q1"))
    0.5
    """
    return Collection(runs, judgments).evaluate(measures, topics, unjudged, ties, empty, seed=seed)


class Collection:
    """Runs joined with judgments, to be evaluated as often as you like.

    `with_labels(labels)` puts other label sets (documents × assessors, int8, as `labels`) under the same rankings
    without copying them; that is how hundreds of simulated judges are scored.
    """

    def __init__(self, runs: Runs, judgments: Judgments) -> None:
        self.joined: Joined = join(runs, judgments)

    @classmethod
    def of(cls, joined: Joined) -> Collection:
        """A collection around arrays that are already joined."""
        made = cls.__new__(cls)
        made.joined = joined
        return made

    def __repr__(self) -> str:
        counts = (len(self.joined.systems), len(self.joined.topics), *self.labels.shape)
        sizes = zip(counts, ("system", "topic", "document", "assessor"), strict=True)
        return f"Collection({', '.join(counted(n, what) for n, what in sizes)})"

    def _repr_html_(self) -> str:
        documents, assessors = self.labels.shape
        facts = (
            ("systems", len(self.joined.systems)), ("topics", len(self.joined.topics)), ("documents", documents),
            ("assessors", assessors),
        )  # fmt: skip
        return summary_html("Collection", facts)

    @property
    def labels(self) -> NDArray[np.int8]:
        """Labels, documents × assessors; rows are the judgments' items."""
        return self.joined.labels

    def with_labels(self, labels: NDArray[np.int8], assessors: Sequence[str] | None = None) -> Collection:
        """The same rankings under other label sets."""
        return Collection.of(self.joined.with_labels(labels, assessors))

    def evaluate(
        self,
        measures: Iterable[str | Measure] | str | Measure,
        topics: Topics = Policies.topics,
        unjudged: Unjudged = Policies.unjudged,
        ties: Ties = Policies.ties,
        empty: Empty = Policies.empty,
        *,
        seed: int = 0,
    ) -> xr.Dataset:
        """As `dissensus.evaluate`."""
        return self.checked(measures, topics, unjudged, ties, empty, seed=seed).to_dataset()

    def checked(
        self, measures: Iterable[str | Measure] | str | Measure, *policies: Any, seed: int = 0, **named_policies: Any
    ) -> ScoreArrays:
        """As `evaluate`, without xarray, whose import takes longer than scoring a small collection."""
        measures = measure_list(measures)
        self.check(measures)
        return self.score(measures, *policies, seed=seed, **named_policies)

    def check(self, measures: list[Measure]) -> None:
        """Refuse judgments that say nothing of the runs, or have no grade that a measure needs."""
        check_grades_used(self.joined.judgments, measures)
        refuse_other_documents(self.joined)

    def score(
        self, measures: Iterable[str | Measure] | str | Measure, *policies: Any, seed: int = 0, **named_policies: Any
    ) -> ScoreArrays:
        """The scores as plain arrays: what `evaluate` labels, for code that needs no labels; policies are its."""
        return _score(self.joined, measure_list(measures), Policies(*policies, **named_policies), seed)


@dataclass(frozen=True)
class ScoreArrays:
    """Scores as arrays (assessor, system, topic) by variable name, with the names of their axes."""

    values: dict[str, Floats]
    assessors: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    attrs: dict[str, Any]

    def means(self) -> dict[str, Floats]:
        """Each variable over the topics, (assessor, system): the mean, or what the measure names (sum, geometric)."""
        from dissensus.measures.aggregates import aggregated

        how = self.attrs.get("aggregates", {})
        return {name: aggregated(scores, how.get(name, "mean")) for name, scores in self.values.items()}

    @classmethod
    def of(cls, scores: xr.Dataset | ScoreArrays) -> ScoreArrays:
        """The arrays of a Dataset of `evaluate`; variables with other dims are left out."""
        if isinstance(scores, ScoreArrays):
            return scores
        dims = ("assessor", "system", "topic")
        names = [tuple(str(n) for n in scores.coords[dim].values) for dim in dims]
        tables = {str(n): v for n, v in scores.data_vars.items() if set(v.dims) == set(dims)}
        values = {n: np.asarray(v.transpose(*dims).values, np.float64) for n, v in tables.items()}
        return cls(values, names[0], names[1], names[2], dict(scores.attrs))

    def to_dataset(self) -> xr.Dataset:
        """The same as an `xarray.Dataset`."""
        import xarray as xr

        dims = ("assessor", "system", "topic")
        axes = (self.assessors, self.systems, self.topics)
        coords = {dim: (dim, np.array(names, dtype=object)) for dim, names in zip(dims, axes, strict=True)}
        return xr.Dataset({k: (dims, v) for k, v in self.values.items()}, coords=coords, attrs=dict(self.attrs))


def measure_list(measures: Iterable[str | Measure] | str | Measure, *, trec_eval: bool = False) -> list[Measure]:
    """Measures from names or objects, each once, in the order given; `trec_eval` reads names as that program does."""
    if isinstance(measures, str | Measure):
        measures = [measures]
    found = list(dict.fromkeys(named(m, trec_eval=trec_eval) for m in measures))
    if not found:
        raise InputError("no measure was asked for.", 'Name at least one, for example ["AP", "nDCG@10"].')
    return found


def _score(joined: Joined, measures: list[Measure], policies: Policies, seed: int) -> ScoreArrays:
    from dissensus.measures.account import describe
    from dissensus.measures.aggregates import aggregates

    values: dict[str, Floats] = {}
    for m in measures:
        m.check_scale(joined.scale)
    ranked = joined.segment_of >= 0
    counted = joined.in_topic[:, None, :] & (ranked[None] if policies.topics == "own" else True)
    for m in measures:
        for suffix, scores in _variables(m, joined, policies, seed).items():
            settled = np.nan_to_num(scores, nan=m.when_empty) if policies.empty == "zero" else scores
            values[f"{m}.{suffix}" if suffix else str(m)] = _only(counted, settled)
    keep = np.arange(len(joined.topics))
    if policies.topics == "shared":
        keep = np.flatnonzero(ranked.all(axis=0))
        values = {name: np.ascontiguousarray(scores[:, :, keep]) for name, scores in values.items()}
    return ScoreArrays(
        values,
        joined.assessors,
        joined.systems,
        joined.topics if len(keep) == len(joined.topics) else tuple(joined.topics[t] for t in keep),
        {**describe(joined, measures, policies, keep), "aggregates": aggregates(values, measures)},
    )


def _only(counted: NDArray[np.bool_], scores: Floats) -> Floats:
    """Contiguous scores, NaN where they do not count; whole tables are laid out anew, once."""
    if counted.all():
        return np.ascontiguousarray(scores)
    out = np.full(scores.shape, np.nan)
    np.copyto(out, scores, where=counted)
    return out


def _variables(m: Measure, joined: Joined, policies: Policies, seed: int) -> dict[str, Floats]:
    if policies.unjudged == "condense":
        from dissensus.measures.condense import condensed_scores

        return {"": condensed_scores(m, joined)}
    if policies.ties == "expected":
        from dissensus.measures.ties import expected_scores

        mean, error = expected_scores(m, joined, seed)
        return {"": mean} if error is None else {"": mean, "se": error}
    if policies.unjudged == "bounds":
        return {"": m.scores(joined), **m.bounds(joined)}
    return {"": m.scores(joined)}
