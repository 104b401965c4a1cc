"""Confusions counted from judgments: one judge against another, or any judge against any other, pooled over all pairs
of assessors and for each assessor's own grades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.io.options import ReadKeywords
from dissensus.judging.confusion.api import Confusion
from dissensus.judging.label_table import Labels, Negative, beside, labels
from dissensus.tables.coercion import coerced
from dissensus.tables.judgments import Judgments
from dissensus.wording import counted

ENOUGH = 50  # labels of every grade used, each with a partner, before an assessor has a matrix of their own


@coerced
def confusion(
    judgments: Judgments | None = None,
    reference: str | Judgments = "gold",
    observed: str | Judgments | None = "bronze",
    *,
    smoothing: float | None = None,
    negative: Negative = "unjudged",
    **reading: Unpack[ReadKeywords],
) -> Confusion:
    """The confusion of one judge's labels against another's, from the documents both judged. Counts are kept.

    Only an assessor's first judgment of a document counts.

    Parameters
    ----------
    reference
        The assessor whose labels are the rows, or Judgments of one assessor.
    observed
        The assessor whose labels are the columns, or Judgments of one. None pools every assessor but the
        reference.
    smoothing
        A pseudo-count added to every cell.

    Returns
    -------
    Confusion
        `.matrix`, `.counts`, `.scale`. Its table has a row for each pair of grades:

        - `confusion`: reference, observed, probability, count

    Examples
    --------
    >>> j = Judgments.from_dict({"gold": {1: {"a": 1, "b": 1, "c": 0}}, "bronze": {1: {"a": 1, "b": 0, "c": 0}}})
    >>> confusion(j).counts.tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    both, gold, bronze = _one_table(judgments, reference, observed)
    table = labels(both, negative).first()
    k = table.n_levels
    truth = table.by(gold)
    chosen = table.assessor != gold if bronze is None else table.assessor == bronze
    level, item = table.level[chosen].astype(np.int64), table.item[chosen]
    both_judged = truth[item] >= 0
    counts = np.bincount(truth[item[both_judged]] * k + level[both_judged], minlength=k * k).reshape(k, k)
    if not counts.sum():
        raise InputError(
            f"the reference {both.assessors[gold]} and the observed "
            f"{'others' if bronze is None else both.assessors[bronze]} share no judged document.",
            "A confusion matrix is counted on documents that both judged.",
        )
    repeats = both.n_repeats()
    notes = (*table.notes, *((f"{counted(repeats, 'repeated label')} left out",) if repeats else ()))
    unknown = [name for name, n in zip(table.scale.names, counts.sum(axis=1), strict=True) if not n]
    if unknown:
        notes = (*notes, f"no reference label {', '.join(unknown)}: that row is unknown")
    result = Confusion(None, counts, table.scale, notes)
    return result if smoothing is None else result.smoothed(smoothing)


def _one_table(
    judgments: Judgments | None, reference: str | Judgments, observed: str | Judgments | None
) -> tuple[Judgments, int, int | None]:
    """(judgments holding both judges, code of the reference, code of the observed or None for all others)."""
    if isinstance(reference, Judgments) or isinstance(observed, Judgments):
        both = beside(_alone(judgments, reference, "reference"), _alone(judgments, observed, "observed"))
        return both, both.assessors.index("reference"), both.assessors.index("observed")
    if judgments is None:
        raise InputError(
            "confusion() needs judgments.",
            Fix("Give judgments, or ", Option("reference", None), " and ", Option("observed", None), " as Judgments."),
        )
    codes = {name: i for i, name in enumerate(judgments.assessors)}
    for role, name in (("reference", reference), ("observed", observed)):
        if name is not None and name not in codes:
            some = ", ".join(judgments.assessors[:10]) + (" …" if len(codes) > 10 else "")
            raise InputError(Text(Option(role, name), f": no assessor has that name; the assessors are {some}."))
    if reference == observed:
        raise InputError(f"reference and observed are both {reference!r}.", "Name two different assessors.")
    return judgments, codes[reference], None if observed is None else codes[observed]


def _alone(judgments: Judgments | None, judge: str | Judgments | None, role: str) -> Judgments:
    """One judge's own judgments."""
    if isinstance(judge, Judgments):
        if len(judge.assessors) != 1:
            raise InputError(
                f"{role} holds {len(judge.assessors)} assessors; a confusion has one on each side.",
                Fix(f"Pick one with {role}.select(assessors=[name]), or merge them with ds.merge.", reader="python"),
            )
        return judge
    if judgments is None or judge is None:
        raise InputError(Text(Option(role, judge), " needs judgments to be looked up in."))
    return judgments.select(assessors=[judge])


# ── any judge against any other ──
@dataclass(frozen=True, eq=False)
class OtherJudges:
    """`pooled`: what anyone makes of anyone's grades. `own[a]`: what the others make of assessor a's."""

    pooled: Confusion
    own: Mapping[str, Confusion] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def stack(self, assessors: Sequence[str]) -> tuple[Floats, NDArray[np.int64]]:
        """(matrices, which of them each row uses), for rows that belong to `assessors`."""
        names = list(self.own)
        place = {name: i + 1 for i, name in enumerate(names)}
        matrices = np.array([self.pooled.matrix, *(self.own[name].matrix for name in names)])
        return matrices, np.array([place.get(a, 0) for a in assessors], np.int64)


def other_judge_confusion(judgments: Judgments) -> Confusion:
    """c_ij = P(another assessor says j | one said i), from all ordered pairs of different assessors on one document.

    A label on a document with r labels meets r − 1 others, each counted 1/(r − 1): every label that has a partner
    counts once as a reference, so `n` is the number of labels behind each row.

    >>> j = Judgments.from_dict({"a": {1: {"d": 1, "e": 0}}, "b": {1: {"d": 0, "e": 0}}})
    >>> other_judge_confusion(j).matrix.round(3).tolist()
    [[0.667, 0.333], [1.0, 0.0]]

    Not for judges of different kinds: where one is an expert and one a crowd, use `confusion(reference=, observed=)`,
    or `other_judges`, which keeps them apart.
    """
    table, counts, notes = _counts(judgments)
    return Confusion(None, counts.sum(axis=0), table.scale, notes)


def other_judges(judgments: Judgments) -> OtherJudges:
    """The pooled matrix, and one for each assessor whose every grade has 50 labels with a partner."""
    table, counts, notes = _counts(judgments)
    k = table.n_levels
    used = np.bincount(table.assessor.astype(np.int64) * k + table.level, minlength=len(counts) * k).reshape(-1, k) > 0
    enough = ((counts.sum(axis=2) >= ENOUGH) | ~used).all(axis=1) & used.any(axis=1)
    own = {judgments.assessors[a]: Confusion(None, counts[a], table.scale) for a in np.flatnonzero(enough)}
    pooled = int(used.any(axis=1).sum()) - len(own)
    said = [f"confusion estimated from {counted(len(judgments.assessors), 'assessor')}"]
    if not (counts * (1 - np.eye(k))).any():
        said.append("they never disagree, as copies of one judge would not, so a ceiling of 1 says nothing")
    if own:
        said.append(f"{len(own):,} of them by what the others make of their own grades")
    if pooled:
        said.append(f"{pooled:,} with fewer than {ENOUGH} shared labels of some grade by all pairs pooled")
    return OtherJudges(Confusion(None, counts.sum(axis=0), table.scale, notes), own, ("; ".join(said), *notes))


def _counts(judgments: Judgments) -> tuple[Labels, Floats, tuple[str, ...]]:
    """(labels, pairs by (assessor, their grade, the partner's grade), notes)."""
    table = labels(judgments, "unjudged").first()
    k = table.n_levels
    per_item = table.counts().astype(np.float64)
    r = per_item.sum(axis=1)
    if not (r >= 2).any():
        raise InputError(
            "no document was judged by two assessors, so nothing is known of how they differ.",
            Fix("Give ", Option("confusion"), ", or judgments of several assessors on the same documents."),
        )
    shared = r[table.item] >= 2
    item, level, who = table.item[shared], table.level[shared], table.assessor[shared]
    others = per_item[item]
    others[np.arange(len(item)), level] -= 1.0
    others /= (r[item] - 1)[:, None]
    cell = who.astype(np.int64) * k + level
    columns = [np.bincount(cell, others[:, h], table.n_assessors * k) for h in range(k)]
    counts = np.asarray(np.stack(columns, axis=1).reshape(-1, k, k), np.float64)
    alone = int((r == 1).sum())
    repeats = judgments.n_repeats()
    notes = (
        *table.notes,
        *((f"{counted(alone, 'document')} with one label left out of the matrix",) if alone else ()),
        *((f"{counted(repeats, 'repeated label')} left out",) if repeats else ()),
    )
    return table, counts, notes
