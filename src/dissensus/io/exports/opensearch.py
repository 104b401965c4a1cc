"""OpenSearch's search relevance workbench: judgment lists, and the results of an experiment.

    {"type": "LLM_JUDGMENT",
     "judgmentRatings": [{"query": "q", "ratings": [{"docId": "d1", "rating": "3.000"}], "failures": […]}]}
    [{"searchConfigurationId": "a", "searchText": "q", "documentIds": ["d1", "d2"],
      "metrics": [{"metric": …, "value": …}]}]

Ratings are texts and may be fractions from 0 to 1. Documents under `failures` were not judged: they are missing, not 0.
The workbench rounds its metrics to two decimals and divides P@k by min(k, hits).
"""

from __future__ import annotations

from typing import Any

from dissensus.io.exports.document import ExportedFile, Kind, Sheet, dropped, list_of, number, text
from dissensus.io.table import Rows

NAME = "OpenSearch search relevance"


def _sources(value: object) -> list[Any]:
    """Documents of an index, unwrapped from a search response."""
    outer = value.get("hits") if isinstance(value, dict) else None
    hits = outer.get("hits") if isinstance(outer, dict) else None
    if isinstance(hits, list):
        return [h.get("_source", {}) for h in hits if isinstance(h, dict)]
    return value if isinstance(value, list) else [value]


def opens(document: ExportedFile) -> bool:
    found = _sources(document.value)
    return bool(found) and all(
        isinstance(s, dict) and ("judgmentRatings" in s or ("searchText" in s and "documentIds" in s)) for s in found
    )


def read(document: ExportedFile) -> dict[Kind, Rows]:
    found = _sources(document.value)
    return _judgments(document, found) if "judgmentRatings" in found[0] else _results(document, found)


def _judgments(document: ExportedFile, lists: list[Any]) -> dict[Kind, Rows]:
    sheet, failed, total = Sheet("judgments"), 0, 0
    for one in lists:
        for i, query in enumerate(list_of(one.get("judgmentRatings"))):
            place = f"{document.path}, judgmentRatings[{i}]"
            failed += len(list_of(query.get("failures")))
            total += len(list_of(query.get("failures"))) + len(list_of(query.get("ratings")))
            for j, rating in enumerate(list_of(query.get("ratings"))):
                if text(query.get("query")) is None or text(rating.get("docId")) is None:
                    raise document.wrong(place, "there is no query or no docId")
                sheet.add(f"{place}.ratings[{j}]", topic=text(query["query"]), doc=text(rating["docId"]),
                          grade=number(rating.get("rating")))  # fmt: skip
    kinds = sorted({str(one.get("type")) for one in lists if one.get("type")})
    notes = (f"OpenSearch {', '.join(kinds) or 'judgments'}: query is the topic", dropped(failed, total, "failed"))
    return {"judgments": sheet.rows(*notes)}


def _results(document: ExportedFile, results: list[Any]) -> dict[Kind, Rows]:
    runs, scores = Sheet("runs"), Sheet("scores")
    for i, one in enumerate(results):
        place, topic = f"{document.path}, result {i + 1}", text(one.get("searchText"))
        system = text(one.get("searchConfigurationId"))
        if topic is None or system is None:
            raise document.wrong(place, "there is no searchText or no searchConfigurationId")
        for rank, doc in enumerate(list_of(one.get("documentIds")), 1):
            runs.add(f"{place}, rank {rank}", system=system, topic=topic, doc=text(doc), score=-rank)
        for metric in list_of(one.get("metrics")):
            value = number(metric.get("value"))
            if value is not None:
                scores.add(place, system=system, topic=topic, measure=text(metric.get("metric")), value=value)
    out: dict[Kind, Rows] = {}
    if runs:
        out["runs"] = runs.rows("OpenSearch results: documentIds are a ranking, best first")
    if scores:
        out["scores"] = scores.rows("OpenSearch rounds metrics to two decimals and divides P@k by min(k, hits)")
    return out
