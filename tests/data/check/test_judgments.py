"""What is odd about judgments alone."""

from __future__ import annotations

from odd_collections import clean_judgments, said

import dissensus as ds


def test_judgments_alone():
    judged = clean_judgments(2)
    judged["one"] = {0: {f"d{i}": 1 for i in range(15)}}
    judged["shy"] = {0: {f"d{i}": i % 2 for i in range(15)}, 1: {"d1": 0}}
    judged["rare"] = {1: {"d1": 2, "d2": -1}}
    found = ds.check(judgments=ds.Judgments.from_dict(judged, scale="0..4"))
    assert said(found) == [
        "warning: gives all 15 documents the grade 1 [one]",
        "warning: assessors with fewer than 10 labels",
        "warning: 1 of 2 topics have no relevant document [shy]",
        "note: 1 grade below zero: in the pool, unjudged",
        "note: grades that no assessor gave",
        "note: assessors who never give the grade 2, which others do",
        "note: assessors who judged only some of the 2 topics",
    ]
    assert next(f for f in found.findings if "no assessor" in f.what).examples == ("3", "4")


def test_scales():
    names = ds.check(judgments=ds.Judgments.from_dict({"a": {1: {"x": "no", "y": "yes"}}}))
    assert not names.ok
    assert 'scale="no,yes"' in str(names)
    one_up = ds.check(judgments=ds.Judgments.from_dict({"a": {1: {"x": 1, "y": 2}}}, scale="1..2"))
    assert "warning: the lowest grade is 1: all grades of at least 1 count as relevant" in said(one_up)
    undeclared = ds.check(judgments=ds.Judgments.from_dict({"a": {1: {"x": 0, "y": 2}}}))
    assert "note: no scale was declared; the grades read off the data are 0 to 2" in said(undeclared)
