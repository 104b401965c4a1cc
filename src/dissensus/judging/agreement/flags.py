"""Which assessors look random, lazy or contrary.

Each assessor is held against the others on the same documents: with s_i the share of the *other* labels of document i
per grade, a_i = s_i[own label], ā its mean, and e = Σ_q p_q s̄_q what independence would give,

    κ_k = (ā − e) / (1 − e)

with a 99 % interval from the influence of each document. The verdicts:

- *lazy*: one grade makes up 95 % of the assessor's labels, but less than 80 % of the others' on the same documents;
- *contrary*: κ_k is below zero, interval and all;
- *random*: the interval holds zero and lies below the median assessor's κ.

Fewer than 10 shared documents allow no verdict. These are grounds to look, not proof: an expert among novices looks
contrary too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.judging.label_table import Labels

Looks = Literal["random", "lazy", "contrary"]
KINDS: tuple[Looks, ...] = ("random", "lazy", "contrary")
FEWEST = 10
NAMED = 20
LAZY, OTHERS = 0.95, 0.80
Z = 2.5758293035489004  # 99 %


def assessor_frame(table: Labels, names: tuple[str, ...]) -> pl.DataFrame:
    """One row per assessor: labels, documents shared, κ with the others and its interval, favourite grade, verdict."""
    k, n_who = table.n_levels, table.n_assessors
    size = table.per_item()
    shared = table.rows(size[table.item] >= 2)
    item, who, level = (codes.astype(np.intp) for codes in (shared.item, shared.assessor, shared.level))
    n = np.bincount(who, minlength=n_who)
    weight = np.maximum(n, 1)
    own = np.bincount(who * k + level, minlength=n_who * k).reshape(-1, k) / weight[:, None]
    others = np.zeros((n_who, k))
    agree, habit = np.zeros(len(item)), np.zeros(len(item))
    counts = shared.counts()
    besides = size.take(item) - 1
    for q in range(k):
        mine = level == q
        share = (counts[:, q].take(item) - mine) / besides
        others[:, q] = np.bincount(who, share, minlength=n_who) / weight
        agree += share * mine
        habit += own[:, q].take(who) * share
    chance = (own * others).sum(axis=1)
    observed = np.bincount(who, agree, minlength=n_who) / weight
    room = np.where(1 - chance > 1e-12, 1 - chance, np.nan)
    kappa = (observed - chance) / room
    # each document's pull on κ: through agreement, through the assessor's habits, through the others'
    influence = (agree - observed[who]) - (1 - kappa[who]) * (others[who, level] + habit - 2 * chance[who])
    spread = (
        np.sqrt(np.bincount(who, np.nan_to_num(influence) ** 2, minlength=n_who) / weight / np.maximum(n - 1, 1)) / room
    )
    low, high = kappa - Z * spread, kappa + Z * spread
    favourite = own.argmax(axis=1)
    share = own[np.arange(n_who), favourite]
    verdict = _verdicts(n, kappa, low, high, share, others[np.arange(n_who), favourite])
    return pl.DataFrame(
        {
            "assessor": pl.Series(names, dtype=pl.String),
            "labels": np.bincount(table.assessor, minlength=n_who),
            "shared": n,
            "agreement": np.where(n > 0, observed, np.nan),
            "kappa": np.where(n > 0, kappa, np.nan),
            "low": np.where(n > 1, low, np.nan),
            "high": np.where(n > 1, high, np.nan),
            "favourite": pl.Series([table.scale.names[f] for f in favourite], dtype=pl.String),
            "favourite_share": np.where(n > 0, share, np.nan),
            "looks": pl.Series(verdict, dtype=pl.String),
        }
    )


def _verdicts(
    n: NDArray[np.int64], kappa: Floats, low: Floats, high: Floats, share: Floats, others: Floats
) -> list[str]:
    enough = n >= FEWEST
    typical = float(np.nanmedian(kappa[enough])) if np.isfinite(kappa[enough]).any() else np.nan
    lazy = enough & (share >= LAZY) & (others < OTHERS)
    contrary = enough & (high < 0) & ~lazy
    random = enough & (low <= 0) & (high >= 0) & (high < typical) & ~lazy
    names = np.select([~enough, lazy, contrary, random], ["too few labels", "lazy", "contrary", "random"], "")
    return [str(v) for v in names]


def suspects(table: Labels, names: tuple[str, ...]) -> dict[str, Looks]:
    """Assessors that look random, lazy or contrary, by name."""
    frame = assessor_frame(table.first(), names)
    pairs = zip(frame["assessor"].to_list(), frame["looks"].to_list(), strict=True)
    return {who: looks for who, looks in pairs if looks in KINDS}


def looks_lines(looks: Mapping[str, str]) -> list[str]:
    """Who looks random, lazy or contrary.

    >>> looks_lines({"ann": "", "bob": "random", "cyd": "random"})
    ['looks random: bob, cyd']
    """
    lines = []
    for kind in KINDS:
        who = [name for name, look in looks.items() if look == kind]
        if who:
            more = f" and {len(who) - NAMED:,} more" if len(who) > NAMED else ""
            lines.append(f"looks {kind}: {', '.join(who[:NAMED])}{more}")
    return lines


@dataclass(frozen=True)
class Unused:
    """An assessor who never gives the upper grades, although others give them to the same documents."""

    assessor: str
    grades: tuple[str, ...]
    given: int  # documents to which others give one of them
    shared: int


def _highest(group: NDArray[np.integer], level: NDArray[np.integer], groups: int, k: int) -> NDArray[np.int64]:
    """The highest level in each group, −1 where there is none."""
    out = np.full(groups, -1)
    for q in range(k):
        out[group[level == q]] = q
    return out


def unused_grades(table: Labels, names: tuple[str, ...]) -> list[Unused]:
    """Assessors whose highest grade others exceed on ten documents and a tenth of those they share.

    Such an assessor may be strict, or judge on a scale with fewer grades, whose 1 means something else.
    """
    if not table.scale.ordered:
        return []
    highest = _highest(table.assessor, table.level, table.n_assessors, table.n_levels)
    size = table.per_item()
    most = _highest(table.item, table.level, table.n_items, table.n_levels)
    rows = size[table.item] >= 2
    item, who = table.item[rows], table.assessor[rows]
    # an assessor's own label never exceeds their highest, so what exceeds it is another's
    above = np.bincount(who[most[item] > highest[who]], minlength=table.n_assessors)
    shared = np.bincount(who, minlength=table.n_assessors)
    coarse = (above >= FEWEST) & (above * 10 >= shared)
    return [
        Unused(names[a], table.scale.names[highest[a] + 1 :], int(above[a]), int(shared[a]))
        for a in np.flatnonzero(coarse).tolist()
    ]
