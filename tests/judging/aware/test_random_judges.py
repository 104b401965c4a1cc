"""Random judges: their shares of each grade, and whom they stand in for."""

from __future__ import annotations

import numpy as np
import pytest
from rankings import judged_runs

from dissensus.judging.aware.random_judges import random_labels, variants
from dissensus.tables.collection import join
from dissensus.tables.scale import UNJUDGED, Scale


@pytest.mark.parametrize("grades", [2, 4])
def test_random_judges_label_what_was_judged_with_their_mass(grades: int) -> None:
    scale = Scale.range(0, grades - 1)
    like = np.array([0, UNJUDGED, 1, -2, 0], np.int8)
    rng = np.random.default_rng(1)
    for kind, favoured, share in (("und", 0, 0.95), ("ovr", grades - 1, 0.95), ("uni", 0, 1 / grades)):
        labels = random_labels(like, kind, scale, 40_000, rng)
        assert (labels[1] == UNJUDGED).all()
        assert (labels[3] == -2).all()
        part = labels[[0, 2, 4]]
        assert (part == favoured).mean() == pytest.approx(share, abs=0.005)
        rest = np.bincount(part[part != favoured], minlength=grades)
        others = np.delete(rest, favoured) / part.size
        assert others == pytest.approx((1 - share) / (grades - 1), abs=0.005)


def test_random_judges_are_shared_by_those_who_judged_alike() -> None:
    runs, judgments, _ = judged_runs({"a": 0.9, "b": 0.8, "c": 0.7}, topics=3, seed=8)
    joined = join(runs, judgments)
    assert variants(joined).columns.shape[1] == 1
    keep = ~((judgments.assessor == 2) & (judgments.item % 2 == 0))
    which = variants(join(runs, judgments.rows(keep)))
    assert which.columns.shape[1] == 2
    assert which.of.tolist() == [[0, 0, 0], [0, 0, 0], [1, 1, 1]]
