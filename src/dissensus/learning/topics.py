"""`label`: the top k documents of every topic, found by asking which of two is better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from dissensus.aliases import described
from dissensus.learning.labelling import Answer, TopK, top_k_labelling
from dissensus.results import Result, Table
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale

Ask = Callable[[str, str, str], Answer]


class Enough(Exception):
    """The person who answers has answered enough for now."""


@dataclass(frozen=True, eq=False)
class Labelled(Result):
    """The best documents of every topic that was finished. `stopped` names the topic at which it stopped."""

    topics: Mapping[str, TopK[str]] = field(repr=False)
    top_k: int
    assessor: str = "me"
    stopped: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What stands above the table."""
        return f"Top {self.top_k} by preference"

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        rows = [(t, place, d) for t, found in self.topics.items() for place, d in enumerate(found.order, start=1)]
        schema = {"topic": pl.String, "rank": pl.Int64, "doc": pl.String}
        return {"order": Table.of(pl.DataFrame(rows, orient="row", schema=schema))}

    @property
    def judgments(self) -> Judgments:
        """Grades k…1 for the best documents in order, 0 for the others."""
        k = max(len(found.order) for found in self.topics.values())
        grades = {topic: found.grades for topic, found in self.topics.items()}
        return Judgments.from_dict({self.assessor: grades}, scale=Scale.range(0, max(k, 1)))


@described
def label(
    documents: Mapping[str, Iterable[str]],
    prefer: Ask,
    top_k: int = 10,
    *,
    assessor: str = "me",
    shuffle: bool = True,
    seed: int = 0,
) -> Labelled:
    """Find the top k documents of every topic by asking for preferences.

    A tournament needs about n + k·log₂ n questions per topic. Neighbours that were called the same share a grade.

    Parameters
    ----------
    documents
        {topic: its documents}.
    prefer
        A function of topic and two documents: True if the first is better, False if the second is, or "same".
    top_k
        How many documents to put in order.
    assessor
        Who is answering.
    shuffle
        Ask about documents in random order, against position bias.

    Returns
    -------
    Labelled
        `.judgments` has grades k…1 for the best documents, 0 for the others. Its table:

        - `order`: topic, rank, doc

    Examples
    --------
    >>> import dissensus as ds
    >>> ds.label({"q1": ["b", "d", "a", "c"]}, lambda topic, x, y: x < y, top_k=2).to_frame()["doc"].to_list()
    ['a', 'b']
    """
    found: dict[str, TopK[str]] = {}
    for number, (topic, docs) in enumerate(documents.items()):
        order: Sequence[str] = list(docs)
        if shuffle:
            order = np.random.default_rng([seed, number]).permutation(np.array(order, dtype=object)).tolist()
        try:
            found[topic] = top_k_labelling(order, lambda a, b, topic=topic: prefer(topic, a, b), top_k)  # type: ignore[misc]
        except Enough:
            return Labelled(found, top_k, assessor, topic)
    return Labelled(found, top_k, assessor)
