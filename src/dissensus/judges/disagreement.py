"""The user disagreement model: what a grade is worth when users disagree about the top (Demeester et al., WSDM 2014).

From documents that several people judged, estimate p_i = P(another user says top | one user said i). The weight of
grade i is the probability that at least M of N users would say top, one of them having said i:

    W_i = Σ_{m=M}^{N−1} C(N−1, m) p_i^m (1 − p_i)^{N−1−m}        i below the top
    W_T = the same sum from max(M−1, 0)                           (M = 1: W_T = 1, W_i = 1 − (1 − p_i)^{N−1})

Used as gains of nDCG or GAP, these weights score a result list by how many users it would please.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.data.judgments import Judgments
from dissensus.data.scale import Scale
from dissensus.errors import InputError, ReliabilityWarning
from dissensus.judges.labels import Negative, labels
from dissensus.judges.partners import Partners, Repeats, partners
from dissensus.judges.result_lists import within_lists
from dissensus.judges.user_weights import check_users, drawn_at_least, weight_of

if TYPE_CHECKING:
    import polars as pl

    from dissensus.data.runs import Runs

FEW = 50  # labels below which an estimate is marked unreliable (S1 Table 4's brackets)
ENOUGH_TOPICS = 10
Cluster = Literal["auto", "topic", "document"]
Key = int | str


@dataclass(frozen=True, eq=False)
class Disagreement:
    """p(top | grade) with counts and intervals; `weights(at_least, of)` makes grade weights of it.

    Dicts are keyed by grade: by number on numeric scales, by name on named ones. Grades that nobody gave to a document
    with a second label have `p` NaN and `count` 0.
    """

    table: Partners
    cluster: Literal["topic", "document"]
    level: float
    groups: Mapping[str, Disagreement] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    # ── the estimates ──
    @property
    def scale(self) -> Scale:
        return self.table.scale

    @property
    def keys(self) -> tuple[Key, ...]:
        """Grades as dict keys, lowest first."""
        return grade_keys(self.scale)

    @property
    def top(self) -> Key:
        return self.keys[self.table.top]

    @property
    def p(self) -> dict[Key, float]:
        """P(another user says top | one said the grade)."""
        hits, given = self._sums()
        share = np.divide(hits, given, out=np.full(len(given), np.nan), where=given > 0)
        return dict(zip(self.keys, share.tolist(), strict=True))

    @property
    def count(self) -> dict[Key, int]:
        """Labels of each grade that have a partner."""
        return dict(zip(self.keys, np.bincount(self.table.level, minlength=len(self.scale)).tolist(), strict=True))

    @property
    def documents(self) -> int:
        """Documents behind the estimates."""
        return len(np.unique(self.table.item))

    @property
    def unreliable(self) -> tuple[Key, ...]:
        """Grades with fewer than 50 labels."""
        return tuple(key for key, n in self.count.items() if n < FEW)

    @property
    def interval(self) -> dict[Key, tuple[float, float]]:
        """Interval of each p at `level`, by clusters (labels of a document, or of a topic, are not independent)."""
        from dissensus.judges.cluster_ratio import ratio_interval

        table = self.table
        group = table.topic if self.cluster == "topic" else table.item
        hits = table.share * table.tops / table.others
        out: dict[Key, tuple[float, float]] = {}
        for i, key in enumerate(self.keys):
            here = table.level == i
            out[key] = ratio_interval(hits[here], table.share[here], group[here], self.level)
        return out

    def _sums(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        table, k = self.table, len(self.scale)
        hits = np.bincount(table.level, weights=table.share * table.tops / table.others, minlength=k)
        given = np.bincount(table.level, weights=table.share, minlength=k)
        return hits.astype(np.float64), given.astype(np.float64)

    # ── the weights ──
    def weights(self, at_least: int = 1, of: int = 3, *, zero: str | Sequence[str] | None = None) -> dict[Key, float]:
        """Weight of every grade: P(at least `at_least` of `of` users say top | one of them said the grade).

        `zero` names the grades whose weight is set to 0 (shell patterns such as "*, Non" are understood); without it
        that is the bottom grade of an ordered scale, as the model's authors propose; `zero=()` keeps every estimate.
        Warns where a higher grade weighs less than a lower one.
        """
        out = self.weights_as_they_are(at_least, of, zero=zero)
        if self.scale.ordered:
            _warn_of_order(out)
        return out

    def weights_as_they_are(
        self, at_least: int = 1, of: int = 3, *, zero: str | Sequence[str] | None = None
    ) -> dict[Key, float]:
        """`weights` without a word on their order, for those who estimate them many times over."""
        check_users(at_least, of)
        empty = self.zeroed(zero)
        return {
            key: 0.0 if key in empty else weight_of(p, at_least, of, is_top=key == self.top)
            for key, p in self.p.items()
        }

    def empirical(self, at_least: int = 1, of: int = 3) -> dict[Key, tuple[float, int]]:
        """(weight, labels) of every grade counted without assuming that users are independent.

        One label is given, `of` − 1 of the document's other labels are drawn; only labels with that many partners
        count. NaN where there is none.
        """
        check_users(at_least, of)
        table = self.table
        out: dict[Key, tuple[float, int]] = {}
        for i, key in enumerate(self.keys):
            here = (table.level == i) & (table.others >= of - 1)
            need = max(at_least - 1, 0) if i == table.top else at_least
            chance = drawn_at_least(need, of - 1, table.tops[here], table.others[here])
            share = table.share[here]
            out[key] = (float(chance @ share / share.sum()) if here.any() else math.nan, int(here.sum()))
        return out

    def zeroed(self, zero: str | Sequence[str] | None = None) -> set[Key]:
        """The grades whose weight is 0 by decree."""
        from fnmatch import fnmatchcase

        if zero is None:
            bottom = self.keys[0]
            return {bottom} if self.scale.ordered and bottom != self.top else set()
        patterns = [zero] if isinstance(zero, str) else [str(z) for z in zero]
        out: set[Key] = set()
        for pattern in patterns:
            named = {key for key in self.keys if fnmatchcase(str(key), pattern)}
            if not named:
                raise InputError(
                    f"zero={pattern!r} names no grade.", "Grades: " + ", ".join(str(key) for key in self.keys)
                )
            out |= named
        return out - {self.top}

    # ── going to ──
    def to_frame(self, at_least: int = 1, of: int = 3, *, zero: str | Sequence[str] | None = None) -> pl.DataFrame:
        """Polars frame: grade, labels, p with its interval, weight with its interval, empirical weight, reliable."""
        import polars as pl

        empty, p, count, interval = self.zeroed(zero), self.p, self.count, self.interval
        weights, counted = self.weights(at_least, of, zero=zero), self.empirical(at_least, of)

        def bound(key: Key, end: int) -> float:
            """Weights rise with p, so the ends of p's interval are the ends of the weight's."""
            return 0.0 if key in empty else weight_of(interval[key][end], at_least, of, is_top=key == self.top)

        return pl.DataFrame(
            {
                "grade": [str(key) for key in self.keys],
                "labels": [count[key] for key in self.keys],
                "p": [p[key] for key in self.keys],
                "p.low": [interval[key][0] for key in self.keys],
                "p.high": [interval[key][1] for key in self.keys],
                "weight": [weights[key] for key in self.keys],
                "weight.low": [bound(key, 0) for key in self.keys],
                "weight.high": [bound(key, 1) for key in self.keys],
                "empirical": [counted[key][0] for key in self.keys],
                "empirical.labels": [counted[key][1] for key in self.keys],
                "reliable": [count[key] >= FEW for key in self.keys],
            }
        )

    def gains_json(self, at_least: int = 1, of: int = 3, *, zero: str | Sequence[str] | None = None) -> str:
        """{"grade": weight}, the file that `dissensus evaluate --gains` reads."""
        weights = self.weights(at_least, of, zero=zero)
        unknown = [str(key) for key, w in weights.items() if math.isnan(w)]
        if unknown:
            raise InputError(
                f"the grade {', '.join(unknown)} has no weight: nobody gave it to a document with a second label.",
                "Judge more documents twice, or declare a scale without that grade.",
            )
        return json.dumps({str(key): w for key, w in weights.items()}, ensure_ascii=False, indent=1)

    def to_json(self, at_least: int = 1, of: int = 3) -> str:
        """The whole table as JSON; NaN is null."""
        rows = [
            {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}
            for row in self.to_frame(at_least, of).to_dicts()
        ]
        return json.dumps(
            {"top": self.top, "at_least": at_least, "of": of, "table": rows, "notes": list(self.notes)},
            ensure_ascii=False,
        )

    def __str__(self) -> str:
        lines = [f"{'grade':12} {'labels':>8} {'p(top)':>7}  interval"]
        for key, p in self.p.items():
            low, high = self.interval[key]
            mark = f"  (fewer than {FEW} labels)" if key in self.unreliable else ""
            lines.append(f"{key!s:12} {self.count[key]:8,} {p:7.3f}  [{low:.3f}, {high:.3f}]{mark}")
        return "\n".join((*lines, *self.notes))

    __repr__ = __str__


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
) -> Disagreement:
    """How often another user says `top` when one user said each grade.

    p_i comes from ordered pairs of different assessors on the same document; a document with many labels counts once
    (one label picked at random, the rest looked at: computed exactly, not drawn). `top` is the highest grade unless
    given; label sets without an order, (snippet, page) pairs among them, need it.

    Estimate on some documents only: `min_labels` per document; the first `depth` documents of `runs`; `lists="top"`,
    the result lists (topics, without runs) in which somebody found a top document, or `"no-top"`. `groups`
    {topic: group} adds `.groups`, one estimate per group. `repeats="others"` takes an assessor's repeated labels for
    other users'. Intervals resample nothing: they are the ratio estimator's, by topics where there are 10 or more,
    else by documents.

    >>> j = Judgments.from_dict({"a": {1: {"x": 2, "y": 1, "z": 0}}, "b": {1: {"x": 2, "y": 2, "z": 0}}})
    >>> d = disagreement(j)
    >>> d.p
    {0: 0.0, 1: 1.0, 2: 0.6666666666666666}
    >>> d.weights(at_least=1, of=2)
    {0: 0.0, 1: 1.0, 2: 1.0}

    Not for judges of different kinds: an expert beside a crowd is no other user. Nor for data in which every document
    was judged once: there is nothing to learn from.
    """
    if not 0 < level < 1:
        raise InputError(f"level={level!r}: the level of an interval lies between 0 and 1, such as 0.95.")
    if cluster not in ("auto", "topic", "document"):
        raise InputError(f"cluster={cluster!r} is not known.", 'Choose "auto", "topic" or "document".')
    best = _top_level(judgments, top, negative)
    items: NDArray[np.bool_] | None = None
    restricted: tuple[str, ...] = ()
    if runs is not None or depth is not None or lists != "all":
        items, words = within_lists(judgments, runs, depth, lists, best, negative)
        restricted = (words,)
        if not items.any():
            raise InputError(f"no document is left to estimate from: {words}.", "Choose other lists, or all of them.")
    table = partners(judgments, best, repeats=repeats, min_labels=min_labels, negative=negative, items=items)
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
    said = [
        f"intervals by {chosen}s" + (f" (only {topics} topics)" if cluster == "auto" and chosen == "document" else "")
    ]
    if not (table.level == table.top).any():
        said.append(f"nobody gave the top grade {keys[table.top]}: no other grade can be worth anything")
    return Disagreement(table, chosen, level, groups, (*notes, *said))


def _by_group(
    judgments: Judgments, table: Partners, groups: Mapping[Any, str], cluster: Cluster, level: float
) -> tuple[dict[str, Disagreement], tuple[str, ...]]:
    named = {str(topic): str(group) for topic, group in groups.items()}
    of_topic = np.array([named.get(t, "") for t in judgments.topics], dtype=object)
    here = of_topic[table.topic]
    parts = {g: _estimate(table.rows(here == g), cluster, level, (), {}) for g in sorted(set(here)) if g}
    if not parts:
        raise InputError(
            "groups= names no topic of the judgments.", f"Their topics are {', '.join(judgments.topics[:5])} …"
        )
    without = len(np.unique(table.topic[here == ""]))
    return parts, (f"{without:,} topics belong to no group",) if without else ()


def _top_level(judgments: Judgments, top: Any, negative: Negative) -> int:
    """The top grade as a level of the label table."""
    scale = labels(judgments, negative).scale
    if top is None:
        if not scale.ordered:
            raise InputError(
                f"the labels {', '.join(scale.names[:8])} have no order, so none is the top.",
                f"Name it: top={scale.names[0]!r}, for example; or declare the order with scale=.",
            )
        return len(scale) - 1
    text = ", ".join(str(part) for part in top) if isinstance(top, tuple) else top
    return scale.grade(text) - scale.low


def grade_keys(scale: Scale) -> tuple[Key, ...]:
    """Numbers where grades are numbers, else names."""
    numeric = scale.names == tuple(str(g) for g in scale.grades)
    return tuple(int(g) for g in scale.grades) if numeric else scale.names


def _warn_of_order(weights: Mapping[Key, float]) -> None:
    known = [(key, w) for key, w in weights.items() if not math.isnan(w)]
    for (low, a), (high, b) in pairwise(known):
        if b < a - 1e-12:
            warnings.warn(
                f"the grade {high} weighs {b:.3f}, less than the lower grade {low} ({a:.3f}): users do not keep to the "
                "order of the scale, or there are too few labels.",
                ReliabilityWarning,
                stacklevel=3,
            )
            return
