"""May this judge replace an assessor *for ranking systems*? The same question, asked of leaderboards.

A judge can be as near to the others as any human, document by document, and still favour one kind of system. So leave
each human h out in turn, score the systems by every assessor on the documents that h and the judge both judged (other
documents are taken out of the rankings), and compare orders:

    τ_f = τ(mean scores by the judge, by the other humans),    τ_h = τ(mean scores by h, by the other humans)

H0: τ_h − τ_f ≥ ε. Topics are resampled, all assessors together; the p-value is the share (k+1)/(B+1) of resamples in
which τ_h − τ_f, centred as seen, reaches ε. Over humans p-values are adjusted by Benjamini and Yekutieli at .05.

Not for few topics or systems: with fewer than 10 topics or 4 systems orders are mostly chance, and it is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from dissensus.arrays import Floats
from dissensus.errors import InputError
from dissensus.judging.aware.random_judges import scores_of
from dissensus.judging.replaceability import LEVEL, benjamini_yekutieli
from dissensus.measures.catalog import measure as named
from dissensus.measures.measure import Measure
from dissensus.results import Result, Table
from dissensus.stats.correlation import kendall_tau
from dissensus.tables.collection import join
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.wording import counted
from dissensus.work.seeds import generator

TOPICS, SYSTEMS = 10, 4
RESAMPLES = 999


@dataclass(frozen=True, eq=False)
class LeaderboardReplaceability(Result):
    """`winning_rate` is the share of humans for whom H0 is rejected.

    `table` has assessor, topics, judge_tau (τ_f), human_tau (τ_h), difference (τ_h − τ_f), low, high, p_value,
    adjusted, replaceable.
    """

    judge: str
    measure: str
    epsilon: float
    winning_rate: float
    table: pl.DataFrame
    notes: tuple[str, ...] = ()

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"replaceability": Table.of(self.table, {"adjusted": "p-value, adjusted for the number of people"})}

    def __str__(self) -> str:
        word = "is" if self.winning_rate >= 0.5 else "is not shown to be"
        wins = int(self.table["replaceable"].sum())
        text = (
            f"For the order of systems by {self.measure}, {self.judge} {word} as near to the others as one of them, "
            f"within ε = {self.epsilon:g} of τ ({wins} of {counted(self.table.height, 'assessor')})."
        )
        return "\n".join((text, *self.notes))


def leaderboard_replaceability(
    runs: Runs,
    judgments: Judgments,
    judge: str,
    humans: Sequence[str],
    measure: str | Measure = "nDCG@10",
    epsilon: float = 0.2,
    *,
    seed: int = 0,
) -> LeaderboardReplaceability:
    """Is the judge's order of systems nearer to the others' than a human's is? See the module."""
    names = judgments.assessors
    chosen = list(humans)
    for option, value in (("judge", judge), *(("humans", h) for h in chosen)):
        if value not in names:
            raise InputError(f"{option}={value!r}: no assessor has that name.", f"Assessors: {', '.join(names[:10])}")
    if len(chosen) < 2 or judge in chosen:
        raise InputError(
            f"two or more humans beside the judge are needed, not {', '.join(chosen) or 'none'}.",
            "Name other assessors.",
        )
    found = named(measure) if isinstance(measure, str) else measure
    rows, few = [], []
    for h in chosen:
        scores = _scores(runs, judgments, judge, h, chosen, found)
        if scores is None:
            few.append(h)
        else:
            rows.append((h, *_compared(*scores, epsilon, seed)))
    if not rows:
        raise InputError(
            f"no human shares {TOPICS} topics with {judge!r} and another human on {SYSTEMS} systems or more.",
            "With fewer, orders of systems are mostly chance.",
        )
    names_of = ["assessor", "topics", "judge_tau", "human_tau", "difference", "low", "high", "p_value"]
    table = pl.DataFrame(rows, schema=names_of, orient="row")
    adjusted = benjamini_yekutieli(table["p_value"].to_numpy())
    table = table.with_columns(adjusted=pl.Series(adjusted), replaceable=pl.Series(adjusted <= LEVEL))
    notes = (f"too few shared topics: {', '.join(few)}",) if few else ()
    return LeaderboardReplaceability(
        judge, str(found), epsilon, float((adjusted <= LEVEL).mean()), table, (*judgments.notes, *notes)
    )


def _scores(
    runs: Runs, judgments: Judgments, judge: str, human: str, humans: Sequence[str], measure: Measure
) -> tuple[Floats, Floats, Floats] | None:
    """Scores system × topic by the judge, the human, and the mean of the others, on documents that both judged."""
    both = judgments.matrix([judge, human])
    shared = np.all(both >= 0, axis=1)
    part = judgments.rows(shared[judgments.item])
    others = [h for h in humans if h != human]
    kept = part.select(assessors=[judge, human, *others])
    if len(kept.assessors) < 3:
        return None
    joined = join(runs, kept)
    scores = scores_of(joined, measure, True)
    place = {name: i for i, name in enumerate(joined.assessors)}
    with np.errstate(invalid="ignore"):
        rest = scores[[place[o] for o in others if o in place]]
        known = ~np.isnan(rest)
        count = known.sum(axis=0)
        mean = np.divide(np.where(known, rest, 0).sum(axis=0), count, out=np.full(count.shape, np.nan), where=count > 0)
    f, h = scores[place[judge]], scores[place[human]]
    usable = np.all(np.isfinite(f + h + mean), axis=0)
    if np.count_nonzero(usable) < TOPICS or len(f) < SYSTEMS:
        return None
    return f[:, usable], h[:, usable], mean[:, usable]


def _compared(
    f: Floats, h: Floats, rest: Floats, epsilon: float, seed: int
) -> tuple[int, float, float, float, float, float, float]:
    """(topics, τ_f, τ_h, difference, low, high, p) with topics resampled for all three together."""
    n = f.shape[1]
    rng = generator(seed)
    drawn = rng.integers(0, n, (RESAMPLES, n)) + n * np.arange(RESAMPLES)[:, None]
    weight = np.bincount(drawn.ravel(), minlength=RESAMPLES * n).reshape(RESAMPLES, n)
    weights = np.vstack([np.ones(n), weight]) / n
    means = [weights @ x.T for x in (f, h, rest)]
    tau_f, tau_h = (np.asarray(kendall_tau(means[2], x)) for x in means[:2])
    difference = tau_h - tau_f
    seen, resampled = float(difference[0]), difference[1:]
    low, high = (float(2 * seen - q) for q in np.quantile(resampled, [0.975, 0.025]))
    # the basic bootstrap: how far resamples fall from what was seen is how far what was seen falls from the truth
    p = (1 + int((2 * seen - resampled >= epsilon).sum())) / (1 + RESAMPLES)
    return n, float(tau_f[0]), float(tau_h[0]), seen, low, high, p
