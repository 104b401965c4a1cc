"""Query classes from judgments: does the query look for one page, or for whatever is there?"""

from __future__ import annotations

from typing import Literal

import numpy as np

from dissensus.data.tables.judgments import Judgments
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.measures.families.mcg import query_class

Rule = Literal["grade", "count"]


def query_classes(judgments: Judgments, assessor: str | None = None, rule: Rule = "grade") -> dict[str, str]:
    """Class of every judged topic.

    `rule="grade"`: *navigational* with exactly one document of grade ≥ 3 (exactly one of the top grade where the scale
    ends below 3, so exactly one relevant in binary data), *informational* otherwise. `rule="count"`: the number of
    relevant documents, "0", "1", … "9", "10+", as in the thesis's Fig. 5.7.

    >>> query_classes(Judgments.from_dict({"a": {"q1": {"x": 1, "y": 0}, "q2": {"x": 1, "y": 1}}}))
    {'q1': 'navigational', 'q2': 'informational'}
    """
    if rule not in ("grade", "count"):
        raise InputError(Text(Option("rule", rule), ' is neither "grade" nor "count".'))
    if assessor is None and len(judgments.assessors) > 1:
        raise InputError(
            f"there are {len(judgments.assessors)} assessors, and query classes need one: "
            f"{', '.join(judgments.assessors[:5])}.",
            Fix("Name one with ", Option("assessor"), ", or merge them first."),
        )
    if assessor is not None:
        judgments = judgments.select(assessors=[assessor])
    rows = judgments.first().judged()
    low, width = rows.scale.low, len(rows.scale)
    topic = rows.item_topic[rows.item].astype(np.int64)
    counts = np.bincount(topic * width + (rows.grade.astype(np.int64) - low), minlength=len(rows.topics) * width)
    table = counts.reshape(len(rows.topics), width)
    out = {}
    for name, by_grade in zip(rows.topics, table, strict=True):
        if not by_grade.sum():
            continue  # not judged by this assessor
        relevant = int(by_grade[rows.scale.grades >= 1].sum())
        count = str(relevant) if relevant < 10 else "10+"
        out[name] = query_class(by_grade, rows.scale) if rule == "grade" else count
    return out
