"""The effective number of independent assessors: J_eff = K / (1 + (K − 1) ρ̄).

Ten judges that err together are worth hardly more than one. ρ̄ is the mean correlation between two assessors' labels of
one document *given the truth*: within documents of one gold grade, after each assessor's own mean is taken out, what
is left should be uncorrelated if errors are independent, as Dawid and Skene's EM assumes. A label is represented by
what it says at each threshold (1[label ≥ g] for every grade g above the bottom; 1[label = g] where labels have no
order), so that no distances between grades are assumed. K is the mean number of labels per document.

Without gold the number is not identified: an error that all assessors share looks like the truth. With fewer than five
assessors nothing is reported. With five or more, documents are grouped by the majority of the *other* labels, which
gives an upper bound, and the pairs that agree more than the others explain are named (`families`). Assessors that never
disagree are dependent, not perfect: they count as one, and so do copies among others (`tables.copies`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.judging.label_table import Labels
from dissensus.tables.copies import same_labels

FEWEST = 10  # labels an assessor needs to enter
BOUNDED = 5  # assessors from which an upper bound is given without gold
Kind = Literal["estimate", "upper bound", "copies", "identical", "no errors", "too few assessors", "too few labels"]
VACUOUS = 0.9  # of the labels per document: a bound above this share says nothing
NAMED = 4  # members of a family that are named in a sentence


@dataclass(frozen=True)
class Effective:
    """`.number` independent assessors are worth as much as the `.assessors` (labels per document) there are.

    `correlation` is ρ̄, with its standard error over documents.

    `kind` says what the number is: an "estimate" given gold, an "upper bound" without it, "copies" where all that is
    known is how many are no copies, "identical" where assessors never disagree (then 1), or why there is none.
    `families` are the groups of assessors whose agreement exceeds what their agreement with the others explains.
    """

    number: float
    assessors: float
    correlation: float
    kind: Kind
    correlation_se: float = float("nan")
    families: tuple[tuple[str, ...], ...] = ()

    def __float__(self) -> float:
        return self.number

    def __str__(self) -> str:
        """One sentence on the number, and one on families, which agrees with it."""
        groups = [listed(members) for members in self.families[:3]]
        alike = "; ".join(groups)
        if self.vacuous:
            return NO_BOUND if not groups else BELOW.format(alike=alike, assessors=_rounded(self.assessors))
        text = WORDING[self.kind].format(
            number=_rounded(self.number),
            assessors=_rounded(self.assessors),
            correlation=f"{self.correlation:.2f}{', counted as 0' if self.correlation < 0 else ''}",
        )
        return f"{text} More alike than the others explain: {alike}." if groups else text

    @property
    def vacuous(self) -> bool:
        """True for an upper bound that excludes hardly anything."""
        return self.kind == "upper bound" and self.number > VACUOUS * self.assessors

    def to_dict(self) -> dict[str, object]:
        """number, assessors, correlation, kind, families."""
        return {**vars(self), "families": [list(f) for f in self.families]}


WORDING: dict[Kind, str] = {
    "estimate": "Effective number of assessors: {number} of {assessors} per document (mean correlation of errors "
    "{correlation} given gold).",
    "upper bound": "Effective number of assessors: at most {number} of {assessors} per document (errors that all of "
    "them share cannot be seen without gold, so the true number may be far lower).",
    "copies": "Effective number of assessors: at most {number} of {assessors} per document. The others are copies that "
    "gave every document the same grade.",
    "identical": "Effective number of assessors: 1. They never disagree, as copies of one judge would not: their "
    "agreement is not evidence that they are right.",
    "no errors": "Effective number of assessors: cannot be estimated. No assessor errs against gold on shared "
    "documents, so there are no errors to correlate.",
    "too few assessors": "Effective number of assessors: cannot be estimated without gold from fewer than 5 assessors, "
    "because shared errors look like the truth.",
    "too few labels": "Effective number of assessors: cannot be estimated; too few documents have several labels by "
    "assessors with at least 10.",
}
NO_BOUND = (
    "Effective number of assessors: not known. No dependence between them shows, but errors that all of them share "
    "cannot be seen without gold."
)
BELOW = (
    "Effective number of assessors: fewer than {assessors} per document, because some are more alike than the others "
    "explain: {alike}. How many fewer cannot be seen without gold."
)


def _rounded(number: float) -> str:
    """One decimal, if there is one.

    >>> _rounded(5.0), _rounded(2.44)
    ('5', '2.4')
    """
    return f"{number:.1f}".removesuffix(".0")


def listed(members: tuple[str, ...]) -> str:
    """Names for a sentence, the first four of a long list.

    >>> listed(("a", "b", "c")), listed(("a", "b", "c", "d", "e", "f"))
    ('a, b and c', 'a, b, c, d and 2 more')
    """
    if len(members) > NAMED + 1:
        return f"{', '.join(members[:NAMED])} and {len(members) - NAMED} more"
    return f"{', '.join(members[:-1])} and {members[-1]}"


def effective_number(
    table: Labels, gold: NDArray[np.integer] | None = None, families: tuple[tuple[str, ...], ...] = ()
) -> Effective:
    """J_eff of a table of first judgments; `gold` holds a level per item, −1 where there is none."""
    one_each = table if gold is not None else _without_copies(table)
    if len(one_each) < len(table):
        return _beside_copies(effective_number(one_each, None, families), table, one_each)
    size = table.per_item()
    least = 3 if gold is None else 2  # without gold: a label, and two others to agree on something
    usable = size[table.item] >= least
    if gold is not None:
        usable &= np.asarray(gold)[table.item] >= 0
    rows = table.rows(usable)
    keep = np.bincount(rows.assessor, minlength=table.n_assessors)[rows.assessor] >= FEWEST
    group = (_majority_of_others(rows) if gold is None else np.asarray(gold, np.int64)[rows.item])[keep]
    rows = rows.rows(keep)
    per_item = rows.per_item()
    if not (per_item >= 2).any():
        return _without_overlap(table, families, gold is not None)
    k = float(per_item[per_item >= 2].mean())
    right = gold is not None and bool((rows.level == group).all())
    if _never_disagree(rows) and _several(rows.level) and not right:
        return Effective(1.0, k, 1.0, "identical", families=families)
    if gold is None and np.count_nonzero(np.bincount(rows.assessor)) < BOUNDED:
        return Effective(np.nan, k, np.nan, "too few assessors", families=families)
    rho, se = _mean_correlation(rows, group)
    if np.isnan(rho):
        return Effective(np.nan, k, np.nan, "no errors" if gold is not None else "too few labels", families=families)
    # a negative mean correlation cannot make more judges out of those there are
    number = k / (1 + (k - 1) * max(rho, 0.0))
    return Effective(number, k, rho, "estimate" if gold is not None else "upper bound", se, families)


def _without_copies(table: Labels) -> Labels:
    """The table with one assessor of each group of copies."""
    groups = same_labels(table.item, table.assessor, table.level, table.n_assessors)
    later = [a for group in groups for a in group[1:]]
    return table.rows(~np.isin(table.assessor, later)) if later else table


def _beside_copies(found: Effective, table: Labels, one_each: Labels) -> Effective:
    """The number of those that are no copies, beside the labels per document with the copies."""
    size = table.per_item()
    several = size >= 2
    if not several.any() or (one_each.per_item()[several] <= 1).all():
        return effective_of_one(table, found.families)
    labels, distinct = float(size[several].mean()), float(one_each.per_item()[several].mean())
    if found.kind == "upper bound":
        return replace(found, assessors=labels)
    return Effective(distinct, labels, np.nan, "copies", families=found.families)


def effective_of_one(table: Labels, families: tuple[tuple[str, ...], ...]) -> Effective:
    """Where everybody is a copy of one."""
    size = table.per_item()
    return Effective(1.0, float(size[size >= 2].mean()), 1.0, "identical", families=families)


def _without_overlap(table: Labels, families: tuple[tuple[str, ...], ...], gold: bool) -> Effective:
    """What can be said where hardly any document has several labels by assessors with many."""
    rows = table.rows(table.per_item()[table.item] >= 2)
    documents = len(np.unique(rows.item))
    if documents >= FEWEST and _several(rows.level) and _never_disagree(rows):
        return Effective(1.0, len(rows) / documents, 1.0, "identical", families=families)
    few = not gold and np.count_nonzero(np.bincount(rows.assessor)) < BOUNDED
    return Effective(np.nan, np.nan, np.nan, "too few assessors" if few else "too few labels", families=families)


def _several(level: NDArray[np.int8]) -> bool:
    """Are there two different levels?"""
    return len(level) > 0 and bool((level != level[0]).any())


def _never_disagree(rows: Labels) -> bool:
    """Every document's labels are the same; rows of a document are one after the other."""
    return bool(((rows.level[1:] == rows.level[:-1]) | (rows.item[1:] != rows.item[:-1])).all())


def _mean_correlation(rows: Labels, group: NDArray[np.int64]) -> tuple[float, float]:
    """Σ over pairs of labels of one document of the product of standardised residuals, per pair; and its standard
    error, documents being independent."""
    k = rows.n_levels
    cells = rows.assessor.astype(np.intp) * (int(group.max()) + 1) + group
    in_cell = np.maximum(np.bincount(cells), 1)
    ordered = rows.scale.ordered
    residuals = []
    for q in range(1, k) if ordered else range(k):
        says = (rows.level >= q if ordered else rows.level == q).astype(np.float64)
        residuals.append(says - (np.bincount(cells, says) / in_cell).take(cells))
    who = rows.assessor.astype(np.intp)
    variance = sum(np.bincount(who, r**2, minlength=rows.n_assessors) for r in residuals)
    number = np.bincount(who, minlength=rows.n_assessors)
    sd = np.sqrt(np.asarray(variance) / np.maximum(number, 1))
    scale = sd.take(who)
    varies = scale > 1e-12
    if varies.all():
        item = rows.item.astype(np.intp)
    else:
        item, scale, residuals = rows.item[varies].astype(np.intp), scale[varies], [r[varies] for r in residuals]
    per_item = np.bincount(item, minlength=rows.n_items).astype(np.float64)
    together = np.zeros(rows.n_items)
    for r in residuals:
        z = r / scale
        together += np.bincount(item, z, minlength=rows.n_items) ** 2
        together -= np.bincount(item, z**2, minlength=rows.n_items)
    pairs = per_item * (per_item - 1)
    total = pairs.sum()
    if not total:
        return np.nan, np.nan
    rho = float(together.sum() / total)
    return rho, float(np.sqrt(((together - rho * pairs) ** 2).sum()) / total)


def _majority_of_others(rows: Labels) -> NDArray[np.int64]:
    """For each label, the grade most of the document's other labels have (the lower one in a tie)."""
    k = rows.n_levels
    best = np.full(len(rows), -1.0)
    group = np.zeros(len(rows), np.int64)
    item, level = rows.item.astype(np.intp), rows.level.astype(np.intp)
    counts = rows.counts()
    for q in range(k):
        given = counts[:, q].take(item) - (level == q)
        group[given > best] = q
        best = np.maximum(best, given)
    return group
