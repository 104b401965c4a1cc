"""How far experts agree."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from dissensus.audit.export import Judgment
from dissensus.audit.reliability import confusion_counts, kappa, reliability


def test_kappa_is_scotts_pi() -> None:
    pairs = [("0", "0")] * 4 + [("1", "1")] * 4 + [("0", "1"), ("1", "0")]
    assert kappa(pairs) == pytest.approx(0.6)
    assert math.isnan(kappa([]))
    assert math.isnan(kappa([("1", "1")]))


def judgment(position, role, grade):
    return Judgment(position, "q", f"d{position}", role, 1, grade, None, None, None, 0.0)


def test_agreement_between_and_within_and_disputes():
    given = [
        judgment(1, "first", "1"), judgment(1, "second", "1"),
        judgment(2, "first", "0"), judgment(2, "second", "2"), judgment(2, "adjudicate", "1"),
        judgment(3, "first", "1"), judgment(3, "repeat", "1"),
        judgment(4, "first", None), judgment(4, "second", "1"),
    ]  # fmt: skip
    found = reliability(None, given)
    assert (found.between.hits, found.between.n) == (1, 2)  # who cannot judge does not disagree
    assert (found.within.hits, found.within.n) == (1, 1)
    assert [(d.position, d.grades, d.adjudicated) for d in found.disputed] == [(2, ("0", "2"), "1")]
    assert found.between.low < found.between.value < found.between.high


def test_the_judges_labels_beside_the_experts_grades():
    order = [SimpleNamespace(bronze=b) for b in ("1", "1", None, "0")]
    counts = confusion_counts(SimpleNamespace(grades=("0", "1"), order=order), ["1", "0", "1", None])
    assert counts == {"1": {"0": 1, "1": 1}, "no label": {"0": 0, "1": 1}}
