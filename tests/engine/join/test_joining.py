"""The join of runs with judgments, against dictionaries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from random_collections import random_dicts

import dissensus as ds
from dissensus.tables.collection import join
from dissensus.tables.ids import IdColumn


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


def test_documents_with_equal_hashes_are_told_apart_by_their_bytes() -> None:
    judged, runs = random_dicts(13)
    r, j = ds.Runs.from_dict(runs), ds.Judgments.from_dict(judged)
    alike = [replace(ids.packed(), hashed=np.full(len(ids), 7, np.uint64)) for ids in (r.ids, j.item_ids)]
    same = (IdColumn((text,)) for text in alike)
    clash = join(replace(r, ids=next(same)), replace(j, item_ids=next(same)))
    plain = join(r, j)
    np.testing.assert_array_equal(clash.hit_item, plain.hit_item)
    np.testing.assert_array_equal(clash.hit_rank, plain.hit_rank)
