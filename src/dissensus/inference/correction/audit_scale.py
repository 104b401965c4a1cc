"""Do the audit and the judge speak of the same grades? What looks like another scale, or like one file given twice.

Corrected scores take a gold grade at its word. An audit graded 0 or 1 beside a judge who grades 0 to 3, or 0 to 30, is
read as if its 1 were the judge's 1; an audit that is a copy of the judge's labels finds no error at all.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dissensus.inference.correction.design import Design
from dissensus.inference.correction.diagnosis import Finding
from dissensus.work.plural import counted

COPY = 20  # documents from which agreement on all of them is worth a word
GIVEN = 10  # documents that the judge gave a grade which the audit never gives


def scale_findings(design: Design) -> Iterator[Finding]:
    """Findings that cast doubt on the audit's scale; none where grades by name are compared."""
    seen = design.audited & (design.bronze < design.n_labels - 1)
    n = int(seen.sum())
    if not n:
        return
    gold = design.gold[seen] + design.gold_scale.low
    bronze = design.bronze[seen] + design.bronze_scale.low
    names = [
        [scale.name(int(g)) for g in grades]
        for scale, grades in ((design.gold_scale, gold), (design.bronze_scale, bronze))
    ]
    if n >= COPY and names[0] == names[1]:
        yield Finding(
            "copy",
            f"all {counted(n, 'audited document')} have the grade that the judge gave them: is the audit a copy of the "
            "judge's labels?",
            True,
            n,
        )
        return
    if int(gold.max()) > design.bronze_scale.top:
        yield Finding(
            "scale",
            f"the audit has grades up to {int(gold.max())}, the judge's scale ends at {design.bronze_scale.top}: a "
            "grade counts as the same grade on both, so write them on one scale.",
            True,
        )
    missing = [g for g in np.unique(bronze) if g > gold.max()]
    given = int(np.isin(bronze, missing).sum())
    if given >= GIVEN and gold.max() > gold.min():
        never = ", ".join(design.bronze_scale.name(int(g)) for g in missing)
        yield Finding(
            "scale",
            f"the audit never gives {never}, which the judge gives to {given:,} of {counted(n, 'audited document')}: "
            "if experts graded on a shorter scale, write both on one.",
            True,
            given,
        )
