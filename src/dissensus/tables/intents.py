"""Intents: what a topic may be about, each with judgments of its own (TREC's diversity qrels, column 2).

An intent is to a topic what an assessor is to a document: judgments come per assessor *and* intent. Measures of novelty
and diversity look at every intent; for all others a document's grade is the highest that any intent gives it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.tables.columns import freeze_arrays
from dissensus.tables.ids import natural_order
from dissensus.tables.scale import UNJUDGED
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.tables.judgments import Judgments


@dataclass(frozen=True, eq=False)
class Intents:
    """Labels items × columns; column c is intent `names[c]` by assessor number `owner[c]`, owners ascending."""

    names: tuple[str, ...]
    owner: NDArray[np.int64]
    labels: NDArray[np.int8]

    def __post_init__(self) -> None:
        freeze_arrays(self)

    def select(self, items: NDArray[np.integer] | slice, assessors: Sequence[int]) -> Intents:
        """Some items and some assessors, who are numbered anew in the order given."""
        columns = [c for a in assessors for c in np.flatnonzero(self.owner == a)]
        number = {a: i for i, a in enumerate(assessors)}
        return Intents(
            tuple(self.names[c] for c in columns),
            np.array([number[int(self.owner[c])] for c in columns], np.int64),
            np.ascontiguousarray(self.labels[items][:, columns]),
        )


def pair_names(assessor: Sequence[str], intent: Sequence[str]) -> tuple[list[str], dict[str, tuple[str, str]]]:
    """(one name for each row's assessor and intent, which assessor and intent each name means)."""
    meaning = {f"{a}, intent {i}": (a, i) for a, i in dict.fromkeys(zip(assessor, intent, strict=True))}
    return [f"{a}, intent {i}" for a, i in zip(assessor, intent, strict=True)], meaning


def with_intents(pairs: Judgments, meaning: dict[str, tuple[str, str]]) -> Judgments:
    """Judgments whose assessors are named by `pair_names`, as judgments of the assessors with their intents."""
    who = [meaning[name][0] for name in pairs.assessors]
    names = list(dict.fromkeys(who))
    assessors = [names[i] for i in natural_order(names)]
    owner = np.array([assessors.index(a) for a in who], np.int64)
    order = np.argsort(owner, kind="stable")
    labels = pairs.matrix()
    best = np.full((len(labels), len(assessors)), UNJUDGED, np.int8)
    for column, a in enumerate(owner):
        best[:, a] = np.maximum(best[:, a], labels[:, column])
    item, assessor = np.nonzero(best > UNJUDGED)
    intents = Intents(
        tuple(meaning[pairs.assessors[c]][1] for c in order), owner[order], np.ascontiguousarray(labels[:, order])
    )
    distinct = len(set(intents.names))
    note = f"{counted(distinct, 'intent')}: outside of diversity measures a document's highest grade counts"
    return replace(
        pairs,
        assessors=tuple(assessors),
        item=item.astype(np.int32),
        assessor=assessor.astype(np.int32),
        grade=best[item, assessor],
        repeat=np.zeros(len(item), np.int32),
        value=None,
        notes=(*pairs.notes, note),
        intents=intents,
    )
