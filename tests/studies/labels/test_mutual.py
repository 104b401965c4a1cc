"""Measures by how judges agree on them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.studies.labels.mutual import mutual_evaluation


def simulated(noise: float, topics: int = 6, seed: int = 0) -> ds.Judgments:
    rng = np.random.default_rng(seed)
    truth = {t: rng.choice(4, 30, p=(0.5, 0.25, 0.15, 0.1)) for t in range(topics)}
    matrix = ds.Confusion.distance(4, noise)
    return ds.Judgments.from_dict(
        {
            who: {
                t: {f"d{i}": int(g) for i, g in enumerate(matrix.sample(grades, seed=10 * t + k))}
                for t, grades in truth.items()
            }
            for k, who in enumerate(("ann", "bob"))
        },
        scale="0..3",
    )


def test_judges_who_agree_score_one_on_everything():
    result = mutual_evaluation(simulated(0.0), users=(2,))
    frame = result.to_frame()
    assert frame["metric"].to_list() == ["AP", "GAP 1/2", "nDCG zipf exp", "nDCG log exp", "nDCG log 1/2"]
    assert frame["mean"].to_list() == pytest.approx([1] * 5)
    assert frame["sd"].to_list() == pytest.approx([0] * 5, abs=1e-12)


def test_the_shape_of_the_papers_table():
    """Strict top relevance is the least robust, graded measures gain with N, the logarithm beats Zipf."""
    frame = mutual_evaluation(simulated(0.3, topics=10), users=(2, 4)).to_frame()
    mean = dict(zip(frame["metric"], frame["mean"], strict=True))
    assert mean["AP"] < mean["GAP 1/2"] < mean["GAP 1/4"]
    assert mean["nDCG zipf exp"] < mean["nDCG log exp"]
    assert mean["nDCG log 1/2"] < mean["nDCG log 1/4"]


def test_weights_come_from_the_other_topics():
    rows = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "d": 0, "e": 2}}
    other = {"1": {"a": 2, "b": 0}, "2": {"c": 1, "d": 0, "e": 2}}
    j = ds.Judgments.from_dict({"ann": rows, "bob": other})
    result = mutual_evaluation(j, users=(2,), min_documents=2)
    # without topic 1 nobody ever saw a 1 become a 2: there grade 1 weighs nothing
    on_1 = result.scores.filter((result.scores["topic"] == "1") & (result.scores["metric"] == "nDCG log 1/2"))
    assert dict(zip(on_1["ranks"], on_1["score"], strict=True))["ann"] == pytest.approx(1)
    assert phrase("mutual.weights-estimated-without-topic") in str(result)


def test_topics_without_a_top_document_are_left_out_of_ap():
    j = simulated(0.2)
    few = mutual_evaluation(
        j.with_grades(np.where(j.item_topic[j.item] == 0, np.minimum(j.grade, 2), j.grade)), users=(2,)
    ).to_frame()
    topics = dict(zip(few["metric"], few["topics"], strict=True))
    assert topics["AP"] == 5
    assert topics["nDCG log exp"] == 6


def test_json_and_refusal():
    assert json.loads(mutual_evaluation(simulated(0.1), users=(2,)).to_json())["tables"]["metrics"][0]["metric"] == "AP"
    named = ds.Judgments.from_dict(
        {"a": {1: {"x": "red"}}, "b": {1: {"x": "blue"}}}, scale=ds.Scale(("red", "blue"), ordered=False)
    )
    with refused(InputError, options=["scale"]):
        mutual_evaluation(named)
