"""How comparisons are shown: what fits, what is counted, what goes to JSON."""

from __future__ import annotations

import json

import numpy as np
from score_datasets import dataset
from wording import phrase

import dissensus as ds
from dissensus.cli.inputs.options import Output
from dissensus.cli.terminal.comparison_output import FEW, RANKED, show


def compared(systems: int):
    rng = np.random.default_rng(0)
    topic = rng.random(20)
    values = [[topic + 0.1 * rng.normal(size=20) + 0.02 * k for k in range(systems)]]
    return ds.compare(dataset(values), "AP")


def test_few_pairs_are_listed_and_many_are_ranked(capsys):
    show(compared(3), [], Output())
    few = capsys.readouterr().out
    assert "s0 " in few
    assert "difference" in few
    show(compared(20), [], Output())
    many = capsys.readouterr().out.splitlines()
    assert 3 <= FEW < 190
    assert len(many) <= RANKED + 12
    assert "--explain" in many[-1]
    assert phrase("comparison-output.first-systems-all-lists", RANKED, 20) in "\n".join(many)
    show(compared(20), [], Output(), everything=True)
    assert len(capsys.readouterr().out.splitlines()) > 190


def test_the_verdict_comes_first(capsys):
    result = compared(3)
    show(result, ["a note"], Output())
    lines = capsys.readouterr().out.splitlines()
    first, *further = [str(c) for c in result.claims]
    assert lines[: len(result.claims)] == [f"AP: {first}", *further]
    assert "a note" in lines


def test_json_holds_everything(capsys):
    result = compared(5)
    show(result, ["a note"], Output(json=True))
    told = json.loads(capsys.readouterr().out)
    assert len(told["tables"]["table"]) == len(told["verdicts"]) == 10
    assert [c["sentence"] for c in told["claims"]] == [str(c) for c in result.claims]
    assert told["ranks"] == json.loads(json.dumps(result.ranks().to_dicts()))
    assert "a note" in told["notes"]
