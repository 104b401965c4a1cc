"""The words of notes: what each kind of note says, with its values in braces.

Code makes `Note(kind, **values)` and looks at `note.kind`; a note is reworded here and nowhere else.
"""

from __future__ import annotations

NOTES: dict[str, str] = {
    "agreement.unused-grades": "{assessor} never gives {grades}, which others give to {given:,} of the {shared:,} "
    "documents they share: a strict assessor, or a scale with fewer grades, whose labels then need a map.",
    "judgments.below-zero": "{counted} below zero: in the pool, unjudged",
    "judgments.identical-repeats": "{n:,} identical repeats dropped",
    "judgments.repeats-kept": "{counted} kept",
    "matrix.no-counts": "the matrix came without counts and is taken as known: intervals are too short.",
}
