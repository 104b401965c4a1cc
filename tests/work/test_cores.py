"""How many cores a process may use."""

from __future__ import annotations

import os

from dissensus.work.cores import cores


def test_cores_are_counted() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)
