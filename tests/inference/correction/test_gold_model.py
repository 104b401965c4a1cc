"""The model of unaudited documents: what a topic's own audited documents may and may not change."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from dissensus.inference.correction.gold_model import ROUNDS, STRENGTH, by_topic, prevalence


@pytest.mark.parametrize(("relevant", "low", "high"), [(8, 0.16, 0.24), (10, 0.3, 0.7), (2, 0.0, 0.1)])
def test_promising_documents_are_compared_with_what_they_promised(relevant, low, high):
    """One topic, one label; ten audited documents of chance 0.8, thirty others of 0.2.

    If eight of the ten are relevant nothing was learned; ten, or two, change what is thought of the others.
    """
    strata = SimpleNamespace(
        own=np.array([[10.0 - relevant, relevant]]),
        place=np.zeros(2, int),
        size=np.array([10.0, 30.0]),
        audited=np.array([10.0, 0.0]),
    )
    guess = np.tile(np.array([[0.2, 0.8], [0.8, 0.2]])[:, :, None], 2000)
    rngs = [np.random.default_rng(i) for i in range(2000)]
    gold = (np.arange(10) < relevant).astype(int)
    draws = by_topic(rngs, guess, strata, np.zeros(10, int), gold)[0][1, 1]
    assert low < np.mean(draws) < high


def test_an_audited_document_is_judged_by_the_others_alone():
    """Its own label must not move what was thought of it, or the model's error could not be seen."""
    found = []
    for own_label in (0, 1):
        gold = np.array([own_label, 1, 1, 0, 1, 0])
        strata = SimpleNamespace(
            own=np.bincount(gold, minlength=2)[None].astype(float),
            place=np.zeros(1, int),
            size=np.array([6.0]),
            audited=np.array([6.0]),
        )
        rngs = [np.random.default_rng(i) for i in range(4000)]
        draws = by_topic(rngs, np.full((1, 2, 4000), 0.5), strata, np.zeros(1, int), gold[:1])[1][0, 1]
        found.append(np.mean(draws))
    assert found[0] == pytest.approx(found[1], abs=0.03)


def plain(bronze, matrix, prior):
    """One draw, as the formula says."""
    share = prior.copy()
    for _ in range(ROUNDS):
        back = (bronze / (share @ matrix)) @ matrix.T
        share = (share * back + STRENGTH * prior) / (bronze.sum(axis=1, keepdims=True) + STRENGTH)
    return share


def test_every_draw_is_the_plain_algorithm():
    rng = np.random.default_rng(0)
    bronze = rng.integers(0, 20, (7, 5)).astype(float)
    matrix = rng.dirichlet(np.ones(5), (4, 3)).transpose(0, 2, 1)
    prior = rng.dirichlet(np.ones(4), (7, 3)).transpose(0, 2, 1)
    made = prevalence(bronze, matrix, prior)
    for i in range(3):
        np.testing.assert_allclose(made[:, :, i], plain(bronze, matrix[:, :, i], prior[:, :, i]), atol=1e-14)
    np.testing.assert_allclose(made.sum(axis=1), 1)


def test_an_empty_stratum_is_like_the_larger_one():
    prior = np.array([[[0.7], [0.3]]])
    sure = np.array([[0.9, 0.1], [0.2, 0.8]])[:, :, None]
    np.testing.assert_allclose(prevalence(np.zeros((1, 2)), sure, prior), prior)
