"""`unjudged="bounds"`: how far a score can move with the labels of the retrieved unjudged documents.

- linear measures: all unjudged documents worth the least / the most a grade is worth (for RBP: its residual over the
  retrieved documents): `NAME.low`, `NAME.high`, exact;
- AP: exact, R recomputed; diversity measures that are means over intents: exact (`families.intent_bounds`);
- all others: two scenarios, not bounds: `NAME.unjudged_bottom` and `NAME.unjudged_top`, all unjudged documents given
  the bottom or the top grade, R and ideal recomputed.

`Measure.bounds` names which of them a measure has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dissensus.engine.walks import ap_bounds
from dissensus.measures.linear import by_system, weight_table, weighted_sums
from dissensus.measures.single import pool_of, ranked_grades

if TYPE_CHECKING:
    from dissensus.arrays import Floats
    from dissensus.measures.families.average import AP
    from dissensus.measures.measure import Linear, Measure
    from dissensus.tables.collection import Joined


def linear_bounds(measure: Linear, joined: Joined) -> dict[str, Floats]:
    """Exact: every unjudged document worth the least, or the most, that a grade is worth."""
    weight, offset = weight_table(measure, joined.length)
    running = np.r_[0.0, np.cumsum(weight)]
    total = running[offset + joined.length] - running[offset]
    judged = weighted_sums(joined, weight, offset, np.ones(len(joined.scale)), measure.cutoff)
    free = by_system(total[:, None] - judged, joined)  # weight that lies on unjudged documents
    score = measure.scores(joined)
    values = measure.values(joined.scale)
    return {"low": score + values.min() * free, "high": score + values.max() * free}


def average_bounds(measure: AP, joined: Joined) -> dict[str, Floats]:
    """Exact for AP, R recomputed."""
    relevant = measure.in_pool(joined)
    cutoff = np.iinfo(np.int64).max if measure.cutoff is None else measure.cutoff
    low = measure.scores(joined).copy()
    high = low.copy()
    for s, (system, topic) in enumerate(zip(joined.segment_system, joined.segment_topic, strict=True)):
        for a in range(len(joined.assessors)):
            pair = ap_bounds(ranked_grades(joined, s, a), int(relevant[topic, a]), measure.rel, cutoff)
            low[a, system, topic], high[a, system, topic] = pair
    return {"low": low, "high": high}


def scenarios(measure: Measure, joined: Joined) -> dict[str, Floats]:
    """All unjudged documents at the bottom grade, or at the top one: two scenarios, not bounds."""
    scale = joined.scale
    base = measure.scores(joined)  # where a system has no ranking there is nothing unjudged
    out = {"unjudged_bottom": base.copy(), "unjudged_top": base.copy()}
    for s, (system, topic) in enumerate(zip(joined.segment_system, joined.segment_topic, strict=True)):
        here = measure.for_topic(joined.topics[topic])
        for a in range(len(joined.assessors)):
            grades = ranked_grades(joined, s, a)
            pool = pool_of(joined, int(topic), a)
            unjudged = grades < 0
            for name, grade in (("unjudged_bottom", scale.low), ("unjudged_top", scale.top)):
                filled = np.where(unjudged, np.int8(grade), grades)
                extra = np.full(int(unjudged.sum()), grade, np.int8)
                out[name][a, system, topic] = here.compute(filled, np.r_[pool[pool >= 0], extra], scale)
    return out
