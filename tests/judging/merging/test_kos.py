"""KOS: two grades, messages against a loop over edges, and the vote where there is no message."""

from __future__ import annotations

import numpy as np
from crowds import crowd, good
from refusals import refused

from dissensus.errors import InputError
from dissensus.judging.label_table import labels
from dissensus.judging.merging import kos
from dissensus.work.seeds import generator


def test_three_rounds_are_the_loop_over_edges() -> None:
    table = labels(crowd(np.arange(25) % 2, [good(2, a) for a in (0.9, 0.8, 0.6, 0.4)], 3, seed=1))
    sign = [1 if h else -1 for h in table.level]
    edges = list(zip(table.item.tolist(), table.assessor.tolist(), sign, strict=True))
    y = generator(5).normal(1.0, 1.0, len(edges)).tolist()
    for _ in range(3):
        x = [
            sum(s * y[f] for f, (i2, _, s) in enumerate(edges) if i2 == i and f != e)
            for e, (i, _, _) in enumerate(edges)
        ]
        new = [
            sum(s * x[f] for f, (_, j2, s) in enumerate(edges) if j2 == j and f != e)
            for e, (_, j, _) in enumerate(edges)
        ]
        size = np.sqrt(np.mean(np.square(new)))
        y = [v / size for v in new]
    total = np.bincount(table.item, [s * v for (_, _, s), v in zip(edges, y, strict=True)])
    found = kos.fit(table, seed=5, max_rounds=3, tol=0)
    assert found.posterior[:, 1].tolist() == (total > 0).astype(float).tolist()
    assert found.posterior.sum(axis=1).tolist() == [1.0] * 25
    assert found.rounds == 3


def test_a_document_nobody_else_speaks_of_goes_by_its_votes() -> None:
    table = labels(crowd(np.array([1]), [good(2, 1.0)], None, seed=1))
    assert kos.fit(table).posterior.tolist() == [[0, 1]]


def test_three_grades_are_refused() -> None:
    with refused(InputError, 'method="kos"'):
        kos.fit(labels(crowd(np.arange(9) % 3, [good(3, 0.9)] * 3, None, seed=1)))
