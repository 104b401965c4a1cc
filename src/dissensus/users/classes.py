"""Query classes from judgments: does the query look for one page, or for whatever is there?"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Literal

import numpy as np

from dissensus.data.judgments import Judgments
from dissensus.errors import FileError, InputError
from dissensus.measures.mcg import query_class

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
        raise InputError(f'rule={rule!r} is neither "grade" nor "count".')
    if assessor is None and len(judgments.assessors) > 1:
        raise InputError(
            f"there are {len(judgments.assessors)} assessors, and query classes need one: "
            f"{', '.join(judgments.assessors[:5])}.",
            "Name one with assessor=…, or merge them first.",
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


def read_classes(path: str | Path) -> dict[str, str]:
    """Query classes given in a CSV or TSV file with the columns query and class."""
    import polars as pl

    from dissensus.data.files import contents

    data = contents(Path(path))
    separator = "\t" if b"\t" in data.split(b"\n", 1)[0] else ","
    try:
        table = pl.read_csv(io.BytesIO(data), separator=separator, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise FileError(f"{path}: {str(error).splitlines()[0]}") from None
    missing = [c for c in ("query", "class") if c not in table.columns]
    if missing:
        raise FileError(f"{path} has no column '{missing[0]}'; its columns are {', '.join(table.columns)}.")
    blank = table.select(pl.any_horizontal(pl.col("query", "class").is_null())).to_series().arg_true()
    if len(blank):
        raise FileError(f"{path}:{int(blank[0]) + 2}: the query or the class is missing.")
    twice = table.unique().filter(pl.col("query").is_duplicated())
    if twice.height:
        raise FileError(f"{path}: query {twice['query'][0]} has two classes, {' and '.join(twice['class'][:2])}.")
    return dict(table.unique().select("query", "class").iter_rows())
