"""Ways of merging beside each other on one set of labels."""

from __future__ import annotations

import json

import numpy as np
from crowds import crowd, good
from refusals import refused
from wording import phrase

from dissensus.errors import InputError
from dissensus.judging.merging.comparison import compare_methods


def test_comparison_prefers_the_true_model() -> None:
    """Assessors who confuse one direction only: full confusion matrices predict better than one coin or a vote."""
    truth = np.random.default_rng(3).integers(0, 2, 600)
    lean = np.array([[0.95, 0.05], [0.5, 0.5]])
    j = crowd(truth, [lean] * 3 + [good(2, 0.9)] * 2, None, seed=4)
    found = compare_methods(j)
    assert found.best in ("em-mv", "em-neu", "ordinal")
    assert found.kept == 600
    assert "accuracy" not in found.table.columns
    with refused(InputError, 'methods="mean"'):
        compare_methods(j, ["mean"])


def test_nothing_can_be_kept_back_and_gold_is_checked() -> None:
    truth = np.arange(40) % 2
    two = crowd(truth, [good(2, 0.9)] * 2, None, seed=1)
    found = compare_methods(two, ["majority", "wawa"])
    assert (found.kept, found.best) == (0, None)
    assert any(phrase("comparison.none-kept-back") in note for note in found.notes)
    assert json.loads(found.to_json())["tables"]["methods"][0]["held_out"] is None
    gold = crowd(truth, [good(2, 0.9)] * 3 + [good(2, 1.0)], None, seed=1)
    table = compare_methods(gold, ["majority"], gold="w3").table
    assert table["accuracy"][0] > 0.9
