"""ragas: rankings, references and metrics of samples."""

from __future__ import annotations

from pathlib import Path

import pytest
from refusals import refused

from dissensus.errors import FileError
from dissensus.io.exports import ragas
from dissensus.io.exports.document import ExportedFile


def sample(**more: object) -> ExportedFile:
    return ExportedFile([{"user_input": "q", "response": "x", **more}], Path("r.jsonl"), (1,))


@pytest.mark.parametrize("ids", [["d2", 3], '["d2", 3]', "['d2', 3]"])
def test_lists_of_ids_may_be_written_as_text(ids: object) -> None:
    found = ragas.read(sample(retrieved_context_ids=ids))
    assert found["runs"].columns["doc"].to_list() == ["d2", "3"]
    assert found["runs"].columns["score"].to_list() == [-1, -2]
    assert "judgments" not in found


@pytest.mark.parametrize("ids", ["d1", "[d1", ["d1", None], {"a": 1}, "[1, __import__('os')]"])
def test_what_is_not_a_list_of_ids_is_refused_by_line(ids: object) -> None:
    with refused(FileError, "r.jsonl:1"):
        ragas.read(sample(retrieved_context_ids=ids))


def test_numbers_are_measures_and_texts_are_not() -> None:
    found = ragas.read(sample(context_recall=0.5, faithfulness=True, style="high", reference="y"))
    assert found["scores"].columns["measure"].to_list() == ["context_recall", "faithfulness"]
    assert found["scores"].columns["value"].to_list() == [0.5, 1.0]
