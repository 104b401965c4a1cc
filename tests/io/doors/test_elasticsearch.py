"""Elasticsearch: requests with ratings, responses with hits."""

from __future__ import annotations

from pathlib import Path

from refusals import refused
from wording import phrase

from dissensus.errors import FileError
from dissensus.io.exports import elasticsearch
from dissensus.io.exports.document import ExportedFile


def hit(doc: str, rating: int | None, index: str = "i") -> dict[str, object]:
    return {"hit": {"_index": index, "_id": doc, "_score": 1.0}, "rating": rating}


def test_a_response_is_a_ranking_by_place_with_ratings_and_a_score() -> None:
    details = {"q1": {"metric_score": 0.5, "hits": [hit("b", None), hit("a", 2)]}}
    found = elasticsearch.read(ExportedFile({"details": details}, Path("r.json")))
    assert found["runs"].columns["score"].to_list() == [-1, -2]
    assert found["judgments"].columns["doc"].to_list() == ["a"]
    assert phrase("elasticsearch.hits-without-rating-left", 1) in found["judgments"].notes
    assert found["scores"].columns["value"].to_list() == [0.5]


def test_indices_are_part_of_the_id_only_where_there_are_several() -> None:
    details = {"q1": {"hits": [hit("a", 1), hit("a", 1, "j")]}}
    found = elasticsearch.read(ExportedFile({"rank_eval": {"details": details}}, Path("r.json")))
    assert found["runs"].columns["doc"].to_list() == ["i/a", "j/a"]


def test_ratings_without_an_id_are_refused_by_place() -> None:
    document = ExportedFile({"requests": [{"id": "q", "ratings": [{"rating": 1}]}]}, Path("r.json"))
    assert elasticsearch.opens(document)
    with refused(FileError, "[0]", "ratings", "_id"):
        elasticsearch.read(document)
