"""Would another judge's labels give another winner? Outcomes of the other complete judges, computed when asked for.

The judge that is named gives the headline. Others who graded as good as all of the same documents could have given it.
One line says for whom the best set would differ. Of many only the first few are asked, and `multiverse` asks all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dissensus.errors import DissensusError

if TYPE_CHECKING:
    from dissensus.inference.comparison.outcome import Outcome
    from dissensus.tables.judgments import Judgments

COMPLETE = 0.95  # of the documents that the judge of the headline graded
MOST = 3  # other judges who are asked
Others = Callable[[str], "Sequence[Outcome]"]  # of a measure


def complete_judges(judgments: Judgments, own: str | None) -> tuple[str, ...]:
    """The other judges who graded nearly all documents that `own` graded, in their order; none where nobody is named.

    >>> from dissensus.tables.judgments import Judgments
    >>> some = {"a": {"q": {"x": 1, "y": 0}}, "b": {"q": {"x": 1, "y": 1}}, "c": {"q": {"x": 0}}}
    >>> complete_judges(Judgments.from_dict(some), "a")
    ('b',)
    """
    if own is None or own not in judgments.assessors or len(judgments.assessors) < 2:
        return ()
    place, once = judgments.assessors.index(own), judgments.repeat == 0
    graded = np.zeros(judgments.n_items, bool)
    graded[judgments.item[once & (judgments.assessor == place)]] = True
    shared = np.bincount(judgments.assessor[once & graded[judgments.item]], minlength=len(judgments.assessors))
    return tuple(a for i, a in enumerate(judgments.assessors) if i != place and shared[i] >= COMPLETE * graded.sum())


def asked_judges(judges: Sequence[str], conclude: Callable[[str], Outcome]) -> list[Outcome]:
    """The outcomes of the first few judges; one whose labels give no answer is left out."""
    out = []
    for judge in judges[:MOST]:
        try:
            out.append(conclude(judge))
        except DissensusError:
            continue
    return out
