"""The user disagreement model: what a grade is worth when users disagree about the top (Demeester et al., WSDM 2014).

From documents that several people judged, estimate p_i = P(another user says top | one user said i). The weight of
grade i is the probability that at least M of N users would say top, one of them having said i:

    W_i = Σ_{m=M}^{N−1} C(N−1, m) p_i^m (1 − p_i)^{N−1−m}        i below the top
    W_T = the same sum from max(M−1, 0)                           (M = 1: W_T = 1, W_i = 1 − (1 − p_i)^{N−1})

Used as gains of nDCG or GAP, these weights score a result list by how many users it would please.

The table behind the model (`Partners`) has a row for each label that has at least one *partner*, a label by another
assessor on the same document. Documents count once each: a document with r such labels gives every one of them the
share 1/r. That is the exact expectation of "pick one of its labels at random and look at the rest".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.io.options import ReadKeywords
from dissensus.judging.disagreement.model import Disagreement, grade_keys
from dissensus.judging.disagreement.result_lists import within_lists
from dissensus.judging.label_table import Negative, labels
from dissensus.tables.coercion import coerced
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.tables.runs import Runs

ENOUGH_TOPICS = 10
Repeats = Literal["separate", "others"]
Cluster = Literal["auto", "topic", "document"]


@coerced
def disagreement(
    judgments: Judgments,
    top: Any = None,
    *,
    repeats: Repeats = "separate",
    min_labels: int = 2,
    runs: Runs | None = None,
    depth: int | None = None,
    lists: Literal["all", "top", "no-top"] = "all",
    groups: Mapping[Any, str] | None = None,
    cluster: Cluster = "auto",
    level: float = 0.95,
    negative: Negative = "unjudged",
    **reading: Unpack[ReadKeywords],
) -> Disagreement:
    """What each grade is worth, from how users disagree about the grades.

    p is the chance that another user says top when one user said the grade. It comes from ordered pairs of different
    assessors on the same document, and a document with many labels counts once. Not for judges of different kinds: an
    expert next to a crowd is not another user. Nor for data in which every document was judged once.

    Parameters
    ----------
    top
        The top grade. The highest one without it, of labels of several columns the highest of each. Labels without
        an order need it.
    repeats
        An assessor's repeated labels: no partners of each other (separate), or other users (others).
    min_labels
        Labels that a document needs.
    runs
        Only documents that these runs retrieve.
    depth
        With runs: among their first so many.
    lists
        Only result lists (topics, without runs) that hold a top label, or none of the first user's.
    groups
        {topic: group}: one estimate per group as well, in `.groups`.
    cluster
        What intervals take as independent: topics where there are 10 or more, else documents.

    Returns
    -------
    Disagreement
        `.p`, `.count` and `.weights(at_least, of)` are dicts by grade. Its table:

        - `weights`: grade, labels, p, p.low, p.high, weight, weight.low, weight.high, empirical, empirical.labels,
          rise, rise.low, reliable

    Examples
    --------
    >>> j = Judgments.from_dict({"a": {1: {"x": 2, "y": 1, "z": 0}}, "b": {1: {"x": 2, "y": 2, "z": 0}}})
    >>> d = disagreement(j)
    >>> d.p
    {0: 0.0, 1: 1.0, 2: 0.6666666666666666}
    >>> d.weights(at_least=1, of=2)
    {0: 0.0, 1: 1.0, 2: 1.0}
    """
    if not 0 < level < 1:
        raise InputError(Text(Option("level", level), ": the level of an interval lies between 0 and 1, such as 0.95."))
    if cluster not in ("auto", "topic", "document"):
        raise InputError(Text(Option("cluster", cluster), " is not known."), 'Choose "auto", "topic" or "document".')
    best = _top_level(judgments, top, negative)
    items: NDArray[np.bool_] | None = None
    first: NDArray[np.bool_] | None = None
    restricted: tuple[str, ...] = ()
    if runs is not None or depth is not None or lists != "all":
        items, first, words = within_lists(judgments, runs, depth, lists, best, negative)
        restricted = (words,)
        if not items.any():
            raise InputError(f"no document is left to estimate from: {words}.", "Choose other lists, or all of them.")
    table = partners(
        judgments, best, repeats=repeats, min_labels=min_labels, negative=negative, items=items, first=first
    )
    parts: dict[str, Disagreement] = {}
    lost: tuple[str, ...] = ()
    if groups is not None:
        parts, lost = _by_group(judgments, table, groups, cluster, level)
    return _estimate(table, cluster, level, (*restricted, *table.notes, *lost), parts)


def _estimate(
    table: Partners, cluster: Cluster, level: float, notes: Sequence[str], groups: Mapping[str, Disagreement]
) -> Disagreement:
    topics = len(np.unique(table.topic))
    unit: Literal["topic", "document"] = "topic" if topics >= ENOUGH_TOPICS else "document"
    chosen = unit if cluster == "auto" else cluster
    keys = grade_keys(table.scale)
    few = f" (only {topics} topics)" if cluster == "auto" and chosen == "document" else ""
    said = [f"intervals by {chosen}s{few}"]
    if not (table.level == table.top).any():
        said.append(f"no assessor gave the top grade {keys[table.top]}: no other grade can be worth anything")
    return Disagreement(table, chosen, level, groups, (*notes, *said))


def _by_group(
    judgments: Judgments, table: Partners, groups: Mapping[object, str], cluster: Cluster, level: float
) -> tuple[dict[str, Disagreement], tuple[str, ...]]:
    named = {str(topic): str(group) for topic, group in groups.items()}
    of_topic = np.array([named.get(t, "") for t in judgments.topics], dtype=object)
    here = of_topic[table.topic]
    parts = {g: _estimate(table.rows(here == g), cluster, level, (), {}) for g in sorted(set(here)) if g}
    if not parts:
        raise InputError(
            Text(Option("groups", None), " names no topic of the judgments."),
            f"Their topics are {', '.join(judgments.topics[:5])} …",
        )
    without = len(np.unique(table.topic[here == ""]))
    return parts, (f"{counted(without, 'topic')} in no group",) if without else ()


def _top_level(judgments: Judgments, top: object, negative: Negative) -> int:
    """The top grade as a level of the label table."""
    scale = labels(judgments, negative).scale
    if top is None and scale.facets and all(part.ordered for _, part in scale.facets):
        top = tuple(part.names[-1] for _, part in scale.facets)
    if top is None:
        if not scale.ordered:
            raise InputError(
                f"the labels {', '.join(scale.names[:8])} have no order, so none is the top.",
                Fix(
                    "Name it: ",
                    Option("top", scale.names[0]),
                    ", for example; or declare the order with ",
                    Option("scale", None),
                    ".",
                ),
            )
        return len(scale) - 1
    text = ", ".join(str(part) for part in top) if isinstance(top, tuple) else top
    return scale.grade(text) - scale.low


# ── every label beside the labels that other assessors gave the same document ──
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

    @property
    def hits(self) -> Floats:
        """The part of each row's share whose partner says top."""
        return np.asarray(self.share * self.tops / self.others, np.float64)

    def rows(self, keep: NDArray[np.bool_]) -> Partners:
        """Only some rows; whole documents, or shares no longer sum to 1."""
        columns = {name: getattr(self, name)[keep] for name in ("item", "topic", "level", "others", "tops", "share")}
        return replace(self, **columns)


def partners(
    judgments: Judgments,
    top: int,
    *,
    repeats: Repeats = "separate",
    min_labels: int = 2,
    negative: Negative = "unjudged",
    items: NDArray[np.bool_] | None = None,
    first: NDArray[np.bool_] | None = None,
) -> Partners:
    """The table for documents with at least `min_labels` labels.

    `items` restricts which documents may enter, `first` which of the labels may be the first user's.

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
        first = None if first is None else first[items[table.item]]
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
    keep = (n[table.item] >= min_labels) & (others > 0) & (True if first is None else first)
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


__all__ = ["Disagreement", "disagreement"]
