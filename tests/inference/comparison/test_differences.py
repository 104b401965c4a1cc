"""How comparisons are shown: the verdict first, what fits, what is counted; every window has all pairs."""

from __future__ import annotations

import json

import numpy as np
from score_datasets import dataset

import dissensus as ds
from dissensus.inference.comparison.comparison_notes import first_notes
from dissensus.inference.comparison.differences import FEW, FIRST, RANKED, Differences
from dissensus.windows import terminal

LINES = RANKED + 16  # of a first screen: claims, ranks, notes, what is left out


def compared(systems: int) -> Differences:
    rng = np.random.default_rng(0)
    topic = rng.random(20)
    values = [[topic + 0.1 * rng.normal(size=20) + 0.02 * k for k in range(systems)]]
    return ds.compare(dataset(values), "AP")


def test_few_pairs_are_listed_and_many_are_ranked() -> None:
    few = compared(3)
    assert list(few.screen().tables) == ["pairs"]
    assert len(few.screen().notes) == len(few.pairs) + max(len(first_notes(few)), FIRST)
    many = compared(20)
    assert len(many.pairs) == 190 > FEW
    assert many.screen().to_frame("ranks").height == RANKED
    assert len(str(many).splitlines()) <= LINES
    assert str(many).count("5 more rows") == 1
    assert len(terminal.text(many, terminal.Style(more=None)).splitlines()) > 190


def test_the_verdict_comes_first() -> None:
    result = compared(3)
    first, *further = [str(c) for c in result.claims]
    assert str(result).splitlines()[: len(result.claims)] == [f"AP: {first}", *further]


def test_json_holds_everything() -> None:
    result = compared(5)
    told = json.loads(result.to_json())
    assert [row["verdict"] for row in told["tables"]["pairs"]] == [d.verdict for d in result]
    assert [c["sentence"] for c in told["claims"]] == [str(c) for c in result.claims]
    assert told["tables"]["ranks"] == json.loads(json.dumps(result.ranks().to_dicts()))
    assert told["outcome"]["best"] == list(result.outcome.best)
    assert f"family: {result.family}" in told["notes"]


def test_a_baseline_has_pairs_and_no_ranks() -> None:
    rng = np.random.default_rng(1)
    result = ds.compare(dataset([rng.random((20, 20))]), "AP", baseline="s0")
    assert list(result.tables) == ["pairs"]
    assert result.screen().to_frame("pairs").height == RANKED
