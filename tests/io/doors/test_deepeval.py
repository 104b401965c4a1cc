"""DeepEval: a test case is a topic, its metrics are measures and assessors."""

from __future__ import annotations

from pathlib import Path

from refusals import refused
from wording import phrase

from dissensus.errors import FileError
from dissensus.io.exports import deepeval
from dissensus.io.exports.document import ExportedFile


def cases(*given: object) -> ExportedFile:
    return ExportedFile({"testCases": list(given)}, Path("d.json"))


def test_metrics_without_a_score_are_counted() -> None:
    metrics = [{"name": "F", "score": None}, {"name": "G", "score": "0.5"}, {"score": 1}]
    found = deepeval.read(cases({"name": "t1", "metricsData": metrics}))
    assert found["scores"].columns["value"].to_list() == [0.5]
    assert found["judgments"].columns["doc"].to_list() == ["d"]
    assert phrase("deepeval.metrics-without-score-treated", 2) in found["scores"].notes
    assert deepeval.read(cases({"name": "t1", "metricsData": []})) == {}


def test_a_case_without_a_name_and_an_input_is_refused_by_place() -> None:
    with refused(FileError, "testCases", "[1]"):
        deepeval.read(cases({"input": "a b"}, {"metricsData": []}))
    assert not deepeval.opens(ExportedFile({"testCases": 3}, Path("d.json")))
