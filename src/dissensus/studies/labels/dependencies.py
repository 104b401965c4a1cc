"""On what p(top | grade) depends: depth, quality of the list, group of topics (S1, Table 3).

A list is good if it holds a document that *one judge* calls top; what the *other* judges say of its documents is then
counted. Deciding by all judges at once would make p zero in every other list by construction: a list in which none of
them says top has no other judge who does.

    p(top | g) = Σ share · (other judges who say top / other judges) / Σ share    over labels g of the deciding judge

Every judge decides in turn, so a document may be in a good list of one judge and in a poor list of another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Array, Ints
from dissensus.errors import InputError
from dissensus.judging.disagreement.result_lists import listed
from dissensus.judging.label_table import Labels, labels
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

#: Table 3 as printed (FedWeb12, 15 topics): (depth, good list, topics) → p(Key | Rel), p(Key | HRel)
PRINTED = {
    ("5", False, "all"): (0.03, 0.09),
    ("5", True, "all"): (0.16, 0.25),
    ("10", False, "all"): (0.02, 0.06),
    ("10", True, "all"): (0.15, 0.23),
    ("10", True, "ambiguous"): (0.18, 0.22),
    ("10", True, "faceted"): (0.13, 0.26),
}


def dependencies(
    judgments: Judgments,
    top: object,
    runs: Runs | None,
    depths: Sequence[int] = (5, 10),
    groups: Mapping[object, str] | None = None,
) -> pl.DataFrame:
    """depth, lists, topics, grade, p, labels: p(top | grade) on parts of the collection.

    A list is a system's first `depth` documents for a topic; without runs, the judged documents of a topic.
    """
    table = labels(judgments, "unjudged")
    best = len(table.scale) - 1 if top is None else table.scale.grade(top) - table.scale.low
    rows: list[tuple[str, str, str, str, float, int]] = []
    for depth in depths if runs is not None else (None,):
        if runs is None:
            lists, items = judgments.item_topic.astype(np.int64), np.arange(judgments.n_items)
        else:
            lists, items = listed(judgments, runs, depth)
        pairs = _pairs(table, best, lists, items)
        topic = np.array(judgments.topics)[judgments.item_topic[pairs["item"]]]
        for good in (True, False):
            for name, members in _groups(groups).items():
                chosen = (pairs["good"] == good) & (np.isin(topic, members) if members is not None else True)
                rows += [
                    ("all" if depth is None else str(depth), "with a top label" if good else "without", name, *cells)
                    for cells in _cells(pairs, chosen, table, best)
                ]
    if not rows:
        raise InputError(
            "no document was labelled by two assessors in any list.", "Give judgments by several people, and runs."
        )
    return pl.DataFrame(rows, schema=["depth", "lists", "topics", "grade", "p", "labels"], orient="row")


def as_printed() -> pl.DataFrame:
    """Table 3 of the paper: depth, lists, topics, p(Key | Rel), p(Key | HRel)."""
    rows = [
        (depth, "with a top label" if good else "without", topics, *values)
        for (depth, good, topics), values in PRINTED.items()
    ]
    return pl.DataFrame(rows, schema=["depth", "lists", "topics", "p(Key | Rel)", "p(Key | HRel)"], orient="row")


def _pairs(table: Labels, top: int, lists: Ints, items: Ints) -> dict[str, Array]:
    """One row per label of a deciding judge in a list, where other judges labelled the document, too."""
    is_top = table.level == top
    n = np.bincount(table.item, minlength=table.n_items)
    tops = np.bincount(table.item[is_top], minlength=table.n_items)
    key = table.item.astype(np.int64) * max(table.n_assessors, 1) + table.assessor
    _, place = np.unique(key, return_inverse=True)
    own, own_tops = np.bincount(place)[place], np.bincount(place, weights=is_top)[place]
    others, other_tops = n[table.item] - own, tops[table.item] - own_tops
    # every list × every label of its documents
    order = np.argsort(table.item, kind="stable")
    start = np.searchsorted(table.item[order], items, side="left")
    count = np.searchsorted(table.item[order], items, side="right") - start
    label = order[np.repeat(start - np.cumsum(count) + count, count) + np.arange(count.sum())]
    where = np.repeat(lists, count)
    decided = where * max(table.n_assessors, 1) + table.assessor[label]
    names, inverse = np.unique(decided, return_inverse=True)
    good = np.zeros(len(names), bool)
    np.logical_or.at(good, inverse, is_top[label])
    keep = others[label] > 0
    label = label[keep]
    return {
        "item": table.item[label],
        "level": table.level[label],
        "said": other_tops[label] / others[label],
        "share": 1.0 / n[table.item[label]],
        "good": good[inverse][keep],
    }


def _groups(groups: Mapping[object, str] | None) -> dict[str, list[str] | None]:
    out: dict[str, list[str] | None] = {"all": None}
    for topic, group in (groups or {}).items():
        members = out.setdefault(str(group), [])
        assert members is not None
        members.append(str(topic))
    return out


def _cells(pairs: dict[str, Array], chosen: NDArray[np.bool_], table: Labels, top: int) -> list[tuple[str, float, int]]:
    out = []
    for level in range(len(table.scale)):
        here = chosen & (pairs["level"] == level)
        if level != top and here.any():
            share = pairs["share"][here]
            p = float((share * pairs["said"][here]).sum() / share.sum())
            out.append((str(table.scale.names[level]), p, int(here.sum())))
    return out
