"""Judges on different scales: a grade of one is not the same grade of another, so they cannot be compared.

A binary judge's 1 means anything from 1 to 3 of a judge that grades from 0 to 3. There are three signs, each by what
another judge gives to at least 5% of its documents:

- a judge gives only the two lowest grades, and another gives higher ones,
- a judge gives nothing from two below another's grades on,
- a judge never gives the lowest grade, which another gives, and that one never gives this judge's highest ones.

Each must be more than chance. A judge that gave those grades half as often as the other would have given one of them
with a probability of 0.999999. Judges with few labels give no sign, nor do crowds. Among hundreds of workers somebody
never gives a grade that somebody else always gives. A scale that was declared is believed. A judge that never gives
its upper grades is then strict.

    >>> refuse_other_scales(Scale.range(0, 3), ("ann", "llm"), np.array([[60, 20, 20, 20], [70, 20, 20, 10]]))
    >>> found = other_scale(np.array([[60, 20, 20, 20], [90, 90, 0, 0]]))
    >>> found.judge, found.other, found.above, round(found.share, 3)
    (1, 0, 2, 0.333)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Ints
from dissensus.errors import Fix, Option, ScaleError
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale

SHARE = 0.05  # of a judge's labels that make a grade one of its own
FEWEST = 50  # labels of a judge
CHANCE = 1e-6
CROWD = 150  # more judges than this are a crowd that one task asked
PART = 4  # a judge has at least one in so many of the busiest judge's labels


@dataclass(frozen=True)
class OtherScale:
    """`judge` never gives level `above` or a higher one (or the lowest, if `lowest`), which `other` gives."""

    judge: int
    other: int
    above: int
    share: float
    lowest: bool = False


def grade_counts(judgments: Judgments) -> Ints:
    """How often each assessor gave each level of the scale: assessors × levels."""
    judged = (judgments.grade >= 0) & (judgments.repeat == 0)
    k = len(judgments.scale)
    level = judgments.grade[judged].astype(np.int64) - judgments.scale.low
    cell = judgments.assessor[judged].astype(np.int64) * k + level
    return np.bincount(cell, minlength=len(judgments.assessors) * k).reshape(-1, k)


def other_scale(counts: Ints) -> OtherScale | None:
    """The clearest sign of another scale among judges (rows of counts by level); None where there is none."""
    labels = counts.sum(axis=1)
    who = np.flatnonzero((labels >= FEWEST) & (labels * PART >= labels.max(initial=0)))
    if not 2 <= len(labels) <= CROWD or len(who) < 2 or counts.shape[1] < 3:
        return None
    counts, labels = counts[who], labels[who]
    used, k = counts > 0, counts.shape[1]
    low, high = used.argmax(axis=1), k - 1 - used[:, ::-1].argmax(axis=1)
    reaching = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1] / labels[:, None]  # share at a level or above
    reaching[low == high] = 0.0  # one grade for all documents says nothing of a scale
    bottom = int(low.min())
    signs: list[OtherScale] = []
    for a in range(len(who)):
        if low[a] == high[a]:  # one grade for all documents: that is another fault
            continue
        two = low[a] == bottom and high[a] == bottom + 1
        above = int(high[a]) + (1 if two else 2)
        if above < k and _surely(float(reaching[:, above].max()), int(labels[a])):
            b = int(reaching[:, above].argmax())
            signs.append(OtherScale(int(who[a]), int(who[b]), above, float(reaching[b, above])))
        if low[a] > bottom:
            mine = np.append(reaching[a], 0.0)[high + 1]
            least = np.where((high < high[a]) & (mine >= SHARE), counts[:, bottom] / labels, 0.0)
            b = int(least.argmax())
            if _surely(float(least[b]), int(labels[a])):
                signs.append(OtherScale(int(who[a]), int(who[b]), bottom, float(least[b]), lowest=True))
    return max(signs, key=lambda s: s.share, default=None)


def _surely(share: float, labels: int) -> bool:
    """Is it more than chance that a judge with so many labels never gave what another gives to this share?"""
    return share >= SHARE and labels * np.log1p(-share / 2) < np.log(CHANCE)


def refuse_other_scales(scale: Scale, assessors: Sequence[str], counts: Ints) -> None:
    """Raise where two judges that are compared gave grades on different scales."""
    if scale.declared or scale.binned or not scale.ordered or len(assessors) < 2:
        return
    found = other_scale(counts)
    if found is None:
        return
    judge, other = assessors[found.judge], assessors[found.other]
    grade, top = (scale.name(level + scale.low) for level in (found.above, len(scale) - 1))
    what = f"the grade {grade}" if found.lowest or grade == top else f"{grade} or a higher grade"
    raise ScaleError(
        f"{judge} and {other} are on different scales: {judge} never gives {what}, which {other} gives to "
        f"{found.share:.0%} of its documents.",
        Fix("If both use one scale, declare it: ", Option("scale", f"{scale.low}..{scale.top}"), "."),
        Fix("If not, say what the grades are worth with ", Option("map"), f", as in {judge}:1={scale.top}.",
            reader="command"),
        Fix("If not, map them with scale, a dictionary of assessors and their labels.", reader="python"),
        f"Leave one of the two out, or look at {judge} alone.",
    )  # fmt: skip


def check_one_scale(judgments: Judgments) -> None:
    """The same for all assessors of some judgments."""
    if not isinstance(judgments, Judgments):  # the verb names what it is
        return
    scale = judgments.scale
    if not (scale.declared or scale.binned) and scale.ordered and len(judgments.assessors) > 1:
        refuse_other_scales(scale, judgments.assessors, grade_counts(judgments))
