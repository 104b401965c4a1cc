"""Generated crowds for tests: assessors with known confusion matrices on documents with known grades."""

from __future__ import annotations

import numpy as np

from dissensus.tables.judgments import Judgments


def crowd(
    truth: np.ndarray, matrices: list[np.ndarray], labels_per_doc: int | None, seed: int, topics: int = 1
) -> Judgments:
    """Judgments of assessors w0, w1, … each with a confusion matrix; document i belongs to topic i mod `topics`."""
    rng = np.random.default_rng(seed)
    item, who, grade = [], [], []
    for i, t in enumerate(truth):
        chosen = range(len(matrices)) if labels_per_doc is None else rng.choice(len(matrices), labels_per_doc, False)
        for w in chosen:
            item.append(i)
            who.append(f"w{w}")
            grade.append(int(rng.choice(len(matrices[w]), p=matrices[w][t])))
    return Judgments.from_columns(
        [i % topics for i in item],
        [f"d{i}" for i in item],
        who,
        grade,
        scale=f"0..{len(matrices[0]) - 1}",
    )


def good(k: int, accuracy: float) -> np.ndarray:
    """A matrix with `accuracy` on the diagonal and the rest spread evenly."""
    m = np.full((k, k), (1 - accuracy) / (k - 1))
    np.fill_diagonal(m, accuracy)
    return m
