"""Which judged documents lie in which result lists: estimates on the part of a collection that users see (S1 §6.2)."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import Fix, InputError, Option, Text
from dissensus.judging.label_table import Labels, Negative, labels
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs


def within_lists(
    judgments: Judgments, runs: Runs | None, depth: int | None, lists: str, top: int, negative: Negative = "unjudged"
) -> tuple[NDArray[np.bool_], NDArray[np.bool_] | None, str]:
    """(which documents lie in the chosen result lists, which labels may be the first user's, the choice in words).

    A list is a system's first `depth` documents for a topic; without runs a topic's judged documents are one list.
    `lists="top"` takes those in which somebody gave some document the top label. "no-top" takes those in which the
    first of the two users gave none: were nobody to give one, no second user could, either.
    """
    if lists not in ("all", "top", "no-top"):
        raise InputError(Text(Option("lists", lists), " is not known."), 'Choose "all", "top" or "no-top".')
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int | np.integer) or depth < 1):
        raise InputError(Text(Option("depth", depth), ": a depth must be a whole number, at least 1."))
    if depth is not None and runs is None:
        raise InputError(
            Text(Option("depth", None), " says how far down result lists go, but there are no runs."),
            Fix("Give ", Option("runs", None), "."),
        )
    table = labels(judgments, negative)
    has_top = np.zeros(judgments.n_items, bool)
    has_top[table.item[table.level == top]] = True
    if runs is None:
        list_of, item_of = judgments.item_topic.astype(np.int64), np.arange(judgments.n_items)
    else:
        list_of, item_of = listed(judgments, runs, depth)
    good = np.zeros(int(list_of.max(initial=-1)) + 1, bool)
    good[list_of[has_top[item_of]]] = True
    chosen = good[list_of] if lists == "top" else np.ones(len(list_of), bool)
    inside = np.zeros(judgments.n_items, bool)
    inside[item_of[chosen]] = True
    place = "topics" if runs is None else "result lists" if depth is None else f"top-{depth} result lists"
    words = {"all": "all", "top": "only", "no-top": "only"}[lists]
    rule = {"all": "", "top": " with a top label", "no-top": " in which the first user gave no top label"}[lists]
    rows = _without_own_top(table, top, list_of, item_of) if lists == "no-top" else None
    if rows is not None:
        inside = np.zeros(judgments.n_items, bool)
        inside[table.item[rows]] = True
    return inside, rows, f"{inside.sum():,} of {judgments.n_items:,} documents: {words} {place}{rule}"


def _without_own_top(
    table: Labels, top: int, list_of: NDArray[np.int64], item_of: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """The labels of documents in a list in which their own assessor gave no top label."""
    order = np.argsort(item_of, kind="stable")
    first = np.searchsorted(item_of[order], np.arange(table.n_items + 1))
    count = first[table.item + 1] - first[table.item]
    row = np.repeat(np.arange(len(table)), count)  # a row for each list that shows the document
    place = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first[table.item], count)
    code = list_of[order][place] * max(table.n_assessors, 1) + table.assessor[row]
    rows = np.zeros(len(table), bool)
    rows[row[~np.isin(code, code[table.level[row] == top])]] = True
    return rows


def listed(judgments: Judgments, runs: Runs, depth: int | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(list number, item) of every judged document within the first `depth` ranks of a list."""
    rank = np.arange(len(runs)) - np.repeat(runs.bounds[:-1], np.diff(runs.bounds))
    number = np.repeat(np.arange(len(runs.bounds) - 1), np.diff(runs.bounds))
    frame = runs.to_frame().select("topic", "doc").with_columns(pl.Series("list", number), pl.Series("rank", rank))
    if depth is not None:
        frame = frame.filter(pl.col("rank") < depth)
    pool = pl.DataFrame(
        {
            "topic": pl.Series([judgments.topics[t] for t in judgments.item_topic], dtype=pl.String),
            "doc": pl.Series(judgments.doc_ids(), dtype=pl.String),
            "item": np.arange(judgments.n_items),
        }
    )
    joined = frame.join(pool, on=["topic", "doc"], how="inner")
    if not joined.height:
        raise InputError("the runs retrieve no judged document.", "Check that topic and document ids are the same.")
    return joined["list"].to_numpy().astype(np.int64), joined["item"].to_numpy().astype(np.int64)
