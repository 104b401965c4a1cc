"""pNoise of judgments: per query as counted one by one, pooled, matched by name."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from refusals import refused, states
from wording import phrase

from dissensus.errors import InputError, ScaleError
from dissensus.judging.confusion.api import Confusion
from dissensus.label_noise.counting import count_pairs
from dissensus.label_noise.injection import inject_noise
from dissensus.label_noise.pairs import pair_noise
from dissensus.tables.judgments import Judgments


def gold(topics=6, documents=30, grades=3, seed=0):
    rng = np.random.default_rng(seed)
    return Judgments.from_dict(
        {"gold": {t: {f"d{i}": int(rng.integers(grades)) for i in range(documents)} for t in range(topics)}},
        scale=f"0..{grades - 1}",
    )


def test_per_topic_and_pooled_equal_counting_each_query():
    j = gold()
    noisy = inject_noise(j, Confusion.uniform(3, 0.3), seed=2)
    result = pair_noise(j, noisy)
    wanted = []
    for t in range(len(j.topics)):
        here = j.item_topic[j.item] == t
        wanted.append(count_pairs(j.grade[here], noisy.grade[here]))
    assert result.per_topic["pnoise"].to_list() == pytest.approx([c.noise for c in wanted])
    assert float(result) == pytest.approx(sum(c.inverse + 0.5 * c.new for c in wanted) / sum(c.ordered for c in wanted))
    assert result.changed == pytest.approx(np.mean(j.grade != noisy.grade))
    assert "pNoise" in str(result)
    assert json.loads(result.to_json())["inverse"] == result.inverse


def test_many_grades_take_the_other_road(monkeypatch):
    j = gold(topics=5, documents=40, grades=40, seed=3)
    noisy = inject_noise(j, Confusion.distance(40, 0.5), seed=1)
    by_table = pair_noise(j, noisy)
    monkeypatch.setattr("dissensus.label_noise.pairs.CELLS", 10)
    by_order = pair_noise(j, noisy)
    assert by_order.per_topic.equals(by_table.per_topic)


def test_what_has_no_partner_is_left_out_and_said():
    a = Judgments.from_dict({"gold": {1: {"x": 1, "y": 0, "z": 2}, 2: {"x": 1}}})
    b = Judgments.from_dict({"crowd": {1: {"x": 0, "y": 1, "w": 1}}})
    result = pair_noise(a, b)
    assert float(result) == 1.0
    assert result.documents == 2
    assert result.notes == (
        phrase("pairs.labels-original-without-partner", 2),
        phrase("pairs.label-noisy-without-partner", 1),
    )


def test_queries_without_ordered_pairs_have_no_value():
    a = Judgments.from_dict({"g": {1: {"x": 1, "y": 0}, 2: {"x": 1, "y": 0}}})
    b = Judgments.from_dict({"g": {1: {"x": 1, "y": 1}, 2: {"x": 1, "y": 0}}})
    result = pair_noise(a, b)
    assert result.per_topic["pnoise"].to_list() == [None, 0.0]
    assert states(result.notes[0], 1, 2)
    nothing = pair_noise(a.select(topics=["1"]), b.select(topics=["1"]))
    assert np.isnan(float(nothing))


def test_one_original_against_several_and_names_matched():
    a = Judgments.from_dict({"gold": {1: {"x": 1, "y": 0}}})
    b = Judgments.from_dict({"ann": {1: {"x": 1, "y": 0}}, "bob": {1: {"x": 0, "y": 1}}})
    table = pair_noise(a, b).to_frame()
    assert dict(zip(table["assessor"], table["pnoise"], strict=True)) == {"ann": 0.0, "bob": 1.0}
    both = pair_noise(b, b)
    assert float(both) == 0.0
    two = Judgments.from_dict({"carl": {1: {"x": 1}}, "dora": {1: {"x": 1}}})
    with refused(InputError, "ann", "bob"):
        pair_noise(b, two)


def test_refused():
    a = Judgments.from_dict({"g": {1: {"x": 1, "y": 0}}})
    with refused(InputError):
        pair_noise(a, Judgments.from_dict({"g": {2: {"x": 1}}}))
    names = Judgments.from_frame(pl.DataFrame({"topic": [1], "doc": ["x"], "grade": ["good"]}), assessor="g")
    with refused(ScaleError, options=["scale"]):
        pair_noise(a, names)


def test_repeats_count_once():
    frame = pl.DataFrame({"topic": [1] * 3, "doc": ["x", "x", "y"], "assessor": ["g"] * 3, "grade": [1, 0, 0]})
    twice = Judgments.from_frame(frame, repeated="keep")
    result = pair_noise(twice, twice)
    assert result.documents == 2
    assert phrase("pairs.repeated-judgment-original-left", 1) in result.notes


def test_assessors_of_one_side_only_are_named():
    two = Judgments.from_dict({a: {1: {"x": 1, "y": 0}} for a in ("ann", "bob")})
    result = pair_noise(two, Judgments.from_dict({"ann": {1: {"x": 0, "y": 1}}}))
    assert float(result) == 1.0
    assert result.notes == (phrase("pairs.assessor-original-not-side", 1, "bob"),)


def test_labels_all_alike_have_no_pair_noise_and_shallow_dicts_are_refused():
    alike = Judgments.from_dict({"a": {1: {"x": 1, "y": 1}}})
    assert str(pair_noise(alike, alike)).startswith(phrase("pairs.undefined-ordered-document-pairs", "pNoise", 0))
    with refused(InputError, "assessor", "x"):
        pair_noise({"x": 1}, alike)
