"""In which order a ranker puts the other judge's labels: as they stand, or by what they promise who scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from dissensus.data.tables.scale import Scale
from dissensus.inference.ceiling.expected_scores import Floats, Forms, Ints
from dissensus.measures.measure import Measure

Order = Literal["label", "posterior"]


def ordered_labels(
    order: Order,
    matrices: Floats,
    matrix_of: Ints,
    counts: Ints,
    measures: Sequence[Measure],
    measure_of: Ints,
    forms: Forms | None,
    scale: Scale,
) -> tuple[Floats, Ints]:
    """Matrices whose columns run from the worst to the best place in the ranking, and which row uses which.

    "posterior" sorts the labels of each row by E[value | label] = Σ_i n_i c_ij v_i / Σ_i n_i c_ij.
    """
    known = np.nan_to_num(matrices)
    known = known / np.maximum(known.sum(axis=2, keepdims=True), 1e-300)  # printed rows may be off by rounding
    if order == "label":
        return np.ascontiguousarray(known), matrix_of
    out = np.zeros((len(counts), *known.shape[1:]))
    for t, c in enumerate(counts):
        matrix = known[matrix_of[t]]
        value = forms.values[t] if forms is not None else _worth(measures[measure_of[t]], scale)
        joint = c[:, None] * matrix
        total = joint.sum(axis=0)
        expected = np.divide(np.nan_to_num(value) @ joint, total, out=np.full(len(total), -np.inf), where=total > 0)
        # labels that are worth the same are one class: their ties are broken at random together
        rounded = np.round(expected, 12)
        for label, place in enumerate(np.searchsorted(np.unique(rounded), rounded)):
            out[t, :, place] += matrix[:, label]
    return out, np.arange(len(counts), dtype=np.int64)


def _worth(measure: Measure, scale: Scale) -> Floats:
    """What a grade is worth to a measure that is not linear: relevance where it has `rel`, else the grade."""
    if hasattr(measure, "rel"):
        return (scale.grades >= measure.relevant_from(scale)).astype(np.float64)
    return scale.grades.astype(np.float64)
