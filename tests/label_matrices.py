"""Judgments from a matrix of labels: a document per row, an assessor per column."""

from __future__ import annotations

import numpy as np

from dissensus.tables.judgments import Judgments


def from_matrix(matrix: np.ndarray, scale: str = "0..3", topics: int = 1) -> Judgments:
    """items × assessors, −1 where there is no label."""
    content: dict[str, dict[int, dict[int, int]]] = {f"a{k}": {} for k in range(matrix.shape[1])}
    for (i, k), g in np.ndenumerate(matrix):
        if g >= 0:
            content[f"a{k}"].setdefault(int(i) % topics, {})[int(i)] = int(g)
    return Judgments.from_dict({who: t for who, t in content.items() if t}, scale=scale)
