"""How much doubt a label leaves."""

from __future__ import annotations

import numpy as np
import pytest
from audited_study import audit, study
from wording import phrase

from dissensus.inference.correction.design import lay_out
from dissensus.inference.planning.doubt import doubt

VALUES = np.array([0.0, 1.0])


def test_assumed_before_an_audit_and_estimated_after_it() -> None:
    runs, bronze, gold = study(topics=20)
    before, notes = doubt(lay_out(runs, bronze, None), VALUES)
    assert before == pytest.approx(np.full(3, 0.4))
    assert notes[0].startswith(phrase("doubt.no-audit-yet"))
    design = lay_out(runs, bronze, audit(gold, 0.5))
    after, notes = doubt(design, VALUES)
    seen = design.audited & (design.bronze == 1)
    overall = np.sqrt(np.mean([(v - m) ** 2 for v, m in _residuals(design)]))
    share = design.gold[seen].mean()
    expected = np.sqrt((share * (1 - share) * seen.sum() + 10 * overall**2) / (seen.sum() + 10))
    assert after[1] == pytest.approx(expected)
    assert phrase("doubt.estimated-audit") in notes[0]


def _residuals(design):
    means = {j: design.gold[design.audited & (design.bronze == j)].mean() for j in (0, 1)}
    return [(g, means[int(j)]) for g, j in zip(design.gold, design.bronze, strict=True) if g >= 0]
