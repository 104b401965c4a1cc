"""How far assessors agree: every coefficient of the family, with its interval, and who stands out.

>>> from dissensus.tables.judgments import Judgments
>>> j = Judgments.from_dict({
...     "ann": {t: {d: (t + d) % 2 for d in range(20)} for t in range(12)},
...     "bob": {t: {d: (t + d) % 2 if d else 0 for d in range(20)} for t in range(12)},
... })
>>> a = agreement(j)
>>> round(a.percent, 3), round(a.kappa, 3), round(a.alpha, 3)
(0.975, 0.95, 0.95)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, Unpack

import numpy as np

from dissensus.errors import Fix, InputError, Note, Option, ScaleError, Text
from dissensus.io.options import ReadKeywords
from dissensus.judging.agreement.by_column import by_column
from dissensus.judging.agreement.coefficient_interval import Coefficient, Resampling
from dissensus.judging.agreement.coefficients import (
    Units,
    alpha,
    by_grade,
    by_topic,
    fleiss,
    gwet,
    overlap,
    percent,
    units,
)
from dissensus.judging.agreement.cohen import FEW_ASSESSORS, SHARED, Met, kappa, pair_counts, pairs_frame
from dissensus.judging.agreement.consistency import self_consistency
from dissensus.judging.agreement.effective import effective_number
from dissensus.judging.agreement.families import pair_excess
from dissensus.judging.agreement.flags import Unused, assessor_frame, unused_grades
from dissensus.judging.agreement.result import Agreement
from dissensus.judging.label_table import Labels, Negative, crowd_and_truth
from dissensus.tables.coercion import coerced
from dissensus.tables.copies import copy_notes
from dissensus.tables.judgments import Judgments
from dissensus.tables.other_scales import check_one_scale
from dissensus.tables.scale import Scale
from dissensus.wording import counted
from dissensus.work.progress import Progress

if TYPE_CHECKING:
    from dissensus.judging.agreement.consistency import SelfConsistency

MOST_NAMED = 5
T = TypeVar("T")


@coerced
def agreement(
    judgments: Judgments,
    *,
    gold: str | None = None,
    binary: int | str | None = None,
    negative: Negative = "unjudged",
    level: float = 0.95,
    replicates: int = 999,
    seed: int = 0,
    **reading: Unpack[ReadKeywords],
) -> Agreement:
    """How much the assessors agree: every coefficient of the family, with intervals over topics.

    Repeated judgments by one assessor enter self-consistency only. With one topic, documents are resampled instead,
    and the notes say so. Agreement is not accuracy: judges who share an error agree perfectly.

    Parameters
    ----------
    gold
        The assessor that is the truth. It stays out of the coefficients and serves the effective number of
        judges.
    binary
        Cut the grades in two: this grade or above, or not.
    replicates
        How often topics are resampled, at least 99 times.

    Returns
    -------
    Agreement
        Each coefficient is a number with `.low` and `.high`: `.kappa`, `.alpha`, `.percent` … Its tables:

        - `coefficients`: coefficient, value, low, high, n, note
        - `by column`, where labels are put together from several: column, values, labels, equal, equal.low, equal.high,
          alpha, alpha.low, alpha.high
        - `by grade`: grade, labels, agreement, low, high
        - `assessors`: assessor, labels, shared, agreement, kappa, low, high, favourite, favourite_share, looks
        - `alike`: assessor_a, assessor_b, n, correlation, explained, excess, z
        - `self-consistency`, where somebody judged a document twice: grade, n, same, same_low, same_high, n_other,
          other, other_low, other_high
        - `pairs`: assessor_a, assessor_b, n, percent, kappa, kappa_linear, kappa_quadratic, overlap
        - `by topic`: topic, documents, percent, alpha_nominal, alpha_ordinal

    Examples
    --------
    >>> import dissensus as ds
    >>> labels = {j: {t: {d: (t + d) % 2 if d or j == "ann" else 0 for d in range(20)} for t in range(12)}
    ...           for j in ("ann", "bob")}
    >>> found = ds.agreement(labels, replicates=99)
    >>> round(found.kappa, 2), round(found.percent, 3)
    (0.95, 0.975)
    """
    if not 0 < level < 1:
        raise InputError(
            Text(Option("level", level), " is not between 0 and 1."),
            Fix("For example ", Option("level", 0.95), "."),
        )
    if replicates < 99:
        raise InputError(Text(Option("replicates", replicates), ": a bootstrap interval needs at least 99 replicates."))
    check_one_scale(judgments)
    if binary is not None:
        judgments = at_least(judgments, binary)
    crowd, truth = crowd_and_truth(judgments, gold, negative)
    table = crowd.first()
    names = judgments.assessors
    _check_several(judgments, crowd, gold)
    counts = units(judgments, table)
    how = Resampling(counts.kind, level, replicates, seed)
    cluster = np.full(table.n_items, -1, np.int64)
    cluster[table.per_item() > 0] = counts.cluster
    ordered, scale = table.scale.ordered, table.scale
    met = Met.of(table)
    with Progress("agreement", total=20) as bar:

        def done(found: T) -> T:
            bar.advance()
            return found

        people = done(assessor_frame(table, names))
        if gold is not None:
            people = people.filter(people["assessor"] != gold)
        pairs = done(pair_counts(table))
        excess = done(pair_excess(table, pairs))
        families = tuple(tuple(names[i] for i in members) for members in excess.families())
        return Agreement(
            percent=done(percent(counts, how)),
            overlap=done({scale.names[q]: overlap(counts, q, how) for q in range(1, len(scale))} if ordered else {}),
            kappa=done(kappa(table, cluster, "plain", ordered, how, met)),
            kappa_linear=done(kappa(table, cluster, "linear", ordered, how, met)),
            kappa_quadratic=done(kappa(table, cluster, "quadratic", ordered, how, met)),
            fleiss=done(fleiss(counts, how)),
            alpha_nominal=done(alpha(counts, "nominal", ordered, how)),
            alpha_ordinal=done(alpha(counts, "ordinal", ordered, how)),
            alpha_interval=done(alpha(counts, "interval", ordered, how)),
            ac1=done(gwet(counts, "plain", ordered, how)),
            ac2=done(gwet(counts, "quadratic", ordered, how)),
            pairs=done(pairs_frame(table, names, ordered, pairs)),
            assessors=people,
            alike=excess.to_frame(names),
            per_topic=done(by_topic(judgments, counts, table)),
            per_grade=done(by_grade(counts, scale, how)),
            per_column=done(by_column(judgments, how)),
            self_consistency=done(_repeated(crowd, how)),
            effective=done(effective_number(table, truth, families)),
            n_labels=len(table),
            n_documents=int((counts.size >= 2).sum()),
            n_assessors=len(people),
            notes=(
                *copy_notes(judgments),
                *(unused_note(u) for u in unused_grades(table, names)[:MOST_NAMED]),
                *_notes(judgments, crowd, table, counts, how),
            ),
            level=level,
        )


def _repeated(crowd: Labels, how: Resampling) -> SelfConsistency | None:
    """Does an assessor who judges a document twice say the same again? None where nobody did."""
    if not crowd.repeat.any():
        return None

    return self_consistency(crowd, how)


def _check_several(judgments: Judgments, crowd: Labels, gold: str | None) -> None:
    """Agreement needs two assessors, or one that judged documents twice."""
    present = np.flatnonzero(np.bincount(crowd.assessor))
    if len(present) >= 2 or crowd.repeat.any():
        return
    only = judgments.assessors[int(present[0])] if len(present) else None
    if only is None:
        raise InputError("there are no labels to compare.", "Grades below zero count as unjudged.")
    if gold is not None:
        raise InputError(
            Text(
                "agreement needs two assessors; beside ",
                Option("gold", gold),
                f" there is only {only!r}, and gold stays out of it.",
            ),
            "Leave gold out to compare the two.",
            f"For one judge against gold, use a confusion matrix of {gold} and {only}.",
        )
    raise InputError(
        f"agreement needs two assessors; these judgments have one, {only!r}, and no repeated judgments.",
        "Give the judgments of another assessor as well.",
        Fix("In qrels files an assessor is a file, or column 2 with ", Option("assessor", "column"), "."),
    )


def _notes(judgments: Judgments, crowd: Labels, table: Labels, counts: Units, how: Resampling) -> tuple[str, ...]:
    notes = [*judgments.notes, *crowd.notes]
    if len(table) < len(crowd):
        notes.append(f"{counted(len(crowd) - len(table), 'repeated label')} enter self-consistency only")
    if counts.kind != "topics":
        notes.append(f"one topic only: {counts.kind} are resampled instead of topics")
    kind = how.method(counts.n_clusters)
    notes.append(f"coefficients: {how.level:.0%} intervals, {kind}; assessors: 99% intervals")
    if np.count_nonzero(np.bincount(table.assessor)) > 2:
        notes.append("Conger's kappa is Cohen's over all pairs of assessors, weighted by the documents they share")
    if table.n_assessors > FEW_ASSESSORS:
        notes.append(f"pairs of assessors are listed where they share at least {SHARED} documents")
    return tuple(notes)


def unused_note(found: Unused) -> Note:
    """The sentence about an assessor who never gives the upper grades."""
    values = {"assessor": found.assessor, "grades": " or ".join(found.grades), "given": found.given}
    return Note("agreement.unused-grades", **values, shared=found.shared)


def at_least(judgments: Judgments, grade: int | str) -> Judgments:
    """The same judgments on two grades, below `grade` and `grade` or above; grades below zero stay unjudged.

    >>> j = Judgments.from_dict({"ann": {1: {"x": 0, "y": 1, "z": 3}}}, scale="0..3")
    >>> at_least(j, 2).to_frame()["grade"].to_list()
    ['below 2', 'below 2', '2 or above']
    """
    scale = judgments.scale
    if not scale.ordered:
        raise InputError(
            Text(Option("binary", grade), f": the labels {', '.join(scale.names)} have no order."),
            "Give the scale in order, lowest grade first.",
        )
    try:
        cut = scale.grade(grade)
    except ScaleError as error:
        raise InputError(
            Text(Option("binary", grade), f" is not a grade of the scale {scale}."), *error.fixes
        ) from None
    if cut == scale.low:
        raise InputError(
            Text(Option("binary", grade), " is the lowest grade: every label would be at or above it."),
            f"Choose one of {', '.join(scale.names[1:])}.",
        )
    name = scale.name(cut)
    two = Scale((f"below {name}", f"{name} or above"), declared=scale.declared)
    old = judgments.grade
    return judgments.with_grades(np.where(old >= 0, old >= cut, old).astype(np.int8), two)


__all__ = ["Agreement", "Coefficient", "agreement"]
