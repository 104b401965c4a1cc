"""`preferences` as a whole."""

from __future__ import annotations

import pytest
from paths import shared_data

import dissensus as ds


def test_grades_by_strength_serve_compat() -> None:
    rows = [("q", "x", "y", "ann", "a"), ("q", "y", "z", "ann", "a"), ("q", "x", "z", "ann", "a")]
    found = ds.preferences(ds.Preferences.from_rows(rows), items="topic")
    assert [r[1:] for r in found.judgments().to_frame().select("topic", "doc", "grade").rows()] == [
        ("x", 3),
        ("y", 2),
        ("z", 1),
    ]
    best, worst = {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}, {"q": {"z": 3.0, "y": 2.0, "x": 1.0}}
    scores = ds.evaluate(ds.Runs.from_dict({"best": best, "worst": worst}), found.judgments(), ["Compat(p=0.8)"])
    values = scores["Compat(p=0.8)"].values.ravel()
    assert values[0] == pytest.approx(1.0)
    assert values[1] < 1.0


def test_people_and_gpt4o_on_dl21() -> None:
    """11,681 answers by people; GPT-4o answered 9,416 of the same questions, 2,423 of them with "same"."""
    data = shared_data("trec-dl21-passage")
    people = ds.read_preferences(data / "human_preferences.dl21.txt.gz", assessor="people")
    gpt = ds.read_preferences(data / "gpt4o_on_human_preference_pairs.dl21.txt.gz", assessor="gpt4o")
    assert (len(people), len(gpt), int((gpt.answer == 0.5).sum())) == (11_681, 9_416, 2_423)
    both = ds.Preferences.from_rows([*people.to_frame().rows(), *gpt.to_frame().rows()])
    some = both.rows(both.topic < 12)
    row = ds.preferences(some).agreement.row(0, named=True)
    assert 0.55 < row["decided"] < 0.7
    assert row["decided_low"] > 0.5
