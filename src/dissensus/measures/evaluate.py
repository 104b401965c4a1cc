"""Runs and judgments in, scores out: one Dataset, every assessor, every policy stated.

`dissensus.measures.policies` says what each policy does and what its default is; the result states all four, and what
they did to how many. Data larger than memory are scored part by part (`divided`), with the same numbers and refusals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from dissensus.io.options import ReadKeywords, ReadOptions, spelled_out
from dissensus.measures.catalog import measure_list
from dissensus.measures.divided import evaluated, guarded
from dissensus.measures.measure import Measure
from dissensus.measures.parts import counted_part, put_together, with_scores
from dissensus.measures.policies import Empty, Policies, Ties, Topics, Unjudged
from dissensus.measures.scores import ScoreArrays
from dissensus.measures.worth import on_gains
from dissensus.tables.collection import Joined, join
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.windows.notebook import summary_html
from dissensus.wording import counted

if TYPE_CHECKING:
    import xarray as xr


@spelled_out
def evaluate(
    runs: object,
    judgments: object,
    measures: Iterable[str | Measure] | str | Measure,
    topics: Topics = Policies.topics,
    unjudged: Unjudged = Policies.unjudged,
    ties: Ties = Policies.ties,
    empty: Empty = Policies.empty,
    *,
    seed: int = 0,
    **reading: Unpack[ReadKeywords],
) -> xr.Dataset:
    """Scores of every system on every topic under every assessor.

    Returns
    -------
    xarray.Dataset
        One variable per measure, dims (assessor, system, topic). Policies and counts are in `attrs`, and
        `attrs["footer"]` is the line that belongs under every table made of it.

    Examples
    --------
    >>> import dissensus as ds
    >>> runs = ds.Runs.from_dict({"a": {"q1": {"d1": 2.0, "d2": 1.0}}})
    >>> judgments = ds.Judgments.from_dict({"ann": {"q1": {"d1": 0, "d2": 1}}})
    >>> float(ds.evaluate(runs, judgments, ["AP"])["AP"].sel(assessor="ann", system="a", topic="q1"))
    0.5
    """
    chosen, options = Policies(topics, unjudged, ties, empty), ReadOptions.of(**reading)
    return evaluated(runs, judgments, measure_list(measures), chosen, seed, options).to_dataset()


class Collection:
    """Runs joined with judgments, to be evaluated as often as you like.

    `with_labels(labels)` puts other label sets (documents × assessors, int8, as `labels`) under the same rankings
    without copying them; that is how hundreds of simulated judges are scored.
    """

    def __init__(self, runs: Runs, judgments: Judgments) -> None:
        self.joined: Joined = join(runs, judgments, classes=True)

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
        wanted = measure_list(measures)
        return guarded(self._by_gains(wanted), wanted, Policies(*policies, **named_policies), seed)

    def score(
        self, measures: Iterable[str | Measure] | str | Measure, *policies: Any, seed: int = 0, **named_policies: Any
    ) -> ScoreArrays:
        """The scores as plain arrays: what `evaluate` labels, for code that needs no labels; policies are its."""
        chosen = Policies(*policies, **named_policies)
        wanted = measure_list(measures)
        joined = self._by_gains(wanted)
        part = counted_part(joined, wanted, chosen, guarded=False)
        return put_together([with_scores(part, joined, seed, alone=True)])

    def _by_gains(self, measures: Sequence[Measure]) -> Joined:
        """The join, its labels ordered by gains where they have no order."""
        scale = self.joined.scale
        if scale.ordered or scale.worth is not None:
            return self.joined
        return self.joined.under(*on_gains(measures, self.joined.judgments))
