"""The join of runs with judgments, against dictionaries; hash collisions do not matter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from random_collections import random_dicts

import dissensus as ds
from dissensus.data.tables.collection import join
from dissensus.data.tables.scale import UNJUDGED


def test_hits_are_the_pooled_documents_of_each_ranking() -> None:
    judged, runs = random_dicts(11, assessors=3)
    r, j = ds.Runs.from_dict(runs), ds.Judgments.from_dict(judged)
    joined = join(r, j)
    docs = j.doc_ids()
    pools = {t: set().union(*(own.get(t, {}) for own in judged.values())) for t in j.topics}
    for s in range(len(joined.length)):
        system, topic = joined.systems[joined.segment_system[s]], joined.topics[joined.segment_topic[s]]
        ranking = sorted(runs[system][topic].items(), key=lambda pair: (pair[1], pair[0].encode()), reverse=True)
        expected = [(i, d) for i, (d, _) in enumerate(ranking, 1) if d in pools[topic]]
        hits = slice(joined.hits[s], joined.hits[s + 1])
        found = [(int(k), docs[i]) for k, i in zip(joined.hit_rank[hits], joined.hit_item[hits], strict=True)]
        assert found == expected
        assert joined.length[s] == len(ranking)


def test_labels_are_documents_by_assessors() -> None:
    judged, runs = random_dicts(12, assessors=3)
    j = ds.Judgments.from_dict(judged)
    joined = join(ds.Runs.from_dict(runs), j)
    for item, doc in enumerate(j.doc_ids()):
        topic = j.topics[j.item_topic[item]]
        row = [judged[a].get(topic, {}).get(doc, UNJUDGED) for a in j.assessors]
        assert joined.labels[item].tolist() == row


def test_documents_with_equal_hashes_are_told_apart_by_their_bytes() -> None:
    judged, runs = random_dicts(13)
    r, j = ds.Runs.from_dict(runs), ds.Judgments.from_dict(judged)
    same = (replace(ids, hashed=np.full(len(ids), 7, np.uint64)) for ids in (r.ids, j.item_ids))
    clash = join(replace(r, ids=next(same)), replace(j, item_ids=next(same)))
    plain = join(r, j)
    np.testing.assert_array_equal(clash.hit_item, plain.hit_item)
    np.testing.assert_array_equal(clash.hit_rank, plain.hit_rank)


def test_pool_counts() -> None:
    judged, runs = random_dicts(14, assessors=2)
    j = ds.Judgments.from_dict(judged, scale="0..3")
    joined = join(ds.Runs.from_dict(runs), j)
    for t, topic in enumerate(joined.topics):
        for a, assessor in enumerate(joined.assessors):
            own = list(judged[assessor].get(topic, {}).values())
            assert joined.pool_counts[t, a].tolist() == [own.count(g) for g in range(4)]


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
