"""Labels cut in two at a grade."""

from __future__ import annotations

import numpy as np
import pytest
from label_matrices import from_matrix
from refusals import refused
from sklearn.metrics import cohen_kappa_score

from dissensus.data.tables.judgments import Judgments
from dissensus.errors import InputError, Option
from dissensus.judges.agreement.api import agreement
from dissensus.judges.agreement.binary import at_least


def test_binary_is_the_coefficients_of_recoded_labels() -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(0, 4, 200)
    y = np.where(rng.random(200) < 0.5, x, rng.integers(0, 4, 200))
    matrix = np.stack([x, y], axis=1)
    cut = agreement(from_matrix(matrix, topics=12), binary=2, resamples=99)
    assert cut.kappa == pytest.approx(cohen_kappa_score(x >= 2, y >= 2), abs=1e-12)
    assert cut.per_grade["grade"].to_list() == ["below 2", "2 or above"]
    for wrong in (0, 7, "good"):
        with refused(InputError, str(Option("binary", wrong)), by="binary.at_least"):
            agreement(from_matrix(matrix), binary=wrong)


def test_grades_below_zero_stay_unjudged_and_names_have_no_order() -> None:
    judgments = Judgments.from_dict({"a": {1: {"x": -1, "y": 1, "z": 3}}}, scale="0..3")
    assert at_least(judgments, 2).grade.tolist() == [-1, 0, 1]
    with refused(InputError, 'binary="cat"', "cat", by="binary"):
        at_least(Judgments.from_dict({"a": {1: {"x": "cat", "y": "dog"}}}), "cat")
