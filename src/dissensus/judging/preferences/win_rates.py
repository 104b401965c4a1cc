"""Win rates of items, as a judge answered and rectified by an audit.

An expert's answers about a sample of the pairs correct the judge's about all of them:

    value = f(J) + (I/π)(ȳ − f(J)),

J the kind of the judge's answer, ȳ the share of the expert votes for a ("same" is ½), f(J) the experts' mean where the
judge said J, I whether the pair was audited and π with what probability. J is a, b, same or flipped where the judge was
asked in both orders, else the answer and the order shown. So position bias is part of J and is corrected with the rest.
A win rate is the mean of the values over an item's pairs: unbiased whatever f is, if π is right.

Several votes about one pair may disagree. Their disagreement is in ȳ, so it is in the spread of the values, and in the
interval. `se_votes` is the part of the standard error that comes from it.

f is estimated from the same audit. Each residual is divided by 1 minus its own weight in f, as if f had been estimated
without it. Intervals are clustered by topic, for topics like these. They are Student's with as many degrees of freedom
as topics were audited, minus one.

A kind with fewer than `FEWEST` audited pairs has no mean of its own and shares that of the kind nearest to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from dissensus.arrays import Floats, Ints
from dissensus.errors import InputError
from dissensus.judging.preferences.questions import BOTH, Questions, questions
from dissensus.judging.preferences.table import Preferences
from dissensus.stats.intervals import quantile
from dissensus.wording import counted

FEWEST = 2  # audited pairs that a kind of answers needs for a mean of its own
NO_ITEM = -1


def win_rates(
    judge: Preferences,
    asked: Questions | None = None,
    *,
    level: float = 0.95,
    groups: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Share of its comparisons that each item wins ("same" counts ½), with intervals by topic.

    Answers of one assessor about one pair are one comparison. With `groups` {item: group} a group wins where its item
    does; pairs within one group are left out.
    """
    asked = questions(judge) if asked is None else asked
    return _table(judge, asked, asked.value, asked.value, level, groups)


@dataclass(frozen=True, eq=False)
class RectifiedWins:
    """`table` of win rates with what it rests on: `used` pairs of the audit, `unasked` ones that the judge did not
    answer, and kinds of answers that were `pooled` because hardly any of their pairs was audited."""

    table: pl.DataFrame
    used: int
    unasked: int
    pooled: int
    votes: int

    def sentence(self, judge: str) -> str:
        """What was done."""
        said = f"{judge}: rectified by {counted(self.votes, 'vote')} about {counted(self.used, 'pair')}"
        if self.unasked:
            said += f"; {counted(self.unasked, 'pair')} of the audit left out, because {judge} did not answer them"
        if self.pooled:
            kinds = counted(self.pooled, "kind")
            said += f"; {kinds} of answers with under {FEWEST} audited pairs pooled with the nearest one"
        return said


def rectified_win_rates(
    judge: Preferences,
    audit: Preferences,
    inclusion: ArrayLike | None = None,
    *,
    level: float = 0.95,
    groups: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Win rates of the judge's pairs, rectified by an audit of some of them: the table of `rectify`."""
    return rectify(judge, audit, inclusion, level=level, groups=groups).table


def rectify(
    judge: Preferences,
    audit: Preferences,
    inclusion: ArrayLike | None = None,
    *,
    level: float = 0.95,
    groups: Mapping[str, str] | None = None,
) -> RectifiedWins:
    """Win rates of one judge's pairs, rectified by an audit.

    All answers of `audit` are votes, whoever gave them. Pairs that the judge was not asked about are left out and
    counted. `inclusion` is the probability with which each pair of the audit was drawn, one number for each answer of
    the audit in its order; without it, pairs with the same kind of answer by the judge had equal chances.
    """
    if len(set(judge.assessor.tolist())) > 1:
        raise InputError(f"there are {len(set(judge.assessor.tolist()))} judges.", "Give the answers of one assessor.")
    asked, votes = questions(judge), questions(audit.of_one("audit"))
    here, there = _matched((judge, asked), (audit, votes))
    expert = np.full(len(asked), np.nan)
    expert[here] = votes.value[there]
    seen = np.zeros(len(asked), bool)
    seen[here] = True
    kind, pooled = _pooled(asked.kind, seen)
    drawn = np.zeros(len(asked))
    if inclusion is None:
        drawn = np.bincount(kind, seen)[kind] / np.bincount(kind)[kind]
    else:
        drawn[here] = _of_pairs(inclusion, audit, votes)[there]
    value, spread = _values(kind, expert, drawn)
    noise = np.zeros(len(asked))
    noise[here] = np.nan_to_num(votes.noise[there]) / drawn[here] ** 2
    table = _table(judge, asked, value, spread, level, groups, audit=(asked.value, seen, noise))
    return RectifiedWins(table, len(here), len(votes) - len(here), pooled, int(votes.answers[there].sum()))


def _of_pairs(inclusion: ArrayLike, audit: Preferences, votes: Questions) -> Floats:
    """π of every pair of the audit; several votes about one pair have one π."""
    pi = np.asarray(inclusion, np.float64)
    if pi.shape != (len(audit),) or not ((pi > 0) & (pi <= 1)).all():
        raise InputError(f"inclusion must hold {len(audit):,} probabilities above 0 and at most 1.")
    place = np.searchsorted(votes.pair, audit.pair)  # of one assessor, questions are sorted by pair
    found = np.zeros(len(votes))
    found[place] = pi
    if (found[place] != pi).any():
        raise InputError("inclusion gives one pair two probabilities.", "A pair was drawn once, with one probability.")
    return found


def _pooled(kind: Ints, seen: NDArray[np.bool_]) -> tuple[Ints, int]:
    """(kinds joined until each has `FEWEST` audited pairs, how many were joined to another)."""
    joined = kind.copy()
    number = 0
    while True:
        there = np.unique(joined)
        audited = np.array([int(seen[joined == k].sum()) for k in there])
        if len(there) < 2 or audited.min() >= FEWEST:
            return joined, number
        few = int(there[audited.argmin()])
        others = [int(k) for k in there if k != few]
        nearest = min(others, key=lambda k: (abs(_side(k) - _side(few)), -int(seen[joined == k].sum()), k))
        joined[joined == few] = nearest
        number += 1


def _side(kind: int) -> int:
    """Which document a kind of answers prefers: 2 the first, 0 the second, 1 neither."""
    return (kind if kind < 3 else 1) if kind < len(BOTH) else (kind - len(BOTH)) // 3


def _values(kind: Ints, expert: Floats, drawn: Floats) -> tuple[Floats, Floats]:
    """(value of every pair, the same with residuals as if f had been estimated without them, for the spread)."""
    value, spread = np.empty(len(kind)), np.empty(len(kind))
    for k in np.unique(kind):
        own = kind == k
        audited = own & np.isfinite(expert)
        weight = 1 / drawn[audited]
        if not len(weight):
            raise InputError("the audit and the judge share no pair.", "Audit pairs that the judge answered.")
        f = float((weight * expert[audited]).sum() / weight.sum())
        residual = (expert[audited] - f) * weight
        value[own] = spread[own] = f
        value[audited] += residual
        rest = 1 - weight / weight.sum()
        spread[audited] += np.divide(residual, rest, out=residual.copy(), where=rest > 1e-9)
    return value, spread


def _matched(judge: tuple[Preferences, Questions], audit: tuple[Preferences, Questions]) -> tuple[Ints, Ints]:
    """Questions that both hold: (places among the judge's, places among the audit's)."""
    frames = []
    for names, asked in (judge, audit):
        topics, docs = (pl.Series(x, dtype=pl.String) for x in (names.topics, names.docs))
        frames.append(pl.DataFrame({
            "topic": topics.gather(asked.topic), "a": docs.gather(asked.first), "b": docs.gather(asked.second),
        }).with_row_index("row"))  # fmt: skip
    turned = frames[1].select("topic", a="b", b="a", row="row")
    both = pl.concat([
        frames[0].join(frames[1], on=["topic", "a", "b"], suffix="_audit").with_columns(turned=pl.lit(False)),
        frames[0].join(turned, on=["topic", "a", "b"], suffix="_audit").with_columns(turned=pl.lit(True)),
    ]).sort("row")  # fmt: skip
    if not both.height:
        raise InputError(
            f"the audit and the judge share none of {len(audit[1]):,} pairs.", "Audit pairs that the judge answered."
        )
    if both["turned"].any():
        raise InputError("the audit orders the ids of a pair in another way.", "Read both with read_preferences.")
    return both["row"].to_numpy().astype(np.int64), both["row_audit"].to_numpy().astype(np.int64)


def _table(
    judge: Preferences,
    asked: Questions,
    value: Floats,
    spread: Floats,
    level: float,
    groups: Mapping[str, str] | None,
    *,
    audit: tuple[Floats, NDArray[np.bool_], Floats] | None = None,
) -> pl.DataFrame:
    """Win rates of items or groups: sums over topics, so that no row is looked at once per item."""
    names, of = _items(judge, groups)
    one, other = of[asked.first], of[asked.second]
    kept = (one != other) & (one != NO_ITEM) & (other != NO_ITEM)
    item, topic = np.r_[one[kept], other[kept]], np.r_[asked.topic[kept], asked.topic[kept]]
    won = np.r_[value[kept], 1 - value[kept]]
    n = len(names)
    pairs = np.bincount(item, minlength=n)
    mean = np.bincount(item, won, n) / np.maximum(pairs, 1)
    cell, place = np.unique(item * len(judge.topics) + topic, return_inverse=True)
    topics = np.bincount(cell // len(judge.topics), minlength=n)
    # of an item with one topic its pairs are what varies
    alone = topics[item] < 2
    cell_sum = np.bincount(place, np.r_[spread[kept], 1 - spread[kept]] - mean[item], len(cell))
    square = np.bincount(cell // len(judge.topics), cell_sum**2, n)
    each = np.bincount(item[alone], (np.r_[spread[kept], 1 - spread[kept]] - mean[item])[alone] ** 2, n)
    clusters = np.where(topics > 1, topics, pairs)
    square = np.where(topics > 1, square, each)
    with np.errstate(divide="ignore", invalid="ignore"):
        se = np.where(clusters > 1, np.sqrt(clusters / (clusters - 1) * square) / pairs, np.nan)
    columns: dict[str, object] = {"item": list(names), "pairs": pairs, "topics": topics}
    df = clusters - 1
    if audit is not None:
        naive, audited, noise = audit
        columns["naive"] = np.bincount(item, np.r_[naive[kept], 1 - naive[kept]], n) / np.maximum(pairs, 1)
        both = np.r_[audited[kept], audited[kept]]
        columns["audited"] = np.bincount(item[both], minlength=n)
        held = np.bincount(np.unique((item * len(judge.topics) + topic)[both]) // len(judge.topics), minlength=n)
        df = np.where(topics > 1, np.minimum(df, np.maximum(held - 1, 1)), df)
    reach = np.array([quantile(level, max(int(d), 1)) if c > 1 else np.nan for d, c in zip(df, clusters, strict=True)])
    columns |= {"win_rate": mean, "se": se, "low": mean - reach * se, "high": mean + reach * se}
    if audit is not None:
        votes = np.bincount(item, np.r_[noise[kept], noise[kept]], n)
        columns["se_votes"] = np.sqrt(votes) / np.maximum(pairs, 1)
    return pl.DataFrame(columns).filter(pl.col("pairs") > 0).sort("win_rate", "item", descending=[True, False])


def _items(judge: Preferences, groups: Mapping[str, str] | None) -> tuple[tuple[str, ...], Ints]:
    """(names of items or groups, the place of every document among them)."""
    if groups is None:
        return judge.docs, np.arange(len(judge.docs))
    there = set(judge.docs)
    if not there & set(groups):
        some = ", ".join(judge.docs[:5])
        raise InputError(f"groups: none of {', '.join(list(groups)[:5])} is an item.", f"Items: {some}.")
    names = tuple(sorted({group for item, group in groups.items() if item in there}))
    if len(names) < 2:
        raise InputError(f"groups: all items are in one group, {names[0]!r}.", "Name two groups or more.")
    return names, np.array([names.index(groups[d]) if d in groups else NO_ITEM for d in judge.docs], np.int64)
