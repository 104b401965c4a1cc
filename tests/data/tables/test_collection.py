"""The join of runs with judgments, against dictionaries; hash collisions do not matter."""

from __future__ import annotations

import numpy as np
from random_collections import random_dicts

import dissensus as ds
from dissensus.data.tables.collection import join
from dissensus.data.tables.scale import UNJUDGED


def test_labels_are_documents_by_assessors() -> None:
    judged, runs = random_dicts(12, assessors=3)
    j = ds.Judgments.from_dict(judged)
    joined = join(ds.Runs.from_dict(runs), j)
    for item, doc in enumerate(j.doc_ids()):
        topic = j.topics[j.item_topic[item]]
        row = [judged[a].get(topic, {}).get(doc, UNJUDGED) for a in j.assessors]
        assert joined.labels[item].tolist() == row


def test_a_pool_joined_once_serves_everybodys_labels() -> None:
    """`under` gives what `join` gives, for some assessors, some topics, and a pool that holds more documents."""
    rng = np.random.default_rng(3)
    for _ in range(8):
        rankings, labels = random_dicts(rng)
        runs, judgments = ds.Runs.from_dict(rankings), ds.Judgments.from_dict(labels)
        wide = join(runs, judgments)
        views = [judgments, judgments.select(assessors=judgments.assessors[:1])]
        views.append(judgments.select(topics=[t for t in judgments.topics if t in runs.topics]))
        for view in views:
            ours, fresh = wide.under(view), join(runs, view)
            for name in ("topics", "assessors", "scale"):
                assert getattr(ours, name) == getattr(fresh, name)
            for name in ("segment_system", "segment_topic", "length", "hits", "hit_rank", "hit_item", "topic_bounds",
                         "labels", "in_topic", "run_rows"):  # fmt: skip
                np.testing.assert_array_equal(getattr(ours, name), getattr(fresh, name), err_msg=name)
                assert getattr(ours, name).dtype == getattr(fresh, name).dtype


def test_unknown_documents_are_joined_again() -> None:
    runs = ds.Runs.from_dict({"A": {"q1": {"x": 2.0, "y": 1.0}}})
    wide = join(runs, ds.Judgments.from_dict({"ann": {"q1": {"x": 1}}}))
    ours = wide.under(ds.Judgments.from_dict({"bob": {"q1": {"y": 2}}}))
    assert ours.hit_rank.tolist() == [2]
