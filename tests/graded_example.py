"""The worked example of METHODS §19 and §23: 12 topics of 24 documents, 6 systems, 70 audited, all of it arithmetic."""

from __future__ import annotations

import numpy as np

from dissensus.inference.correction.weights import Weights
from dissensus.inference.ndcg.chances import TopicPools
from dissensus.inference.ndcg.corrected import Gains

TOPICS, SYSTEMS = 12, 6
i = np.arange(24 * TOPICS)
topic = i // 24
quality = np.maximum(0, ((37 * i) % 101) / 101 + 0.35 * (((5 * topic) % 7) / 7 - 0.5))
gold = np.clip(np.floor(4 * quality**1.5), 0, 3).astype(np.int64)
judge = np.clip(gold + ((61 * i) % 13 < 3) - ((29 * i) % 17 < 3), 0, 3)
gains = Gains(np.arange(4) / 3, 1 / np.log2(np.arange(2, 12)))


def rankings() -> np.ndarray:
    """The first 16 documents of every system (rows) and topic."""
    out = np.empty((SYSTEMS, TOPICS, 16), np.int64)
    for s in range(SYSTEMS):
        key = -(quality + (0.3 + 0.12 * s) * ((i * (17 + 6 * s) + 11 * s) % 97) / 97)
        for q in range(TOPICS):
            here = np.flatnonzero(topic == q)
            out[s, q] = here[np.argsort(key[here], kind="stable")][:16]
    return out


ranked = rankings()


def weights() -> Weights:
    """Discounts of the first ten documents."""
    dense = np.zeros((SYSTEMS, len(i)))
    for s in range(SYSTEMS):
        dense[s, ranked[s, :, :10].ravel()] = np.tile(gains.discounts, TOPICS)
    return Weights.from_dense(dense, topic)


def ideals(grades: np.ndarray) -> np.ndarray:
    best = -np.sort(-grades.reshape(TOPICS, 24), axis=1)[:, :10]
    return best @ gains.discounts


def scores(grades: np.ndarray) -> np.ndarray:
    """nDCG@10 of every system, by its definition."""
    return (grades[ranked[:, :, :10]] @ gains.discounts / ideals(grades)).mean(axis=1)


def audited(pi: np.ndarray) -> np.ndarray:
    return ((43 * i) % 289 + 0.5) / 289 < pi


def pool(grades: np.ndarray, pi: np.ndarray) -> TopicPools:
    """The documents with these gold grades, −1 where not audited."""
    shown = np.bincount(ranked.ravel(), minlength=len(i))
    return TopicPools(weights(), judge / 3, judge, shown, grades, pi, scores(judge), 4)
