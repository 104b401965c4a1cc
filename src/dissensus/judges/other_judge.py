"""What another judge makes of a grade, whoever the two judges are: one confusion pooled over all pairs of assessors."""

from __future__ import annotations

import numpy as np

from dissensus.data.judgments import Judgments
from dissensus.errors import InputError
from dissensus.judges.confusion import Confusion
from dissensus.judges.labels import Negative, labels


def other_judge_confusion(
    judgments: Judgments, *, smoothing: float | None = None, negative: Negative = "unjudged"
) -> Confusion:
    """c_ij = P(another assessor says j | one said i), from all ordered pairs of different assessors on one document.

    A label on a document with r labels meets r − 1 others, each counted 1/(r − 1): every label that has a partner
    counts once as a reference, so `n` is the number of labels behind each row.

    >>> j = Judgments.from_dict({"a": {1: {"d": 1, "e": 0}}, "b": {1: {"d": 0, "e": 0}}})
    >>> other_judge_confusion(j).matrix.round(3).tolist()
    [[0.667, 0.333], [1.0, 0.0]]

    Not for judges of different kinds: where one is an expert and one a crowd, use `confusion(reference=, observed=)`.
    """
    table = labels(judgments, negative).first()
    k = table.n_levels
    per_item = np.zeros((table.n_items, k))
    np.add.at(per_item, (table.item, table.level), 1.0)
    r = per_item.sum(axis=1)
    shared = r >= 2
    if not shared.any():
        raise InputError(
            "no document was judged by two assessors, so nothing is known of how they differ.",
            "Give a confusion matrix, or judgments of several assessors on the same documents.",
        )
    n, r = per_item[shared], r[shared]
    counts = (n / (r - 1)[:, None]).T @ n - np.diag((n / (r - 1)[:, None]).sum(axis=0))
    alone = int((~shared & (per_item.sum(axis=1) == 1)).sum())
    notes = (*table.notes, *((f"{alone:,} documents with one label left out",) if alone else ()))
    repeats = judgments.n_repeats()
    notes = (*notes, *((f"{repeats:,} repeated labels left out",) if repeats else ()))
    result = Confusion(None, counts, table.scale, notes)
    return result if smoothing is None else result.smoothed(smoothing)
