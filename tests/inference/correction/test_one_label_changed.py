"""Effects of one label: copies of topics against scoring the whole collection again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from audited_study import study

from dissensus.inference.correction import one_label_changed
from dissensus.inference.correction.one_label_changed import copied, effects
from dissensus.measures.catalog import measure
from dissensus.tables.collection import join

MEASURES = ["nDCG@5", "AP", "ERR@10", "RR", "Bpref", "Rprec", "INST(max_rel=2)", "Compat(p=0.8)"]


@pytest.mark.parametrize("name", MEASURES)
def test_copies_score_as_the_whole_collection_does(name, monkeypatch):
    monkeypatch.setattr(one_label_changed, "CELLS", 500)  # several pieces
    runs, _, gold = study(topics=4, grades=3, pool=15)
    joined, m = join(runs, gold), measure(name)
    rng = np.random.default_rng(1)
    levels = rng.integers(0, 3, (len(joined.labels), 2)).astype(np.int8)
    items = np.array([3, 20, 21, 50])
    levels[items] = levels[items, :1]
    topic = np.searchsorted(joined.topic_bounds, items, side="right") - 1

    def score(given):
        return m.scores(joined.with_labels(np.ascontiguousarray(given)))

    whole = score(levels)
    seen = 0
    for some, effect in effects(m.scores, joined, levels, whole, items, topic, 3):
        for at, item in enumerate(items[some]):
            for level in range(3):
                changed = levels.copy()
                changed[item] = level
                expected = np.nan_to_num(whole - score(changed))[:, :, topic[some][at]]
                np.testing.assert_allclose(effect[level, :, :, at], expected, atol=1e-12)
            seen += 1
    assert seen == len(items)


def test_copied_topics_have_the_rankings_of_the_original():
    runs, _, gold = study(topics=3, grades=3)
    joined = join(runs, gold)
    copies, rows = copied(joined, np.array([2, 0, 2]))
    assert copies.topics == tuple(joined.topics[t] for t in (2, 0, 2))
    np.testing.assert_array_equal(copies.labels, joined.labels[rows])
    m = measure("nDCG@10")
    whole = m.scores(joined)
    np.testing.assert_allclose(m.scores(replace(copies)), whole[:, :, [2, 0, 2]])
