"""Generated data have the shapes they claim, by seed."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from wording import phrase

from dissensus.errors import InputError
from dissensus.studies.generated.features import SHAPES, Shape, balance, generate, merge_grades


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_of_the_paper(name):
    shape = SHAPES[name]
    data = generate(name, queries=20)
    assert data.X.shape[1] == shape.features
    assert len(data.topics) == 20
    assert data.group.mean() == pytest.approx(shape.documents, rel=0.1)
    np.testing.assert_allclose(data.proportions(), shape.proportions, atol=2 / len(data))


def test_full_size_is_the_papers():
    assert [(s.queries, s.features, len(s.proportions)) for s in SHAPES.values()] == [
        (106, 45, 3),
        (50, 64, 2),
        (10_000, 136, 5),
        (31_531, 136, 5),
        (33_018, 220, 5),
    ]


def test_equal_seeds_equal_data():
    a, b, c = (generate("OHSUMED", queries=5, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(a.X, b.X)
    np.testing.assert_array_equal(a.y, b.y)
    assert len(a) != len(c) or (a.y != c.y).any()


def test_merge_and_balance():
    data = generate("MSLR-WEB10K", queries=10)
    two = merge_grades(data, (0, 0, 1, 1, 1))
    assert two.proportions()[1] == pytest.approx(data.proportions()[2:].sum())
    even = balance(two, (8, 8), seed=3)
    assert even.group.tolist() == [16] * len(even.topics)
    assert even.proportions().tolist() == [0.5, 0.5]
    np.testing.assert_array_equal(even.X, balance(two, (8, 8), seed=3).X)
    few = balance(two, (5, 18), seed=3)
    assert phrase("generated-features.topics-few") in few.notes[-1]


@pytest.mark.parametrize(
    ("work", "values"),
    [
        (lambda: generate("LETOR"), ("LETOR",)),
        (lambda: generate("OHSUMED", queries=0), ("generate(queries=0, clarity=0.8)",)),
        (lambda: generate(Shape(1, 9, 2, (0.5, 0.4))), ("(0.5, 0.4)", 1)),
        (lambda: merge_grades(generate("OHSUMED", queries=3), (0, 1)), ("0…2",)),
        (lambda: balance(generate("OHSUMED", queries=3), (5000, 1, 1)), (5000,)),
    ],
)
def test_refused(work, values):
    with refused(InputError, *values):
        work()
