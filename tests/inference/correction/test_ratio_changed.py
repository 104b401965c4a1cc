"""Effects of one label on a ratio: the closed form against copies of topics that are scored again."""

from __future__ import annotations

import numpy as np
import pytest
from audited_study import study

from dissensus.data.tables.collection import join
from dissensus.inference.correction import ratio_changed
from dissensus.inference.correction.one_label_changed import effects
from dissensus.inference.correction.ratio_changed import plain_ratio, ratio_effects
from dissensus.measures.catalog import measure

RATIOS = ["nDCG@5", "nDCG", "nDCG(dcg='exp-log2')@10", "NCG@5", "R@5", "R(rel=2)@10", "Fallout@5", "SetR", "SetF"]


@pytest.mark.parametrize("name", RATIOS)
def test_the_closed_form_is_what_scoring_again_gives(name, monkeypatch):
    monkeypatch.setattr(ratio_changed, "ROOM", 200)  # several pieces
    runs, _, gold = study(topics=4, grades=3, pool=15)
    joined, m = join(runs, gold), measure(name)
    rng = np.random.default_rng(2)
    levels = rng.choice(3, (len(joined.labels), 4), p=(0.9, 0.06, 0.04)).astype(np.int8)
    levels[joined.topic_bounds[0] : joined.topic_bounds[1], 1] = 0  # nothing relevant there: undefined
    items = np.sort(rng.choice(len(joined.labels), 25, replace=False))
    levels[items] = levels[items, :1]
    topic = np.searchsorted(joined.topic_bounds, items, side="right") - 1
    whole = m.scores(joined.with_labels(levels))
    scored = np.concatenate([e for _, e in effects(m.scores, joined, levels, whole, items, topic, 3)], axis=3)
    pieces = list(ratio_effects(plain_ratio(m), joined, levels, whole, items, topic))
    assert len(pieces) > 1
    np.testing.assert_allclose(np.concatenate([e for _, e in pieces], axis=3), scored, atol=1e-12)
    assert np.abs(scored).max() > 0


@pytest.mark.parametrize("name", ["AP", "ERR@10", "RR", "P@10", "Rprec", "nDCG(dcg='log2', judged_only=True)@10"])
def test_other_measures_are_scored_again(name):
    assert plain_ratio(measure(name)) is None
