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
from dissensus.inference.correction.questions import CorrectionOptions
from dissensus.inference.multiverse.tables import Universe
from dissensus.judging.leaderboards import DECIMALS
from dissensus.measures.policies import Policies
from dissensus.tables.audit import Audit, as_audit
from dissensus.tables.collection import join
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

SENTENCE = (
    "All judges are corrected by the same labels and share their noise. Agreement after an audit is not evidence that "
    "the judges are right."
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
    unscored: tuple[str, ...]  # systems for which the audit says too little under some judge

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
            options = CorrectionOptions(policies, assessor=judge, pooled=False, seed=seed)
            found = correct_under(runs, judgments, gold, names, options, joined)
        except DissensusError as problem:
            failed[judge] = str(problem).split("\n")[0]
            continue
        for u in universes:
            part = found.table.filter(found.table["measure"] == u.measure)
            score = {s: (n, c) for s, n, c in part.select("system", "naive", "corrected").iter_rows()}
            pair = np.array([score[s] for s in u.systems], np.float64)
            if np.isfinite(pair[:, 1]).any():
                rows[u.measure][judge] = (pair[:, 0], pair[:, 1])
    spreads = {u.measure: _spread(u, rows[u.measure], judgments.assessors, len(gold)) for u in universes}
    if not any(spreads.values()):
        why = next(iter(failed.values()), "it says too little about the systems")
        raise InputError(f"audit: fewer than two judges or systems can be corrected by it ({why}).", "Audit more.")
    return {name: one for name, one in spreads.items() if one is not None}


def _spread(u: Universe, rows: dict[str, tuple[Floats, Floats]], judges: Sequence[str], labels: int) -> Spread | None:
    """Of the systems that every judge's correction gives a score; None where there are fewer than two."""
    if len(rows) < 2:
        return None
    before, after = (np.stack(x) for x in zip(*rows.values(), strict=True))
    kept = np.isfinite(after).all(axis=0)
    if kept.sum() < 2:
        return None
    names = np.array(u.systems)
    return Spread(
        u.measure, tuple(names[kept].tolist()), tuple(rows), before[:, kept], after[:, kept], labels,
        tuple(j for j in judges if j not in rows), tuple(names[~kept].tolist()),
    )  # fmt: skip
