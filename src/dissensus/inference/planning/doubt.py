"""How much doubt a bronze label leaves about the gold value: sd(v | J), from an audit or assumed."""

from __future__ import annotations

import math

import numpy as np

from dissensus.inference.correction.design import Design
from dissensus.inference.correction.weights import Floats
from dissensus.work.plural import counted

ASSUMED = 0.4  # of the value range, before anything was audited
SHRINK = 10  # labels' worth of the overall doubt: a label with three agreeing documents is not free of doubt


def doubt(design: Design, values: Floats) -> tuple[Floats, list[str]]:
    """(sd(v | J) by bronze label, what to say about it): from the audit, or equal for all labels."""
    wide = float(values.max() - values.min())
    if not design.audited.any():
        notes = [
            f"no audit yet: every bronze label is taken to leave the same doubt (sd {ASSUMED} of the value range)."
        ]
        if wide == 0:  # a binary judge, a graded measure: which documents matter is known, the topics' variance is not
            notes.append(
                f"no grade of the bronze scale {design.bronze_scale} counts for this measure: the table knows nothing "
                "of how topics vary, and is too hopeful."
            )
        return np.full(design.n_labels, ASSUMED * (wide or 1.0)), notes
    labels = design.labels(values)
    seen = labels.audited
    w, v, j = labels.weight[seen], labels.value[seen], labels.bronze[seen]
    size, count = np.bincount(j, w, design.n_labels), np.bincount(j, minlength=design.n_labels)
    mean = np.divide(np.bincount(j, w * v, design.n_labels), size, out=np.zeros(design.n_labels), where=size > 0)
    overall = math.sqrt(float((w * (v - mean[j]) ** 2).sum() / w.sum()))
    notes = [f"the doubt that each bronze label leaves is estimated from the audit (shrunk by {SHRINK} labels)."]
    if overall == 0 and wide > 0:  # a few labels without an error do not make a judge without one
        overall = ASSUMED * wide * math.sqrt(SHRINK / (SHRINK + len(v)))
        shown = counted(len(v), "label")
        notes = [f"the audit shows no error in {shown}: the doubt assumed without an audit, shrunk by them."]
    square = np.bincount(j, w * (v - mean[j]) ** 2, design.n_labels)
    known = np.divide(square, size, out=np.zeros(design.n_labels), where=size > 0)
    return np.asarray(np.sqrt((known * count + SHRINK * overall**2) / (count + SHRINK)), np.float64), notes
