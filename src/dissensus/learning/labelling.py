"""Top-k labelling: find the k best documents, in order, by asking which of two is better.

A knock-out tournament finds the best of n documents in n − 1 questions. The next best has lost to it, so replaying the
winner's path, ⌈log₂ n⌉ questions, finds it: n + k log n questions in all, against n(n − 1)/2 for all pairs.

Reference: Niu, Guo, Lan & Cheng, "Top-k learning to rank: labeling, ranking and evaluation", SIGIR 2012.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, Literal, TypeVar

import numpy as np
import polars as pl

from dissensus.aliases import described
from dissensus.errors import InputError, Option, Text
from dissensus.results import Result, Table
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import HIGHEST, Scale

Document = TypeVar("Document", bound=Hashable)
Answer = bool | Literal["same"]


@dataclass(frozen=True)
class TopK(Generic[Document], Result):
    """`order` has the best documents, best first, `rest` the others, as they came, `questions` how many were asked."""

    order: tuple[Document, ...]
    rest: tuple[Document, ...]
    questions: int
    ties: tuple[tuple[Document, Document], ...] = ()  # pairs that were called the same

    @property
    def grades(self) -> dict[Document, int]:
        """Grades k…1 for the order and 0 for the rest; neighbours in the order that were called the same share one.

        >>> TopK(("a", "b", "c"), ("d",), 5, (("b", "a"),)).grades
        {'a': 2, 'b': 2, 'c': 1, 'd': 0}
        """
        same = {frozenset(pair) for pair in self.ties}
        steps = [0]
        for above, below in pairwise(self.order):
            steps.append(steps[-1] + (frozenset((above, below)) not in same))
        top = steps[-1] + 1 if self.order else 0
        found: dict[Document, int] = {d: top - step for d, step in zip(self.order, steps, strict=False)}
        return {**found, **dict.fromkeys(self.rest, 0)}

    def judgments(self, topic: str, assessor: str = "top-k") -> Judgments:
        """`grades` as judgments, on the scale 0…k."""
        k = len(self.order)
        if k > HIGHEST:
            raise InputError(f"the top {k} do not fit a scale: grades go up to {HIGHEST}.", f"Take k ≤ {HIGHEST}.")
        grades: dict[Any, int] = dict(self.grades)
        return Judgments.from_dict({assessor: {topic: grades}}, scale=Scale.range(0, max(k, 1)))

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"documents": Table.of(self._rows())}

    def _rows(self) -> pl.DataFrame:
        """rank, doc; rank is null for the rest."""
        docs = [str(d) for d in (*self.order, *self.rest)]
        ranks = [*range(1, len(self.order) + 1), *[None] * len(self.rest)]
        return pl.DataFrame({"rank": pl.Series(ranks, dtype=pl.Int64), "doc": docs})

    def __str__(self) -> str:
        best = " > ".join(map(str, self.order))
        return f"{best} ({len(self.rest):,} others, {self.questions:,} questions)"


@described
def top_k_labelling(
    documents: Sequence[Document], prefer: Callable[[Document, Document], Answer], k: int
) -> TopK[Document]:
    """The k best documents in order, found by asking which of two is better.

    At most n − 1 + (k − 1)·⌈log₂ n⌉ questions, in an order that depends on the answers alone. An answer is never asked
    for twice. Answers that contradict each other are taken as they come: the order then depends on the order of the
    documents.

    Parameters
    ----------
    documents
        The documents, in any order. Of two that are the same, the earlier one goes on.
    prefer
        A function of two documents: True if the first is better, False if the second is, or "same".
    k
        How many documents to put in order.

    Returns
    -------
    TopK
        `.order`, `.grades`, `.questions`. Its table:

        - `documents`: rank, doc

    Examples
    --------
    >>> top_k_labelling([3, 1, 4, 1.5, 9, 2, 6], lambda a, b: a > b, k=3).order
    (9, 6, 4)
    """
    items = list(documents)
    if len(set(items)) < len(items):
        twice = next(d for d in items if items.count(d) > 1)
        raise InputError(f"the document {twice!r} stands twice in the list.", "Give each document once.")
    if isinstance(k, bool) or not isinstance(k, int) or k < 1 or not items:
        raise InputError(
            Text(f"top_k_labelling of {len(items)} documents with ", Option("k", k), ": at least one of each.")
        )
    wanted = min(k, len(items))
    answers: dict[tuple[int, int], bool] = {}
    same: list[tuple[Document, Document]] = []

    def better(i: int, j: int) -> int:
        if i < 0 or j < 0:
            return max(i, j)
        if (i, j) not in answers:
            answer = prefer(items[i], items[j])
            if answer != "same" and not isinstance(answer, bool | np.bool_):
                raise InputError(
                    f"prefer({items[i]!r}, {items[j]!r}) answered {answer!r}; the answer is True, False or 'same'.",
                    "prefer(a, b) says whether a is better than b.",
                )
            if answer == "same":
                same.append((items[i], items[j]))
            answers[i, j] = i < j if answer == "same" else bool(answer)
        return i if answers[i, j] else j

    # a tournament in an array: leaves hold documents, inner places the better of their two children, −1 nobody
    size = 1 << (len(items) - 1).bit_length()
    tree = [-1] * size + list(range(len(items))) + [-1] * (size - len(items))
    for place in range(size - 1, 0, -1):
        tree[place] = better(tree[2 * place], tree[2 * place + 1])
    order: list[int] = []
    while True:
        best = tree[1]
        order.append(best)
        if len(order) == wanted:
            break
        place = size + best
        tree[place] = -1
        while place > 1:
            place //= 2
            tree[place] = better(tree[2 * place], tree[2 * place + 1])
    chosen = set(order)
    rest = tuple(d for i, d in enumerate(items) if i not in chosen)
    return TopK(tuple(items[i] for i in order), rest, len(answers), tuple(same))
