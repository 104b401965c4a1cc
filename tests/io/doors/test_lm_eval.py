"""lm-eval: the metrics a record names, or all its numbers."""

from __future__ import annotations

from pathlib import Path

from refusals import refused

from dissensus.errors import FileError
from dissensus.io.exports import lm_eval
from dissensus.io.exports.document import ExportedFile


def samples(*records: dict[str, object]) -> ExportedFile:
    return ExportedFile(list(records), Path("s.jsonl"), tuple(range(1, len(records) + 1)))


def test_named_metrics_must_be_numbers() -> None:
    found = lm_eval.read(samples({"doc_id": 3, "target": "x", "metrics": ["acc"], "acc": True, "other": 9}))
    assert found["scores"].columns["measure"].to_list() == ["acc"]
    assert found["scores"].columns["value"].to_list() == [1]
    with refused(FileError, "s.jsonl:1", "acc"):
        lm_eval.read(samples({"doc_id": 3, "target": "x", "metrics": ["acc"], "acc": "high"}))


def test_without_names_every_number_is_a_metric() -> None:
    found = lm_eval.read(samples({"doc_id": 0, "target": 3, "filtered_resps": ["a"], "em": 0.5, "note": "text"}))
    assert found["scores"].columns["measure"].to_list() == ["em"]
    assert not lm_eval.opens(samples({"doc_id": 0, "target": 3}))
