"""What should keep a reader from believing a merged label or its posterior, by what fails.

- *not converged*: it stopped at the most rounds;
- *not identified*: fewer than three assessors, or at most two labels on most documents: the answer follows the start;
- *switched*: exchanging grades would make the assessors right more often than the names the model gave them;
- *dependent*: the assessors share errors, and a model that takes them for independent can do worse than the vote.
  Without gold: with each judge family counted once at most two thirds of the labels are left, or the effective number
  of assessors is surely at most half of the labels per document, or assessors never disagree;
- *worse than the vote*: where there is gold, the majority is right significantly more often (McNemar, 5 %);
- *overconfident*: where there is gold, the calibration error stays above .1 after tempering. The labels may be good.

Each is a `Doubt` with a kind; the words are made at the end.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Values
from dissensus.errors import ConvergenceWarning, DependenceWarning, Option, ReliabilityWarning, Text
from dissensus.judging.agreement.effective import Effective, effective_number
from dissensus.judging.agreement.families import pair_excess
from dissensus.judging.agreement.flags import suspects
from dissensus.judging.label_table import Labels
from dissensus.judging.merging.fit import Fit

if TYPE_CHECKING:
    from dissensus.judging.merging.result import PosteriorCalibration

DEPENDENT, DISTINCT = 0.5, 2 / 3
OVERSURE = 0.1
LEAST_ASSESSORS = 3
FEW_GRADES = 6
PAIRS = 200_000  # of labels looked at for families
Kind = Literal["not converged", "not identified", "switched", "dependent", "worse than the vote", "overconfident"]
CATEGORY: dict[Kind, type[Warning]] = {
    "not converged": ConvergenceWarning,
    "not identified": ReliabilityWarning,
    "switched": ReliabilityWarning,
    "dependent": DependenceWarning,
    "worse than the vote": ReliabilityWarning,
    "overconfident": ReliabilityWarning,
}


@dataclass(frozen=True)
class Doubt:
    """One reason not to believe a fit: its kind, and the values that its words need."""

    kind: Kind
    values: Values

    @property
    def text(self) -> str:
        """The reason in words."""
        return _words(self.kind, self.values)


def doubts_of(
    table: Labels,
    names: tuple[str, ...],
    found: Fit,
    tol: float,
    calibration: PosteriorCalibration | None,
    votes: NDArray[np.bool_] | None,
    merged: NDArray[np.bool_] | None,
) -> tuple[Doubt, ...]:
    """All reasons; `votes` and `merged` say where the majority and the method are right, where there is gold."""
    reasons: list[Doubt] = []
    if not found.converged and not found.anchored:
        reasons.append(Doubt("not converged", {"rounds": found.rounds, "change": found.change, "tol": tol}))
    per_document = table.first().per_item()
    thin = float((per_document[per_document > 0] <= 2).mean())
    n_assessors = int(np.count_nonzero(np.bincount(table.assessor)))
    if n_assessors < LEAST_ASSESSORS or thin > 0.5:
        reasons.append(Doubt("not identified", {"assessors": n_assessors, "thin": thin}))
    counts = found.counts if found.counts is not None else table.expected(found.posterior)
    wrong = switched(counts.sum(axis=0))
    if wrong:
        reasons.append(Doubt("switched", {"grades": ", ".join(table.scale.names[g] for g in wrong)}))
    if votes is not None and merged is not None:
        reasons += _against_gold(votes, merged, calibration)
    else:
        reasons += _dependent(table.first(), names)
    return tuple(reasons)


def warn_of(reasons: tuple[Doubt, ...]) -> None:
    """Warn, on behalf of the caller's caller, of every reason."""
    for reason in reasons:
        warnings.warn(reason.text, CATEGORY[reason.kind], stacklevel=3)


def switched(total: NDArray[np.float64]) -> list[int]:
    """Grades that would change places if grades were renamed so that labels are right as often as possible.

    >>> switched(np.array([[8.0, 2.0], [1.0, 9.0]])), switched(np.array([[2.0, 8.0], [9.0, 1.0]]))
    ([], [0, 1])
    """
    rows = np.arange(len(total))
    if len(total) <= FEW_GRADES:  # trying all orders takes less than importing scipy.optimize
        columns = np.array(max(permutations(range(len(total))), key=lambda order: total[rows, order].sum()))
    else:
        from scipy.optimize import linear_sum_assignment

        columns = linear_sum_assignment(-total)[1]
    better = float(total[rows, columns].sum() - np.trace(total))
    if better <= 1e-9 * float(total.sum()):
        return []
    return [int(r) for r, c in zip(rows, columns, strict=True) if r != c]


def _against_gold(
    votes: NDArray[np.bool_], merged: NDArray[np.bool_], calibration: PosteriorCalibration | None
) -> list[Doubt]:
    reasons: list[Doubt] = []
    lost, won = int((votes & ~merged).sum()), int((~votes & merged).sum())
    if lost > won and _mcnemar(lost, won) < 0.05:
        shares = {"vote": float(votes.mean()), "merged": float(merged.mean()), "n": len(votes)}
        reasons.append(Doubt("worse than the vote", shares))
    if calibration is not None and calibration.ece > OVERSURE and calibration.claimed > calibration.accuracy:
        reasons.append(Doubt("overconfident", {"claimed": calibration.claimed, "right": calibration.accuracy}))
    return reasons


def _mcnemar(a: int, b: int) -> float:
    """Two-sided exact sign test of a against b discordant documents; normal beyond a thousand."""
    n = a + b
    if n > 1000:
        return math.erfc(abs(a - b) / math.sqrt(2 * n))
    tail = sum(math.comb(n, k) for k in range(min(a, b) + 1))
    return min(1.0, float(2 * tail / 2**n))


def _dependent(table: Labels, names: tuple[str, ...]) -> list[Doubt]:
    table = _without_lazy(_sample(table), names)
    families = tuple(tuple(names[i] for i in m) for m in pair_excess(table).families())
    effective = effective_number(table, families=families)
    if effective.kind == "identical":
        return [Doubt("dependent", {"effective": effective})]
    surely = effective.correlation - 1.96 * effective.correlation_se
    few = 1 + (effective.assessors - 1) * surely >= 1 / DEPENDENT
    if few or distinct_share(table, [[names.index(w) for w in f] for f in families]) <= DISTINCT:
        return [Doubt("dependent", {"effective": effective})]
    return []


def distinct_share(table: Labels, families: list[list[int]]) -> float:
    """Labels left per document if a family's labels of one document count as one, as a share of all labels."""
    if not families:
        return 1.0
    source = np.arange(table.n_assessors)
    for members in families:
        source[members] = members[0]
    pairs = table.item.astype(np.int64) * table.n_assessors + source[table.assessor]
    return len(np.unique(pairs)) / max(len(table), 1)


def _without_lazy(table: Labels, names: tuple[str, ...]) -> Labels:
    """Assessors who always say the same are similar, too, and no model is fooled by them."""
    lazy = [names.index(w) for w, looks in suspects(table, names).items() if looks == "lazy"]
    return table.rows(~np.isin(table.assessor, lazy)) if lazy else table


def _sample(table: Labels) -> Labels:
    """A table with at most about 200,000 pairs of labels: every document, or evenly spread ones."""
    size = table.per_item().astype(np.float64)
    pairs = float((size * (size - 1) / 2).sum())
    step = math.ceil(pairs / PAIRS)
    return table if step <= 1 else table.rows(table.item % step == 0)


def _words(kind: Kind, v: dict[str, object]) -> str:
    if kind == "not converged":
        return Text(
            f"merging stopped after {v['rounds']} rounds while a posterior still moved by {v['change']:.2g} "
            f"(tolerance {v['tol']:g}); raise ",
            Option("max_rounds", None), ", or ", Option("tol", None), " if labels no longer change.",
        )  # fmt: skip
    if kind == "not identified":
        return (
            f"the model is not identified here: {v['assessors']} assessors, {v['thin']:.0%} of the documents with at "
            "most 2 labels; its answer follows from where it started. Use the majority vote, or get more labels."
        )
    if kind == "switched":
        return (
            f"grades may have switched: with {v['grades']} renamed, assessors would agree with the merged labels more "
            "often. Nothing was permuted. Compare with the majority vote, and with em-anchored."
        )
    if kind == "dependent":
        effective = v["effective"]
        assert isinstance(effective, Effective)
        return (
            "assessors depend on each other: shared errors are taken for evidence, and the majority vote may be "
            f"better. {effective}"
        )
    if kind == "worse than the vote":
        return (
            f"against gold the majority vote is right more often: {v['vote']:.1%} against {v['merged']:.1%} of "
            f"{v['n']:,} documents. Assessors that share errors do this to a model that takes them for independent."
        )
    return (
        f"posteriors are too sure, also after tempering: {v['claimed']:.1%} claimed, {v['right']:.1%} right. The "
        "labels may still be better than the vote's; do not read the posteriors as probabilities."
    )
