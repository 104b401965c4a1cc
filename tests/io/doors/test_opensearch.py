"""OpenSearch: judgment lists and results of experiments."""

from __future__ import annotations

from pathlib import Path

from refusals import refused
from wording import phrase

from dissensus.errors import FileError
from dissensus.io.exports import opensearch
from dissensus.io.exports.document import ExportedFile


def test_failures_are_missing_and_counted() -> None:
    ratings = {"query": "q", "ratings": [{"docId": "d", "rating": "0.500"}], "failures": [{"docId": "e"}]}
    rows = opensearch.read(ExportedFile({"type": "LLM_JUDGMENT", "judgmentRatings": [ratings]}, Path("j.json")))[
        "judgments"
    ]
    assert rows.columns["grade"].to_list() == [0.5]
    assert any(note.startswith(phrase("opensearch.judgments-failed", 1, 2)) for note in rows.notes)
    assert "LLM_JUDGMENT" in rows.notes[0]


def test_results_are_rankings_and_scores() -> None:
    result = {
        "searchConfigurationId": "a",
        "searchText": "q",
        "documentIds": ["x", "y"],
        "metrics": [{"metric": "P@5", "value": 0.33}],
    }
    found = opensearch.read(ExportedFile([result], Path("e.json")))
    assert found["runs"].columns["score"].to_list() == [-1, -2]
    assert found["scores"].columns["value"].to_list() == [0.33]
    with refused(FileError, 1, "e.json"):
        opensearch.read(ExportedFile([{"searchText": "q", "documentIds": ["x"]}], Path("e.json")))


def test_search_responses_are_unwrapped() -> None:
    source = {"judgmentRatings": [{"query": "q", "ratings": [{"docId": "d", "rating": "1"}]}]}
    assert opensearch.opens(ExportedFile({"hits": {"hits": [{"_source": source}]}}, Path("j.json")))
    assert not opensearch.opens(ExportedFile({"hits": {"hits": [{"_source": {"a": 1}}]}}, Path("j.json")))
