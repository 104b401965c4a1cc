"""Quepid's books as JSON: query and document pairs with the judgements of several people.

    {"name": …, "scale": [0, 1, 2, 3], "query_doc_pairs": [{"query_text": …, "doc_id": …,
      "judgements": [{"rating": 2.0, "unrateable": false, "judge_later": false, "user_email": …}]}]}

Quepid merges people by the third-highest grade, and by the mean where there are one or two: 4 and 1 make 2.5, a further
4 makes 1. Here everybody's grade is kept.
"""

from __future__ import annotations

from collections.abc import Mapping

from dissensus.io.exports.document import ExportedFile, Kind, Sheet, dropped, list_of, number, text
from dissensus.io.table import Rows

NAME = "a Quepid book"


def opens(document: ExportedFile) -> bool:
    return isinstance(document.value, dict) and isinstance(document.value.get("query_doc_pairs"), list)


def read(document: ExportedFile) -> dict[Kind, Rows]:
    sheet, missing, total = Sheet("judgments"), 0, 0
    for i, pair in enumerate(document.value["query_doc_pairs"]):
        place = f"{document.path}, query_doc_pairs[{i}]"
        if not isinstance(pair, dict) or text(pair.get("query_text")) is None or text(pair.get("doc_id")) is None:
            raise document.wrong(place, "a pair has a query_text and a doc_id")
        for j, one in enumerate(list_of(pair.get("judgements"))):
            total += 1
            rating = number(one.get("rating")) if isinstance(one, dict) else None
            if rating is None or one.get("unrateable") or one.get("judge_later"):
                missing += 1
                continue
            who = text(one.get("user_email") or one.get("user_name")) or "anonymous"
            sheet.add(f"{place}.judgements[{j}]", topic=text(pair["query_text"]), doc=text(pair["doc_id"]),
                      assessor=who, grade=rating)  # fmt: skip
    notes = ("Quepid: query_text is the topic, user_email the assessor", dropped(missing, total, "are unrated"))
    return {"judgments": sheet.rows(*notes, scale=_scale(document.value))}


def _scale(book: Mapping[str, object]) -> tuple[str, ...] | None:
    """The book's scale where it is 0, 1, 2 … without a gap."""
    given = book.get("scale")
    values = given.split(",") if isinstance(given, str) else list_of(given)
    grades = [number(v) for v in values]
    return tuple(map(str, grades)) if grades and grades == list(range(len(grades))) else None
