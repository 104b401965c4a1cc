"""The join of runs with judgments, against dictionaries; hash collisions do not matter."""

from __future__ import annotations

import numpy as np
import pytest
from random_collections import EVERY, random_dicts
from refusals import refused

import dissensus as ds
from dissensus.engine.walks import pool_counts
from dissensus.errors import RunError
from dissensus.tables import collection
from dissensus.tables.collection import join, judged_topics
from dissensus.tables.scale import UNJUDGED


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


def test_topics_that_differ_only_in_zeros_or_case_are_refused():
    labels = {"q1": {"d": 1}, "q10": {"d": 1}}
    for topic in ("q01", "Q1", "q001"):
        with refused(RunError, topic, "q1"):
            ds.evaluate({"a": {topic: {"d": 1.0}, "q10": {"d": 1.0}}}, labels, ["P@1"])
    other = {"a": {"q2": {"d": 1.0}, "q10": {"d": 1.0}}}  # another topic, which was not judged: counted and said
    assert ds.evaluate(other, labels, ["P@1"])["P@1"].mean() == 0.5


@pytest.mark.parametrize("verb", ["evaluate", "correct", "aware", "plan"])
def test_judgments_of_other_documents_give_no_number(verb):
    ranking = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 2.0, "d4": 1.0}}
    runs = {"a": ranking, "b": {t: {d: -s for d, s in r.items()} for t, r in ranking.items()}}
    labels = {"q1": {"X-d1": 1, "X-d2": 0}, "q2": {"X-d3": 1, "X-d4": 0}}
    gold = {t: dict.fromkeys(r, 1) for t, r in ranking.items()}
    more = {"correct": [gold, ["P@1"]], "plan": []}.get(verb, [["P@1"]])
    with refused(RunError, "d1"):
        getattr(ds, verb)(runs, labels, *more)


def test_who_judged_a_topic_is_the_same_for_wide_and_narrow_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    labels = np.where(rng.random((50, 6)) < 0.1, rng.integers(0, 3, (50, 6)), UNJUDGED).astype(np.int8)
    bounds = np.array([0, 0, 7, 8, 30, 30, 50])
    narrow = judged_topics(labels, bounds)
    monkeypatch.setattr("dissensus.tables.collection.WIDE", 0)
    assert np.array_equal(judged_topics(labels, bounds), narrow)
    for a, t in np.ndindex(6, 6):
        assert narrow[a, t] == (labels[bounds[t] : bounds[t + 1], a] > UNJUDGED).any()


def test_pool_counts() -> None:
    judged, runs = random_dicts(14, assessors=2)
    j = ds.Judgments.from_dict(judged, scale="0..3")
    joined = join(ds.Runs.from_dict(runs), j)
    for t, topic in enumerate(joined.topics):
        for a, assessor in enumerate(joined.assessors):
            own = list(judged[assessor].get(topic, {}).values())
            assert joined.pool_counts[t, a].tolist() == [own.count(g) for g in range(4)]


def test_many_assessors_are_counted_as_few_are() -> None:
    rng = np.random.default_rng(5)
    labels = rng.integers(-2, 5, (40, 30)).astype(np.int8)  # grades below and above the scale, and unjudged ones
    bounds = np.array([0, 11, 11, 40])
    counts = pool_counts.fast(labels, bounds, 0, 4)
    assert np.array_equal(counts, pool_counts.python(labels, bounds, 0, 4))
    for t, a, g in np.ndindex(3, 30, 4):
        assert counts[t, a, g] == (labels[bounds[t] : bounds[t + 1], a] == g).sum()


@pytest.mark.parametrize("assessors", [1, 3])
def test_the_list_of_relevant_hits_changes_no_score(monkeypatch: pytest.MonkeyPatch, assessors: int) -> None:
    judged, runs = random_dicts(5, assessors)
    known = ds.Runs.from_dict(runs), ds.Judgments.from_dict(judged, scale="0..3")
    measures = [*EVERY, "nDCG(gains={0: 1, 1: 2, 2: 3, 3: 4})"]
    plain = ds.evaluate(*known, measures)
    monkeypatch.setattr(collection, "MANY", 1)
    monkeypatch.setattr(collection, "WORTH", 1.0)
    joined = join(*known)
    assert 0 < len(joined.relevant.hit_item) < len(joined.hit_item)
    assert (joined.labels[joined.relevant.hit_item] > 0).any(axis=1).all()
    kept = ds.Collection.of(joined).evaluate(measures)
    for name in plain:
        np.testing.assert_array_equal(kept[name].values, plain[name].values, str(name))


def test_where_most_is_relevant_no_list_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collection, "MANY", 1)
    judgments = ds.Judgments.from_dict({"a": {"1": {"d": 1, "e": 2, "f": 0}}}, scale="0..3")
    joined = join(ds.Runs.from_dict({"s": {"1": {"d": 3.0, "e": 2.0, "f": 1.0}}}), judgments)
    assert joined.relevant is joined
