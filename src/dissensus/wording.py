"""Words: what each kind of note says, with its values in braces, and how a number of things is written.

Code makes `Note(kind, **values)` and looks at `note.kind`; a note is reworded here and nowhere else.
"""

from __future__ import annotations

NOTES: dict[str, str] = {
    "agreement.unused-grades": "{assessor} never gives {grades}, which others give to {given:,} of the {shared:,} "
    "documents they share: a strict assessor, or a scale with fewer grades, whose labels then need a map.",
    "judgments.below-zero": "{counted} below zero: in the pool, unjudged",
    "judgments.identical-repeats": "{n:,} identical repeats dropped",
    "judgments.repeats-kept": "{counted} kept",
    "rate.fieller-trusted": "D = {d:.3f} is only {z:.1f} standard errors from 0; Fieller's set {set} is the one to "
    "trust.",
    "rate.fieller-shown": "the Lang–Reiczigel interval does not exist here; the interval shown is Fieller's {set}.",
    "runs.ranks-contradict": "{path}: the rank column contradicts the scores in {places}; scores decide",
    "matrix.no-counts": "the matrix came without counts and is taken as known: intervals are too short.",
}


def counted(n: int, what: str) -> str:
    """How many there are.

    >>> counted(1, "pair"), counted(1200, "label")
    ('1 pair', '1,200 labels')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"
