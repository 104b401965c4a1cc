"""Elasticsearch's `_rank_eval`: requests carry ratings, responses carry rankings, ratings and one score per request.

    {"requests": [{"id": "q1", "ratings": [{"_index": "i", "_id": "d1", "rating": 3}]}]}
    {"metric_score": .9, "details": {"q1": {"metric_score": .9, "unrated_docs": […],
      "hits": [{"hit": {"_index": "i", "_id": "d1", "_score": 7.1}, "rating": 3}]}}}

Version 6 wraps the response in `rank_eval` and calls the score `quality_level`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dissensus.io.exports.document import ExportedFile, Kind, Sheet, list_of, number, text
from dissensus.io.table import Rows

NAME = "Elasticsearch _rank_eval"


def _body(value: object) -> Mapping[str, Any]:
    return value.get("rank_eval", value) if isinstance(value, dict) else {}


def opens(document: ExportedFile) -> bool:
    body = _body(document.value)
    requests, details = body.get("requests"), body.get("details")
    return (isinstance(requests, list) and any("ratings" in r for r in requests if isinstance(r, dict))) or (
        isinstance(details, dict) and any("hits" in d for d in details.values() if isinstance(d, dict))
    )


def read(document: ExportedFile) -> dict[Kind, Rows]:
    body = _body(document.value)
    return _request(document, body["requests"]) if "requests" in body else _response(document, body["details"])


def _request(document: ExportedFile, requests: list[Any]) -> dict[Kind, Rows]:
    sheet = Sheet("judgments")
    several = len({r.get("_index") for q in requests for r in list_of(q.get("ratings"))}) > 1
    for i, query in enumerate(requests):
        for j, rating in enumerate(list_of(query.get("ratings"))):
            place = f"{document.path}, requests[{i}].ratings[{j}]"
            sheet.add(place, topic=_id(document, place, query, "id"), doc=_doc(document, place, rating, several),
                      grade=number(rating.get("rating")))  # fmt: skip
    return {"judgments": sheet.rows("Elasticsearch request: id is the topic, _id the document")}


def _response(document: ExportedFile, details: Mapping[str, Any]) -> dict[Kind, Rows]:
    runs, judged, scores = Sheet("runs"), Sheet("judgments"), Sheet("scores")
    hits = [(topic, hit) for topic, d in details.items() for hit in list_of(d.get("hits"))]
    several = len({h.get("hit", {}).get("_index") for _, h in hits}) > 1
    unrated = 0
    for topic, detail in details.items():
        place = f"{document.path}, details.{topic}"
        for rank, hit in enumerate(list_of(detail.get("hits")), 1):
            doc = _doc(document, place, hit.get("hit") or {}, several)
            runs.add(f"{place}.hits[{rank - 1}]", topic=text(topic), doc=doc, score=-rank)
            unrated += hit.get("rating") is None
            if hit.get("rating") is not None:
                judged.add(f"{place}.hits[{rank - 1}]", topic=text(topic), doc=doc, grade=number(hit["rating"]))
        value = number(detail.get("metric_score", detail.get("quality_level")))
        if value is not None:
            scores.add(place, topic=text(topic), measure="metric_score", value=value)
    ranks = "Elasticsearch response: hits are a ranking, best first; their _score is not used"
    out: dict[Kind, Rows] = {"runs": runs.rows(ranks)}
    if judged:
        out["judgments"] = judged.rows(ranks, f"{unrated:,} hits without a rating are left out" if unrated else "")
    if scores:
        out["scores"] = scores.rows("the response does not name its metric: it is called metric_score")
    return out


def _id(document: ExportedFile, place: str, holder: Mapping[str, object], key: str) -> str:
    found = text(holder.get(key))
    if found is None:
        raise document.wrong(place, f"there is no {key}")
    return found


def _doc(document: ExportedFile, place: str, holder: Mapping[str, object], several: bool) -> str:
    doc = _id(document, place, holder, "_id")
    return f"{holder.get('_index')}/{doc}" if several else doc
