"""lm-eval's samples: one JSON line per document, with the names of its metrics.

    {"doc_id": 0, "target": "…", "filtered_resps": […], "metrics": ["exact_match"], "exact_match": 1.0}

A file is `samples_<task>_<time>.jsonl`; the system is named after the file or its folder.
"""

from __future__ import annotations

from dissensus.io.exports.document import ExportedFile, Kind, Sheet, list_of, number, text
from dissensus.io.table import Rows

NAME = "lm-eval samples"


def opens(document: ExportedFile) -> bool:
    return document.all_have("doc_id", "target") and (
        document.all_have("metrics") or document.all_have("filtered_resps")
    )


def read(document: ExportedFile) -> dict[Kind, Rows]:
    known = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
    sheet = Sheet("scores")
    for i, record in enumerate(document.records):
        names = list_of(record.get("metrics")) or [k for k in record if k not in known]
        for name in names:
            value = number(record.get(name))
            if value is None and record.get("metrics"):
                raise document.wrong(document.place(i), f"the metric {name!r} has no number: {record.get(name)!r}")
            if value is not None:
                sheet.add(document.place(i), topic=text(record["doc_id"]), measure=str(name), value=value)
    return {"scores": sheet.rows("lm-eval: doc_id is the topic")} if sheet else {}
