"""Judgments by topic and document: what two of them have in common."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from random_collections import random_dicts

import dissensus as ds
from dissensus.tables.ids import IdColumn


def test_same_documents_are_those_of_the_same_topic_and_id():
    (a, _), (b, _) = random_dicts(1, assessors=2), random_dicts(2, assessors=2)
    one, other = ds.Judgments.from_dict(a), ds.Judgments.from_dict(b)
    here, there = one.same_documents(other)
    pairs = [{(j.topics[j.item_topic[i]], j.doc_ids()[i]) for i in range(j.n_items)} for j in (one, other)]
    named = [(j.topics[j.item_topic[i]], j.doc_ids()[i]) for j, items in ((one, here), (other, there)) for i in items]
    assert set(named) == pairs[0] & pairs[1]
    assert named[: len(here)] == named[len(here) :]


def test_ids_shared_only_under_other_topics_are_not_the_same_documents():
    one = ds.Judgments.from_dict({"ann": {1: {"d1": 1}}})
    other = ds.Judgments.from_dict({"bob": {2: {"d1": 1}}})
    assert [len(x) for x in one.same_documents(other)] == [0, 0]


def test_equal_hashes_do_not_make_equal_documents():
    one = ds.Judgments.from_dict({"ann": {1: {"d1": 1, "d2": 0}}})
    other = ds.Judgments.from_dict({"gold": {1: {"d2": 1, "d3": 0}}})
    alike = [IdColumn((replace(j.item_ids.packed(), hashed=np.zeros(2, np.uint64)),)) for j in (one, other)]
    one, other = (replace(j, item_ids=ids) for j, ids in zip((one, other), alike, strict=True))
    assert [x.tolist() for x in one.same_documents(other)] == [[1], [0]]
