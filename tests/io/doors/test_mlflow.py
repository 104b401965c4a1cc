"""MLflow: assessments of traces, alone or inside their traces."""

from __future__ import annotations

from pathlib import Path

from wording import phrase

from dissensus.io.exports import mlflow
from dissensus.io.exports.document import ExportedFile


def assessment(value: object, **more: object) -> dict[str, object]:
    return {"trace_id": "t1", "name": "rel", "source": {"source_id": "gpt"}, "feedback": {"value": value}, **more}


def test_lists_of_assessments_and_of_traces_read_equally() -> None:
    alone = ExportedFile([assessment(2), assessment(1)], Path("m.json"))
    inside = ExportedFile([{"trace_id": "t1", "assessments": [assessment(2), assessment(1)]}], Path("m.json"))
    nested = ExportedFile([{"info": {"assessments": [assessment(2), assessment(1)]}}], Path("m.json"))
    for document in (alone, inside, nested):
        assert mlflow.opens(document)
        rows = mlflow.read(document)["judgments"]
        assert [rows.columns[r].to_list() for r in ("topic", "doc", "assessor", "grade")] == [
            ["t1", "t1"], ["rel", "rel"], ["gpt", "gpt"], [2, 1],
        ]  # fmt: skip


def test_errors_and_structures_have_no_value() -> None:
    document = ExportedFile(
        [assessment(1, error={"code": 1}), assessment({"a": 1}), assessment(None), assessment(0)], Path("m")
    )
    rows = mlflow.read(document)["judgments"]
    assert rows.columns["grade"].to_list() == [0]
    assert any(note.startswith(phrase("mlflow.judgments-error", 3, 4)) for note in rows.notes)


def test_expectations_and_sources_without_an_id() -> None:
    one = {"trace_id": "t", "source": {"source_type": "HUMAN"}, "expectation": {"value": 1}}
    rows = mlflow.read(ExportedFile([one], Path("m")))["judgments"]
    assert (rows.columns["assessor"].to_list(), rows.columns["doc"].to_list()) == (["HUMAN"], ["assessment"])
