"""Published matrices: rows that are distributions, and the rates of their sources."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dissensus.errors import ConfusionError
from dissensus.judging.confusion.published import names, published


@pytest.mark.parametrize("name", names())
def test_published_matrices_are_matrices(name):
    c = published(name)
    assert c.matrix.sum(axis=1) == pytest.approx(np.ones(len(c)))
    assert c.notes


def test_published_rates():
    ebay = published("ebay").matrix
    assert ebay[1, 1] == pytest.approx(43 / 59)
    assert ebay[0, 0] == pytest.approx(67 / 84)
    bronze = published("enterprise07-docrun02").matrix
    assert (round(bronze[1, 1], 3), round(bronze[0, 0], 3)) == (0.447, 0.824)
    with refused(ConfusionError, "rf10"):
        published("yandex")
