"""Which measure each topic is scored by: one for all, unless it treats topics differently (`nMCG(classes=…)`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dissensus.measures.measure import Measure


def topic_measures(measure: Measure, topics: Sequence[str]) -> tuple[tuple[Measure, ...], NDArray[np.int64]]:
    """(the different measures, which of them each topic has); topics may come several times.

    >>> from dissensus.measures.catalog import measure
    >>> measures, which = topic_measures(measure("P@5"), ["301", "302", "301"])
    >>> [str(m) for m in measures], which.tolist()
    (['P@5'], [0, 0, 0])
    """
    names = list(dict.fromkeys(topics))
    own = measure.for_topics(names)
    if all(m is measure for m in own):
        return (measure,), np.zeros(len(topics), np.int64)
    place = {m: i for i, m in enumerate(dict.fromkeys(own))}
    which = {name: place[m] for name, m in zip(names, own, strict=True)}
    return tuple(place), np.array([which[t] for t in topics], np.int64)
