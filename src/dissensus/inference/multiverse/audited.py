"""Every judge corrected by the same audit: how far apart the judges are before and after.

The spread of a system's score over judges shrinks, because the same gold labels correct all of them. It shrinks to what
they now share, the audit's own noise. So judges that agree after an audit are no evidence that they are right. On TREC
2021 one audit of 383 labels took the spread from 0.151 to 0.016. The judges then named the right best system less often
than before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats
from dissensus.errors import DissensusError, InputError
from dissensus.inference.correction.api import correct_under
from dissensus.inference.multiverse.tables import Universe
from dissensus.judging.leaderboards import DECIMALS
from dissensus.measures.policies import Policies
from dissensus.tables.audit import Audit, as_audit
from dissensus.tables.collection import join
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

SENTENCE = (
    "All judges are corrected by the same labels and share their noise: agreement after an audit is not evidence that "
    "the judges are right"
)


@dataclass(frozen=True, eq=False)
class Spread:
    """Of one measure: scores judge × system before and after, and the judges that could not be corrected."""

    measure: str
    systems: tuple[str, ...]
    judges: tuple[str, ...]
    before: Floats
    after: Floats
    labels: int
    failed: tuple[str, ...]

    @property
    def sd(self) -> tuple[Floats, Floats]:
        """Standard deviation of every system's score over judges, (before, after)."""
        return self.before.std(axis=0, ddof=1), self.after.std(axis=0, ddof=1)

    def winners(self) -> tuple[list[str], list[str]]:
        """The system with the highest score under every judge, (before, after); the first of several."""
        before, after = (np.round(x, DECIMALS).argmax(axis=1).tolist() for x in (self.before, self.after))
        return [self.systems[s] for s in before], [self.systems[s] for s in after]


def audited(
    runs: Runs,
    judgments: Judgments,
    audit: Audit | Judgments,
    universes: Sequence[Universe],
    policies: Policies,
    seed: int,
) -> dict[str, Spread]:
    """Corrected scores of every judge and measure; a judge whose correction is refused is set aside and named."""
    gold = as_audit(audit)
    names = [u.measure for u in universes]
    rows: dict[str, dict[str, tuple[Floats, Floats]]] = {name: {} for name in names}
    failed: dict[str, str] = {}
    joined = join(runs, judgments)
    for judge in judgments.assessors:
        try:
            found = correct_under(
                runs, judgments, gold, names, policies, joined, assessor=judge, pooled=False, seed=seed,
            )  # fmt: skip
        except DissensusError as problem:
            failed[judge] = str(problem).split("\n")[0]
            continue
        for u in universes:
            part = found.table.filter(found.table["measure"] == u.measure)
            score = {s: (n, c) for s, n, c in part.select("system", "naive", "corrected").iter_rows()}
            pair = np.array([score[s] for s in u.systems], np.float64)
            if np.isfinite(pair).all():
                rows[u.measure][judge] = (pair[:, 0], pair[:, 1])
    if not any(len(v) > 1 for v in rows.values()):
        why = next(iter(failed.values()), "no corrected scores came out")
        raise InputError(f"audit: fewer than two judges can be corrected by it ({why}).", "Audit more documents.")
    return {
        u.measure: Spread(
            u.measure, u.systems, tuple(rows[u.measure]), np.stack([b for b, _ in rows[u.measure].values()]),
            np.stack([a for _, a in rows[u.measure].values()]), len(gold),
            tuple(j for j in judgments.assessors if j not in rows[u.measure]),
        )
        for u in universes
        if len(rows[u.measure]) > 1
    }  # fmt: skip
