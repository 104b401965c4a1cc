"""How much of the way to the ceiling each run has come.

Runs are condensed first (unjudged documents taken out), because the ceiling ranks judged documents only. A share above
1 is not a mistake: the run knows more than one other judge does, or this topic's judges differ less than the matrix
says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.runs import Runs
from dissensus.errors import InputError
from dissensus.inference.ceiling.api import Ceiling
from dissensus.measures.evaluate import evaluate
from dissensus.measures.policies import Policies, Ties

if TYPE_CHECKING:
    import polars as pl


def ceiling_shares(runs: Runs, judgments: Judgments, limit: Ceiling, *, ties: Ties = Policies.ties) -> pl.DataFrame:
    """Polars frame assessor, system, score, ceiling, share, topics, best share first.

    Means are over the topics that have both a score and a ceiling; a topic missing from a run scores as an empty
    ranking.
    """
    import polars as pl

    who = tuple(dict.fromkeys(limit.assessor))
    scores = evaluate(runs, judgments.select(assessors=who), [limit.measure], unjudged="condense", ties=ties)
    table = scores[limit.measure]
    best = {(a, t): s for a, t, s in zip(limit.assessor, limit.topic, limit.score.tolist(), strict=True)}
    rows = []
    for assessor in who:
        topics = [str(t) for t in table.topic.values]
        ceiling = np.array([best.get((assessor, t), np.nan) for t in topics])
        for system in [str(s) for s in table.system.values]:
            score = table.sel(assessor=assessor, system=system).values
            both = ~np.isnan(score) & ~np.isnan(ceiling)
            if not both.any():
                continue
            mean, most = float(score[both].mean()), float(ceiling[both].mean())
            rows.append((assessor, system, mean, most, mean / most if most else float("nan"), int(both.sum())))
    if not rows:
        raise InputError("no run shares a topic with the ceiling.", "Check that topic ids are the same.")
    names = ["assessor", "system", "score", "ceiling", "share", "topics"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    return frame.sort("share", descending=True, maintain_order=True).sort("assessor", maintain_order=True)
