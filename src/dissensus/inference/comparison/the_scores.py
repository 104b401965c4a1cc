"""Which score of a system is *the* score, and the order by these scores: pooled, else corrected, else naive."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from dissensus.inference.comparison.difference import Standing
from dissensus.inference.comparison.evidence_value import Evidence, Kind

KINDS: tuple[Kind, ...] = ("pooled", "corrected", "naive")


def score_kinds(evidence: Evidence, standing: Standing) -> dict[str, Kind]:
    """Which score each system has: pooled, unless the audit contradicts it or a shown difference its order."""
    first: Kind = "naive"
    for kind in reversed(KINDS):
        if kind in evidence.scores:
            first = kind
    kinds = dict.fromkeys(evidence.systems, first)
    if first != "pooled":
        return kinds
    corrected: Kind = "corrected"
    kinds |= dict.fromkeys((s for s in evidence.systems if s in evidence.doubted), corrected)
    shown = [(standing.systems[i], standing.systems[j]) for i, j in np.argwhere(standing.beats).tolist()]
    while True:
        value = {s: _signed(evidence, s, k) for s, k in kinds.items()}
        wrong = {s for a, b in shown if not value[a] > value[b] for s in (a, b) if kinds[s] == "pooled"}
        if not wrong:
            return kinds
        kinds |= dict.fromkeys(wrong, "corrected")


def _signed(evidence: Evidence, system: str, kind: str) -> float:
    """A system's score, larger being better."""
    score = evidence.scores[kind].get(system, (math.nan,))[0]
    return score if evidence.higher_is_better else -score


def order_by(evidence: Evidence, kinds: Mapping[str, Kind], standing: Standing) -> tuple[str, ...]:
    """Best first by *the* scores; without any, by how many systems are ahead in the differences."""
    value = {s: _signed(evidence, s, kinds[s]) if kinds[s] in evidence.scores else math.nan for s in evidence.systems}
    if all(math.isnan(v) for v in value.values()) and standing.systems:
        behind = dict(zip(standing.systems, standing.ahead.sum(axis=0).tolist(), strict=True))
        return tuple(sorted(evidence.systems, key=lambda s: behind.get(s, len(behind))))
    return tuple(sorted(evidence.systems, key=lambda s: -value[s] if math.isfinite(value[s]) else math.inf))
