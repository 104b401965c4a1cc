"""Which judges order the systems alike, and which few of them stand for all.

Judges are near where their leaderboards are: distance 1 − τ_b. Average linkage joins them step by step, and the tree is
cut where the height of the next step jumps most, into at most eight groups. A judge that is alone in its group is an
outlier. It is set aside, and the rest is cut again.

The smallest panel is chosen greedily. First comes the judge whose leaderboard is nearest to that of all judges' mean
scores. Then comes the one that brings the panel's mean nearest, until τ_b with the mean of all is 0.95.

    >>> boards = np.array([[4.0, 3, 2, 1], [4, 3, 1, 2], [4, 3, 2, 1.5], [1, 2, 3, 4], [1, 2, 4, 3]])
    >>> groups_of(tau_matrix(boards)).group
    (0, 0, 0, 1, 1)
    >>> smallest_panel(boards)[0]
    [0]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats
from dissensus.judging.leaderboards import DECIMALS
from dissensus.stats.correlation import kendall_tau

GROUPS = 8
ENOUGH = 0.95


@dataclass(frozen=True, eq=False)
class Groups:
    """`group` of every judge, numbered by size; `alone` are judges set aside, in that order, with the height at which
    they would join and the jump that parted them. `tree` is scipy's linkage of all judges, `order` its leaves."""

    group: tuple[int, ...]
    alone: tuple[tuple[int, float, float], ...]
    tree: Floats
    order: tuple[int, ...]
    tau: Floats


def tau_matrix(boards: Floats) -> Floats:
    """τ_b between every two rows; 0 with a row that ties everything, which orders nothing."""
    n = len(boards)
    boards = np.round(boards, DECIMALS)
    a, b = np.triu_indices(n, 1)
    out = np.eye(n)
    out[a, b] = np.nan_to_num(np.asarray(kendall_tau(boards[a], boards[b], variant="b")))
    return np.maximum(out, out.T) if not len(a) else out + np.triu(out, 1).T


def groups_of(tau: Floats) -> Groups:
    """Groups of judges by the distance 1 − τ."""
    from scipy.cluster.hierarchy import fcluster, leaves_list

    n = len(tau)
    whole = _linkage(tau) if n > 1 else np.empty((0, 4))
    left, label = np.arange(n), np.zeros(n, np.int64)
    alone: list[tuple[int, float, float]] = []
    while len(left) > 2:
        tree = _linkage(tau[np.ix_(left, left)])
        height = tree[:, 2]
        most = min(GROUPS - len(alone), len(left) - 1)
        if most < 2:
            break
        jumps = np.array([height[-k + 1] - height[-k] for k in range(2, most + 1)])
        k = 2 + int(jumps.argmax())
        label = np.asarray(fcluster(tree, k, "maxclust"), np.int64) - 1
        size = np.bincount(label)
        single = np.flatnonzero(size[label] == 1)
        if not len(single) or jumps.max() <= 0:
            break
        alone += [(int(left[i]), float(height[-1]), float(jumps.max())) for i in single]
        left, label = np.delete(left, single), np.zeros(len(left) - len(single), np.int64)
    by_size = sorted(set(label.tolist()), key=lambda g: (-int((label == g).sum()), int(np.flatnonzero(label == g)[0])))
    group = np.full(n, -1)
    group[left] = [by_size.index(g) for g in label.tolist()] if len(left) > 2 else 0
    for k, (judge, _, _) in enumerate(alone):
        group[judge] = len(by_size) + k
    leaves = tuple(leaves_list(whole).tolist()) if n > 1 else (0,) * n
    return Groups(tuple(group.tolist()), tuple(alone), whole, leaves, tau)


def _linkage(tau: Floats) -> Floats:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    distance = np.maximum(1 - tau, 0.0)
    np.fill_diagonal(distance, 0.0)
    return np.asarray(linkage(squareform(distance, checks=False), "average"), np.float64)


def smallest_panel(boards: Floats, enough: float = ENOUGH) -> tuple[list[int], list[float]]:
    """(judges in the order chosen, τ_b with the mean of all after each).

    Means are rounded once, at their end: rounded judges would add up to orders among systems that tie.
    """
    everyone = np.round(boards.mean(axis=0), DECIMALS)
    chosen: list[int] = []
    reached: list[float] = []
    total = np.zeros(boards.shape[1])
    while len(chosen) < len(boards) and (not reached or reached[-1] < enough):
        rest = np.array([k for k in range(len(boards)) if k not in chosen])
        means = np.round((total + boards[rest]) / (len(chosen) + 1), DECIMALS)
        tau = np.nan_to_num(np.atleast_1d(kendall_tau(everyone, means, variant="b")), nan=-1.0)
        best = int(tau.argmax())
        chosen.append(int(rest[best]))
        reached.append(float(tau[best]))
        total = total + boards[rest[best]]
    return chosen, reached
