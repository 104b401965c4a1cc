"""The model of unaudited documents: what a topic's own audited documents may and may not change."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from dissensus.inference.correction.gold_model import _by_topic


@pytest.mark.parametrize(("relevant", "low", "high"), [(8, 0.16, 0.24), (10, 0.3, 0.7), (2, 0.0, 0.1)])
def test_promising_documents_are_compared_with_what_they_promised(relevant, low, high):
    """One topic, one label; ten audited documents of chance 0.8, thirty others of 0.2.

    If eight of the ten are relevant nothing was learned; ten, or two, change what is thought of the others.
    """
    audited = np.arange(40) < 10
    gold = np.where(audited, (np.arange(40) < relevant).astype(int), -1)
    design = SimpleNamespace(topic=np.zeros(40, int), bronze=np.zeros(40, int), n_labels=1, audited=audited, gold=gold)
    guess = np.where(audited, 0.8, 0.2)
    strata = SimpleNamespace(own=np.array([[10.0 - relevant, relevant]]))
    others, seen = np.arange(10, 40), np.arange(10)
    rng = np.random.default_rng(0)
    both = np.stack([1 - guess, guess], axis=1)
    draws = [_by_topic(rng, both, design, strata, others, seen)[0][:, 1].mean() for _ in range(2000)]
    assert low < np.mean(draws) < high


def test_an_audited_document_is_judged_by_the_others_alone():
    """Its own label must not move what was thought of it, or the model's error could not be seen."""
    audited = np.ones(6, bool)
    rng_seed = 3
    found = []
    for own_label in (0, 1):
        gold = np.array([own_label, 1, 1, 0, 1, 0])
        design = SimpleNamespace(
            topic=np.zeros(6, int), bronze=np.zeros(6, int), n_labels=1, audited=audited, gold=gold
        )
        strata = SimpleNamespace(own=np.bincount(gold, minlength=2)[None].astype(float))
        guess = np.full((6, 2), 0.5)
        rng = np.random.default_rng(rng_seed)
        draws = [_by_topic(rng, guess, design, strata, np.zeros(0, int), np.arange(1))[1][0, 1] for _ in range(4000)]
        found.append(np.mean(draws))
    assert found[0] == pytest.approx(found[1], abs=0.03)
