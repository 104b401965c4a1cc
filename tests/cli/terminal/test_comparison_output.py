"""How comparisons are shown: what fits, what is counted, what goes to JSON."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
from score_datasets import dataset
from wording import phrase

import dissensus as ds
from dissensus.cli.inputs.options import Output
from dissensus.cli.terminal.comparison_output import FEW, LINES, RANKED, diagnosis_lines, show
from dissensus.inference.comparison.pair_diagnosis import Errors, PairDiagnosis


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
    assert len(many) <= LINES + 2
    assert phrase("comparison-output.first-systems-all-lists", RANKED, 20) in "\n".join(many)
    show(compared(20), [], Output(), everything=True)
    assert len(capsys.readouterr().out.splitlines()) > 190


def test_the_verdict_comes_first(capsys):
    result = compared(3)
    show(result, ["a note"], Output())
    lines = capsys.readouterr().out.splitlines()
    assert lines[: len(result.claims())] == [f"AP: {c}" for c in result.claims()]
    assert "a note" in lines


def test_json_holds_everything(capsys):
    result = compared(5)
    show(result, ["a note"], Output(json=True))
    told = json.loads(capsys.readouterr().out)
    assert len(told["tables"]["table"]) == len(told["verdicts"]) == 10
    assert [c["sentence"] for c in told["claims"]] == [str(c) for c in result.claims()]
    assert told["ranks"] == json.loads(json.dumps(result.ranks().to_dicts()))
    assert "a note" in told["footer"]


def diagnosed(n: int):
    names = itertools.combinations("abcdef", 2)
    errors = {"a": Errors(10, 0.2), "b": Errors(10, 0.1), "both": Errors(5, 0.1)}
    return [
        PairDiagnosis(a, b, "AP", 0.1, 0.05, 1.0, 0.01 if i == 0 else 0.5, 0.3, 0.2, errors, 0.5 if i else math.nan)
        for i, (a, b) in enumerate(itertools.islice(names, n))
    ]


def test_many_diagnoses_are_counted():
    few = diagnosis_lines(diagnosed(2), everything=False)
    assert all(line.startswith("AP, a − ") for line in few)
    tested, compared_ = diagnosis_lines(diagnosed(5), everything=False)
    assert phrase("comparison-output.diagnosis-pairs", 5) in tested
    assert tested.endswith(phrase("comparison-output.not-adjusted", 1, "0.05", "b"))
    assert phrase("comparison-output.differ-pairs", 0, 4) in compared_
