"""binG, G, RnDCG, nDCG_rel: hand values, and the kernels beside the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from random_collections import random_collection

import dissensus as ds
from dissensus.measures.single import score_all

NAMES = ("binG", "binG(rel=2)", "G", "RnDCG", "nDCG_rel")


def test_by_hand() -> None:
    ranking, pool = [2, 0, 1], [2, 1, 1, 0]
    # binG: nothing useless above the first, one above the third
    assert ds.measure("binG").score(ranking, pool) == pytest.approx((1 + 1 / np.log2(3)) / 3)
    # G: the ideal gives 2, 1, 1; lost is 0 at rank 1 and 1 at rank 3
    assert ds.measure("G").score(ranking, pool) == pytest.approx((2 + 1 / np.log2(3)) / 4)
    # RnDCG: the ideal's levels end at ranks 1 and 3; N = 3 is not above R + 1
    whole = (2 + 1 / 2) / (2 + 1 / np.log2(3) + 1 / 2)
    assert ds.measure("RnDCG").score(ranking, pool) == pytest.approx((1 + whole) / 2)
    # nDCG_rel: at ranks 1 and 3, and the last value for the relevant document that was not retrieved
    assert ds.measure("nDCG_rel").score(ranking, pool) == pytest.approx((1 + whole + whole) / 3)


@pytest.mark.parametrize("name", NAMES)
def test_an_ideal_ranking_scores_one_and_an_empty_topic_nothing(name: str) -> None:
    ideal = [3, 2, 2, 1] if "rel" not in name or name == "nDCG_rel" else [3, 2, 2]
    assert ds.measure(name).score(ideal, ideal) == pytest.approx(1)
    assert np.isnan(ds.measure(name).score([0, 0], [0, 0, 0]))


@pytest.mark.parametrize("name", NAMES)
def test_the_kernel_is_the_definition_under_many_assessors(name: str) -> None:
    m = ds.measure(name)
    joined = random_collection(11, assessors=9).joined
    fast = np.where(joined.in_topic[:, None], m.scores(joined), np.nan)
    np.testing.assert_allclose(fast, score_all(m, joined), atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_labels_off_the_scale_do_not_break_the_kernel(name: str) -> None:
    """Simulated labels may pass the top grade, which the pool does not count."""
    joined = random_collection(3, assessors=2).joined
    labels = joined.labels.copy()
    labels[::5] = 9
    scores = ds.measure(name).scores(joined.with_labels(labels, joined.assessors))
    assert np.isfinite(scores[~np.isnan(scores)]).all()
