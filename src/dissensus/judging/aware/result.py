"""Scores merged over assessors as a result: the scores, the weights, and what other ways of merging would have said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from dissensus.measures.scores import aggregated
from dissensus.results import Result, Table

if TYPE_CHECKING:
    from dissensus.judging.aware.api import AwareArrays
    from dissensus.judging.merging.merging_comparison import Ways

WEIGHTS = {"coverage": "share of the pool of the assessor's topics that it judged"}
WAYS = {
    "way": "the way of merging",
    "tau": "Kendall's tau between its order of systems and that of the first way",
    "tau_ap": "tau that counts the top more, against the first way",
    "largest move": "ranks that the system that moves most moves, against the first way",
    "best system": "the system with the highest score",
}


@dataclass(frozen=True, eq=False)
class MergedScores(Result):
    """Merged scores, and `ways`: for each measure what the order of systems would be under other ways of merging."""

    arrays: AwareArrays = field(repr=False)
    ways: Mapping[str, Ways] = field(default_factory=dict, repr=False)
    per_topic: bool = False

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return f"Scores merged by {self.arrays.scores.attrs['estimator']}"

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        over = "merged score of the topic by {name}" if self.per_topic else "mean merged score by {name}"
        found = {
            "scores": Table.of(self._scores(), rest=over),
            "weights": Table.of(self._weights(), WEIGHTS, rest="weight: {name}"),
        }
        for name, ways in self.ways.items():
            suffix = f" ({name})" if len(self.ways) > 1 else ""
            found[f"ways of merging{suffix}"] = Table.of(ways.correlations, WAYS)
            found[f"order of systems{suffix}"] = Table.of(ways.ranks, rest="mean score, or rank, by {name}")
        return found

    @property
    def notes(self) -> list[str]:
        """The estimator, what was left out, and how much each assessor judged."""
        return str(self.arrays.scores.attrs["footer"]).splitlines()

    @property
    def facts(self) -> dict[str, Any]:
        """How weights were estimated."""
        return {name: value for name, value in self.arrays.scores.attrs.items() if name != "footer"}

    def _scores(self) -> pl.DataFrame:
        """Merged scores, best system first."""
        scores = self.arrays.scores
        systems, topics = list(scores.systems), list(scores.topics)
        if self.per_topic:
            names = {"system": [s for s in systems for _ in topics], "topic": topics * len(systems)}
            return pl.DataFrame(names | {name: values[0].ravel() for name, values in scores.values.items()})
        table = pl.DataFrame({"system": systems, **{name: mean[0] for name, mean in scores.means().items()}})
        return table.sort(next(iter(scores.values)), descending=True)

    def _weights(self) -> pl.DataFrame:
        """Weight of every assessor, the mean over topics, and each topic's where asked."""
        scores, several = self.arrays.scores, len(self.arrays.weight) > 1
        coverage = scores.attrs["coverage"]
        assessors = list(scores.assessors[1:])
        columns: dict[str, Any] = {"assessor": assessors, "coverage": [coverage[a] for a in assessors]}
        for name, weight in self.arrays.weight.items():
            columns[f"weight {name}" if several else "weight"] = aggregated(weight)
            if self.per_topic:
                prefix = f"{name} " if several else ""
                columns.update({f"{prefix}{t}": weight[:, i] for i, t in enumerate(scores.topics)})
        return pl.DataFrame(columns).sort(next(c for c in columns if c.startswith("weight")), descending=True)
