"""What one document's label can do to any measure: weights near the labels at hand, so that audits can be planned.

A measure that is not linear has no weights of its own, but near given labels it moves like one that has:

    w_sd = m_s(d at the top grade) − m_s(d at the bottom),   v_g = ⟨m(g) − m(0), w⟩ / ⟨w, w⟩,

all other labels as they are. Planning then goes by the algebra of linear measures (`planning`), and what was planned is
what rectified imputation sums up (`imputation`). Documents that no system shows matter too, through R or the ideal;
those of one topic and label matter equally, and one of them speaks for all.

When not to use it: for scores. Far from the labels at hand the weights are others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.gold_model import draw_gold
from dissensus.inference.correction.weights import Weights
from dissensus.measures.measure import Measure
from dissensus.work.progress import Progress

DRAWS = 4
LEAST = 1e-9  # of the largest weight: smaller ones are rounding


def linearised(measure: Measure, design: Design, *, seed: int = 0) -> tuple[Weights, Floats]:
    """(weights of every judged document, values by grade) of a measure near the bronze labels.

    After an audit, near what the gold labels are thought to be (a few draws of `gold_model`).
    """
    joined = replace(design.joined, scale=design.gold_scale)
    low, levels = np.int8(design.gold_scale.low), len(design.gold_scale)
    known = design.audited.any()
    labels = draw_gold(design, seed=seed, n=DRAWS).labels + low if known else design.joined.labels[:, :1]
    judged = np.flatnonzero(design.bronze < design.n_labels - 1)
    speaker = _speakers(measure, design, judged)
    asked = np.unique(speaker)
    systems = len(joined.systems)
    effect = np.zeros((levels, systems, len(design.bronze)))

    def score(level: int, items: Ints) -> Floats:
        changed = np.array(labels, order="C")
        changed[items] = level + low
        found = measure.scores(joined.with_labels(changed))[:, :, design.topic[items]]
        return np.asarray(np.nan_to_num(found).mean(axis=0), np.float64)  # nothing relevant: nothing gained

    rounds = turns(design.topic[asked])
    with Progress("weighing documents", len(rounds)) as bar:
        for turn in rounds:
            items = asked[turn]
            bottom = score(0, items)
            for level in range(1, levels):
                effect[level][:, items] = score(level, items) - bottom
            bar.advance()
    top = effect[-1]
    square = float((top**2).sum())
    values = np.array([float((one * top).sum()) for one in effect]) / (square or 1.0)
    dense = np.zeros_like(top)
    dense[:, judged] = top[:, speaker]
    dense[np.abs(dense) <= LEAST * np.abs(dense).max(initial=0.0)] = 0.0
    empty = np.zeros((systems, len(joined.topics)))
    return Weights.from_dense(dense, design.topic, empty), values


def _speakers(measure: Measure, design: Design, judged: Ints) -> NDArray[np.int64]:
    """For every judged item the one that is asked for it: itself, or, beyond all systems' cut, one of its kind."""
    out = judged.copy()
    deep = design.best_rank()[judged] > (measure.cutoff or np.iinfo(np.int32).max)
    kind = design.topic[judged[deep]] * design.n_labels + design.bronze[judged[deep]]
    _, first, back = np.unique(kind, return_index=True, return_inverse=True)
    out[deep] = judged[deep][first][back]
    return out


def turns(topic: Ints) -> list[Ints]:
    """Items in turns of at most one per topic.

    >>> [t.tolist() for t in turns(np.array([0, 0, 1, 1]))]
    [[0, 2], [1, 3]]
    """
    order = np.argsort(topic, kind="stable")
    turn = np.arange(len(order)) - np.searchsorted(topic[order], topic[order])
    return [order[turn == i] for i in range(int(turn.max(initial=-1)) + 1)]
