"""Tested differences by hand: their intervals contain 0 just where p says so."""

from __future__ import annotations

from dissensus.inference.comparison.difference import Difference


def pair(a, b, gap, p, se=0.01, measure="AP"):
    half = 0.03 if p >= 0.05 else abs(gap) / 2
    if se == 0:
        half = 0.0
    ends = (gap - max(half, abs(gap) + 0.01), gap + abs(gap) + 0.01) if p >= 0.05 and se else (gap - half, gap + half)
    return Difference(a, b, measure, gap, se, ends, p, 0.95, "t", "max-t", 3)
