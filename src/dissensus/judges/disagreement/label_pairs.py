"""Every label beside the labels that other assessors gave the same document: the table behind the disagreement model.

A row is one label that has at least one *partner*, a label by another assessor on the same document. Documents count
once each: a document with r such labels gives every one of them the share 1/r, which is the exact expectation of
"pick one of its labels at random and look at the rest".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.scale import Scale
from dissensus.errors import InputError, Option, Text
from dissensus.judges.label_table import Negative, labels
from dissensus.work.plural import counted

Floats = NDArray[np.float64]
Repeats = Literal["separate", "others"]


@dataclass(frozen=True, eq=False)
class Partners:
    """Row r: on document `item[r]` of topic `topic[r]` somebody said `level[r]`; of `others[r]` labels by other
    assessors `tops[r]` were the top one. `share` sums to 1 over a document's rows."""

    item: NDArray[np.int32]
    topic: NDArray[np.int32]
    level: NDArray[np.int8]
    others: NDArray[np.int64]
    tops: NDArray[np.int64]
    share: Floats
    top: int
    scale: Scale
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.item)

    def rows(self, keep: NDArray[np.bool_]) -> Partners:
        """Only some rows; whole documents, or shares no longer sum to 1."""
        return replace(
            self,
            item=self.item[keep],
            topic=self.topic[keep],
            level=self.level[keep],
            others=self.others[keep],
            tops=self.tops[keep],
            share=self.share[keep],
        )


def partners(
    judgments: Judgments,
    top: int,
    *,
    repeats: Repeats = "separate",
    min_labels: int = 2,
    negative: Negative = "unjudged",
    items: NDArray[np.bool_] | None = None,
) -> Partners:
    """The table for documents with at least `min_labels` labels (`items` restricts which documents may enter).

    `top` is a level, counted from the bottom of the scale. An assessor's repeated labels of a document all count, but
    never as each other's partners, unless `repeats="others"` takes them for other users.
    """
    if repeats not in ("separate", "others"):
        raise InputError(Text(Option("repeats", repeats), " is not known."), 'Choose "separate" or "others".')
    if isinstance(min_labels, bool) or not isinstance(min_labels, int | np.integer) or min_labels < 2:
        raise InputError(
            Text(Option("min_labels", min_labels), ": a document needs at least 2 labels to show a disagreement.")
        )
    table = labels(judgments, negative)
    if items is not None:
        table = table.rows(items[table.item])
    n = table.per_item()
    is_top = table.level == top
    tops = np.bincount(table.item[is_top], minlength=table.n_items)
    if repeats == "separate":  # what the assessor of each row said about the document, this row included
        key = table.item.astype(np.int64) * max(table.n_assessors, 1) + table.assessor
        _, place = np.unique(key, return_inverse=True)
        own = np.bincount(place)[place]
        own_tops = np.bincount(place, weights=is_top)[place].astype(np.int64)
    else:
        own, own_tops = np.ones(len(table), np.int64), is_top.astype(np.int64)
    others = n[table.item] - own
    keep = (n[table.item] >= min_labels) & (others > 0)
    item = table.item[keep]
    with_partner = np.bincount(item, minlength=table.n_items)
    alone = int((n > 0).sum()) - len(np.unique(item))
    notes = (*table.notes, *((f"{counted(alone, 'document')} with too few labels left out",) if alone else ()))
    if not len(item):
        raise InputError(
            f"no document has {min_labels} labels by different assessors, so nothing is known of how they differ.",
            "User-disagreement weights need documents that several people judged.",
        )
    return Partners(
        item=item,
        topic=judgments.item_topic[item],
        level=table.level[keep],
        others=others[keep],
        tops=(tops[table.item] - own_tops)[keep],
        share=1.0 / with_partner[item],
        top=top,
        scale=table.scale,
        notes=notes,
    )
