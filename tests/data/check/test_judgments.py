"""What is odd about judgments alone."""

from __future__ import annotations

from odd_collections import clean_judgments, said
from wording import phrase

import dissensus as ds


def test_judgments_alone():
    judged = clean_judgments(2)
    judged["one"] = {0: {f"d{i}": 1 for i in range(15)}}
    judged["shy"] = {0: {f"d{i}": i % 2 for i in range(15)}, 1: {"d1": 0}}
    judged["rare"] = {1: {"d1": 2, "d2": -1}}
    found = ds.check(judgments=ds.Judgments.from_dict(judged, scale="0..4"))
    assert said(found) == [
        phrase("check-judgments.warning-gives-all", 15, 1),
        phrase("check-judgments.warning-assessors-fewer", 10),
        phrase("check-judgments.warning-topics-have", 1, 2, "shy"),
        phrase("check-judgments.note-grade-below", 1),
        phrase("check-judgments.note-grades-no"),
        phrase("check-judgments.note-assessors-who", 2),
        phrase("check-judgments.note-assessors-who-judged", 2),
    ]
    assert next(f for f in found.findings if phrase("check-judgments.no-assessor") in f.what).examples == ("3", "4")


def test_scales():
    names = ds.check(judgments=ds.Judgments.from_dict({"a": {1: {"x": "no", "y": "yes"}}}))
    assert not names.ok
    assert 'scale="no,yes"' in str(names)
    one_up = ds.check(judgments=ds.Judgments.from_dict({"a": {1: {"x": 1, "y": 2}}}, scale="1..2"))
    assert phrase("check-judgments.warning-lowest-grade", 1, 1) in said(one_up)
    undeclared = ds.check(judgments=ds.Judgments.from_dict({"a": {1: {"x": 0, "y": 2}}}))
    assert phrase("check-judgments.note-no-scale", 0, 2) in said(undeclared)
