"""Peak memory grows with what was held."""

from __future__ import annotations

import numpy as np

from dissensus.work.memory import peak_memory


def test_the_peak_is_never_forgotten() -> None:
    before = peak_memory()
    block = np.ones(40_000_000, np.int8)
    size = block.nbytes
    del block
    assert peak_memory() >= before
    assert peak_memory() >= size
