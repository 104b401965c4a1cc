"""What merging would change without the assessors that look random, lazy or contrary."""

from __future__ import annotations

import warnings
from typing import Any

from dissensus.errors import DissensusWarning, InputError, Option, Text
from dissensus.judging.agreement.api import unused_note
from dissensus.judging.agreement.flags import looks_lines, suspects, unused_grades
from dissensus.judging.label_table import Negative, crowd_and_truth
from dissensus.judging.label_table import labels as table_of
from dissensus.judging.merging.api import merge
from dissensus.judging.merging.result import Merged
from dissensus.tables.judgments import Judgments


def without_suspects(
    judgments: Judgments, merged: Merged, *, gold: str | None, negative: Negative, **options: Any
) -> list[str]:
    """Who looks random, lazy or contrary, and what leaving them out would change; `options` are those of the merge."""
    who = suspects(crowd_and_truth(judgments, gold, negative)[0], judgments.assessors)
    lines = looks_lines(who)
    if not who:
        return lines
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DissensusWarning)
            other = merge(
                judgments, merged.method, gold=gold, negative=negative, suspects="drop", temper=False, **options
            )  # fmt: skip
    except InputError as error:
        return [*lines, error.what]
    old, new = merged.to_frame(), other.to_frame()
    both = old.join(new, on=["topic", "doc"], suffix="_new")
    changed = int((both["grade"] != both["grade_new"]).sum())
    text = f" changes {changed:,} of {both.height:,} labels"
    if lost := old.height - both.height:
        text += f" and leaves {lost:,} documents without a label"
    if merged.calibration is not None and other.calibration is not None:
        text += f"; against gold {merged.calibration.accuracy:.1%} → {other.calibration.accuracy:.1%} right"
    return [*lines, Text("leaving them out (", Option("drop_suspects", True), ")", text)]


def shorter_scales(judgments: Judgments, negative: Negative) -> list[str]:
    """Assessors who may have judged on a shorter scale: a vote takes their 1 for everybody's 1."""
    return [str(unused_note(found)) for found in unused_grades(table_of(judgments, negative), judgments.assessors)]
