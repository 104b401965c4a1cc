"""What is counted of one audit."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.studies.audits.pooled_audits import judged


def test_counts_of_one_audit_by_hand() -> None:
    truth = np.array([0.1, 0.2, 0.4])
    found = judged("naive", np.array([0.2, 0.1, 0.4]), None, truth)
    assert found["square"] == pytest.approx((0.2**2 + 0.1**2 + 0.1**2) / 3)
    assert found["tau"] == pytest.approx(1 / 3)
