"""One measure's universe of judges as arrays, and the tables that are made of several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from dissensus.arrays import Floats, Values
from dissensus.inference.multiverse.claims import Claims, own_team
from dissensus.judging.leaderboards import DECIMALS
from dissensus.judging.multiverse.against_gold import AgainstGold
from dissensus.judging.multiverse.groups import Groups
from dissensus.stats.orders import KINDS

if TYPE_CHECKING:
    from dissensus.inference.multiverse.audited import Spread

SHOWN = 3  # winners of one judge that are named


@dataclass(frozen=True, eq=False)
class Universe:
    """All judges under one measure; systems that score the same everywhere are one, `copies` names them."""

    measure: str
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    copies: list[list[str]]
    values: Floats  # judge × system × topic, higher is better
    boards: Floats  # judge × system: means, not rounded
    gold: Floats | None  # system × topic
    claims: Claims
    components: dict[str, float]
    split: tuple[tuple[str, str], tuple[int, ...], dict[str, float]] | None
    groups: Groups
    panel: tuple[list[int], list[float]]
    against: AgainstGold | None

    def winner_sets(self) -> list[tuple[tuple[str, ...], int]]:
        """(systems with the highest score, under how many judges), the most frequent first."""
        sets = Counter(tuple(s for s, w in zip(self.systems, row, strict=True) if w) for row in self.claims.winner)
        return sorted(sets.items(), key=lambda x: (-x[1], len(x[0]), x[0]))

    def contenders(self) -> tuple[int, int]:
        """The two systems that most judges put first; where one alone ever is, it and the next by all judges' mean."""
        firsts = self.claims.winner / self.claims.winner.sum(axis=1, keepdims=True)
        order = np.lexsort((-self.boards.mean(axis=0), -firsts.sum(axis=0).round(DECIMALS)))
        return int(order[0]), int(order[1])


def frames_of(
    universes: Sequence[Universe],
    factors: Mapping[str, Sequence[str]],
    teams: Mapping[str, str],
    spreads: Mapping[str, Spread] | None,
    level: float,
) -> dict[str, pl.DataFrame]:
    """The tables of a multiverse by name, measures below each other; empty ones are left out."""
    makers: Values = {
        "winners": winners,
        "claims": claims,
        "judges": lambda u: judges(u, factors),
        "components": components,
        "panel": panel,
        "groups": groups,
        "curve": lambda u: curve(u, factors),
        "judge_pairs": judge_pairs,
        "teams": lambda u: team_rows(u, teams),
        "spread": lambda u: spread(u, None if spreads is None else spreads.get(u.measure)),
    }
    out = {}
    for name, make in makers.items():
        parts = [(u.measure, make(u)) for u in universes]
        rows = [{"measure": measure, **row} for measure, found in parts for row in found]
        if rows:
            out[name] = pl.DataFrame(rows, infer_schema_length=None)
    return out


Rows = list[Values]


def winners(u: Universe) -> Rows:
    """systems, tied (how many), judges, share."""
    return [
        {"systems": named(systems), "tied": len(systems), "judges": n, "share": n / len(u.judges)}
        for systems, n in u.winner_sets()
    ]


def named(systems: Sequence[str]) -> str:
    """Names of a set, the first three of a large one.

    >>> named(["a", "b"]), named(list("abcdef"))
    ('a, b', 'a, b, c and 3 more')
    """
    if len(systems) <= SHOWN + 1:
        return ", ".join(systems)
    return f"{', '.join(systems[:SHOWN])} and {len(systems) - SHOWN} more"


def claims(u: Universe) -> Rows:
    """a, b (a better under most judges), better, undecided, reversed, share, difference (mean over judges)."""
    c, n = u.claims, len(u.judges)
    up, down = (c.sign > 0).sum(axis=0), (c.sign < 0).sum(axis=0)
    mean = c.difference.mean(axis=0)
    turned = (down > up) | ((down == up) & (mean < 0))
    a, b = np.where(turned, c.b, c.a), np.where(turned, c.a, c.b)
    better, reversed_ = np.where(turned, down, up), np.where(turned, up, down)
    order = np.lexsort((b, a, -np.abs(mean), -better))
    return [
        {
            "a": u.systems[a[i]], "b": u.systems[b[i]], "better": int(better[i]),
            "undecided": int(n - better[i] - reversed_[i]), "reversed": int(reversed_[i]), "share": better[i] / n,
            "difference": float(-mean[i] if turned[i] else mean[i]),
        }
        for i in order
    ]  # fmt: skip


def judges(u: Universe, factors: Mapping[str, Sequence[str]]) -> Rows:
    """One row per judge: its factors, winners, how many could be the best, group, and how near it is to gold."""
    rows = []
    best = None if u.against is None else u.against.best
    for j, name in enumerate(u.judges):
        first = [s for s, w in zip(u.systems, u.claims.winner[j], strict=True) if w]
        row = {
            "judge": name, **{f: levels[j] for f, levels in factors.items()}, "winners": named(first),
            "tied": len(first), "could_be_best": int(u.claims.best[j].sum()), "group": u.groups.group[j] + 1,
        }  # fmt: skip
        if u.against is not None:
            for c, kind in enumerate(KINDS):
                ends = u.against.ends[j, c].tolist()
                row |= dict(zip((kind, f"{kind}_corrected", f"{kind}_low", f"{kind}_high"), ends, strict=True))
                if kind == "tau":
                    row |= {"tau_low_systems": u.against.wide[j, 0], "tau_high_systems": u.against.wide[j, 1]}
            row["may_be_best"] = bool(best[j])  # type: ignore[index]
        rows.append(row)
    return sorted(rows, key=lambda r: -r.get("tau_corrected", 0.0))


def components(u: Universe) -> Rows:
    """source, variance (0 where the estimate is below), estimate."""
    parts = dict(u.components)
    if u.split is not None:
        parts |= u.split[2]
    return [{"source": k, "variance": max(v, 0.0), "estimate": v} for k, v in parts.items()]


def panel(u: Universe) -> Rows:
    """place, judge, tau_b with the mean of all judges."""
    return [
        {"place": i + 1, "judge": u.judges[j], "tau_b": tau} for i, (j, tau) in enumerate(zip(*u.panel, strict=True))
    ]


def groups(u: Universe) -> Rows:
    """group, size, judges, tau_b within the group (mean), height at which a judge alone would join."""
    rows = []
    height = {j: (h, jump) for j, h, jump in u.groups.alone}
    for g in range(max(u.groups.group) + 1):
        own = [j for j, x in enumerate(u.groups.group) if x == g]
        inside = u.groups.tau[np.ix_(own, own)][np.triu_indices(len(own), 1)]
        alone = height.get(own[0]) if len(own) == 1 else None
        rows.append({
            "group": g + 1, "size": len(own), "judges": named([u.judges[j] for j in own]),
            "tau_b": float(inside.mean()) if len(inside) else None, "height": alone[0] if alone else None,
            "jump": alone[1] if alone else None,
        })  # fmt: skip
    return rows


def curve(u: Universe, factors: Mapping[str, Sequence[str]]) -> Rows:
    """The two contenders under every judge by difference: a, b, place, judge, difference, low, high, claim, factors."""
    a, b = u.contenders()
    difference, half = u.claims.pair(a, b)
    rows = []
    for place, j in enumerate(np.argsort(difference, kind="stable").tolist()):
        low, high = difference[j] - half[j], difference[j] + half[j]
        rows.append({
            "a": u.systems[a], "b": u.systems[b], "place": place + 1, "judge": u.judges[j],
            "difference": float(difference[j]), "low": float(low), "high": float(high),
            "claim": "better" if low > 0 else "reversed" if high < 0 else "undecided",
            **{f: levels[j] for f, levels in factors.items()},
        })  # fmt: skip
    return rows


def judge_pairs(u: Universe) -> Rows:
    """a, b, difference of corrected τ, low, high, p; pairs of judges on the same resamples."""
    if u.against is None:
        return []
    x = u.against
    return [
        {
            "a": u.judges[i], "b": u.judges[j], "difference": float(d), "low": float(d - 1.96 * s),
            "high": float(d + 1.96 * s), "p": float(p),
        }
        for (i, j), d, s, p in zip(x.pair.tolist(), x.difference, x.se, x.p, strict=True)
    ]  # fmt: skip


def team_rows(u: Universe, teams: Mapping[str, str]) -> Rows:
    """judge, team, systems, against, difference, low, high: how much more a team's judge gives its own systems."""
    rows = []
    own_of = np.array([teams.get(s, "") for s in u.systems])
    of_judge = np.array([teams.get(j, "") for j in u.judges])
    values = u.values if u.gold is None else np.concatenate([u.values, u.gold[None]])
    for j, name in enumerate(u.judges):
        own = own_of == of_judge[j]
        if not of_judge[j] or not own.any() or own.all():
            continue
        others = np.zeros(len(values), bool)
        if u.gold is None:
            others[: len(u.judges)] = of_judge != of_judge[j]
        else:
            others[-1] = True
        if others.any():
            middle, low, high = own_team(values, own, j, others)
            against = "judges of other teams" if u.gold is None else "gold"
            rows.append({"judge": name, "team": str(of_judge[j]), "systems": int(own.sum()), "against": against,
                         "difference": middle, "low": low, "high": high})  # fmt: skip
    return rows


def spread(u: Universe, found: Spread | None) -> Rows:
    """system, before, after: the standard deviation over judges of its score."""
    if found is None:
        return []
    before, after = found.sd
    order = np.argsort(-found.after.mean(axis=0), kind="stable").tolist()
    return [{"system": found.systems[s], "before": float(before[s]), "after": float(after[s])} for s in order]
