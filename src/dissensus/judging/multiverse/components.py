"""How much of the scores' spread comes from systems, topics and the choice of judge: variance components.

Scores x_sqj (system s, topic q, judge j), centred on their mean over systems, so that a kind judge or an easy topic
counts for nothing. Balanced analysis of variance, all effects random:

    x_sqj = system_s + (system × topic)_sq + (system × judge)_sj + rest_sqj

With MS the mean squares, T topics and J judges: rest = MS_rest, system × judge = (MS_sj − MS_rest)/T, system × topic =
(MS_sq − MS_rest)/J, system = (MS_s − MS_sq − MS_sj + MS_rest)/(TJ). One judge instead of the mean of all such judges
moves a system by a variance of system × judge. These topics instead of all like them move it by (system × topic)/T.

Where judges are crossed by two factors (LLM × prompt), system × judge is split on the largest block in which every
combination occurs once. Its parts are (MS_sa − MS_sab)/(TB), (MS_sb − MS_sab)/(TA) and (MS_sab − MS_rest)/T.

    >>> rng = np.random.default_rng(0)
    >>> system, judge = rng.normal(0, 2, (1, 40, 1)), rng.normal(0, 1, (30, 40, 1))
    >>> found = components(system + judge + rng.normal(0, 0.5, (30, 40, 25)))
    >>> {name: round(found[name], 1) for name in ("system", "system × judge", "rest")}
    {'system': 2.5, 'system × judge': 1.0, 'rest': 0.2}

An estimate below 0 says that the effect is too small to see in the noise. It is kept here and shown as 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from dissensus.arrays import Floats, Ints

MOST = 12  # levels of the smaller factor up to which all blocks are looked at


def components(values: Floats) -> dict[str, float]:
    """Variance of each effect; `values` is judge × system × topic without gaps."""
    j, s, t = values.shape
    x = values - values.mean(axis=1, keepdims=True)
    system, by_judge, by_topic = x.mean(axis=(0, 2)), x.mean(axis=2), x.mean(axis=0)
    ms_system = j * t * (system**2).sum() / (s - 1)
    ms_judge = t * ((by_judge - system) ** 2).sum() / ((s - 1) * (j - 1))
    ms_topic = j * ((by_topic - system[:, None]) ** 2).sum() / ((s - 1) * (t - 1))
    rest = rest_mean_square(values)
    return {
        "system": float((ms_system - ms_judge - ms_topic + rest) / (j * t)),
        "system × judge": float((ms_judge - rest) / t),
        "system × topic": float((ms_topic - rest) / j),
        "rest": rest,
    }


def rest_mean_square(values: Floats) -> float:
    """Mean square of what judge, topic and system alone or in pairs do not explain."""
    j, s, t = values.shape
    x = values - values.mean(axis=1, keepdims=True)
    left = x - x.mean(axis=2, keepdims=True) - x.mean(axis=0) + x.mean(axis=(0, 2))[:, None]
    return float((left**2).sum() / ((j - 1) * (s - 1) * (t - 1)))


def split(values: Floats, block: Ints, names: tuple[str, str]) -> dict[str, float]:
    """System × judge on a block of judges (levels of one factor × levels of the other), split into its parts."""
    a, b = block.shape
    kept = values[block.ravel()]
    t, s = kept.shape[2], kept.shape[1]
    x = (kept - kept.mean(axis=1, keepdims=True)).mean(axis=2).reshape(a, b, s)
    middle = x.mean(axis=(0, 1))
    one, other = x.mean(axis=1), x.mean(axis=0)
    ms_one = t * b * ((one - middle) ** 2).sum() / ((a - 1) * (s - 1))
    ms_other = t * a * ((other - middle) ** 2).sum() / ((b - 1) * (s - 1))
    both = x - one[:, None] - other[None] + middle
    ms_both = t * (both**2).sum() / ((a - 1) * (b - 1) * (s - 1))
    return {
        f"system × {names[0]}": float((ms_one - ms_both) / (t * b)),
        f"system × {names[1]}": float((ms_other - ms_both) / (t * a)),
        f"system × {names[0]} × {names[1]}": float((ms_both - rest_mean_square(kept)) / t),
    }


def largest_block(factors: Mapping[str, Sequence[str]]) -> tuple[tuple[str, str], Ints] | None:
    """((factor, factor), judges as levels × levels) of the two factors whose complete block is largest; or None.

    >>> names, block = largest_block({"llm": ["a", "a", "b", "b", "c"], "prompt": ["1", "2", "1", "2", "1"]})
    >>> names, block.tolist()
    (('llm', 'prompt'), [[0, 1], [2, 3]])
    """
    best: tuple[tuple[str, str], Ints] | None = None
    for one, other in combinations(factors, 2):
        found = _block(factors[one], factors[other])
        if found is not None and (best is None or found.size > best[1].size):
            best = (one, other), found
    return best


def _block(one: Sequence[str], other: Sequence[str]) -> Ints | None:
    """The largest complete block, first judge of a combination that occurs twice; at least 2 × 2."""
    place: dict[tuple[str, str], int] = {}
    for k, key in enumerate(zip(one, other, strict=True)):
        place.setdefault(key, k)
    rows, columns = list(dict.fromkeys(one)), list(dict.fromkeys(other))
    turned = len(rows) > len(columns)
    if turned:
        place, rows, columns = {(b, a): k for (a, b), k in place.items()}, columns, rows
    if not 2 <= len(rows) <= MOST:
        return None
    best: list[list[int]] = []
    for size in range(2, len(rows) + 1):
        for chosen in combinations(rows, size):
            full = [c for c in columns if all((r, c) in place for r in chosen)]
            if len(full) >= 2 and len(chosen) * len(full) > sum(map(len, best)):
                best = [[place[r, c] for c in full] for r in chosen]
    if not best:
        return None
    block = np.array(best, np.int64)
    return block.T.copy() if turned else block
