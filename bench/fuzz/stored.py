"""Files of our own with checksums: rankers and workspaces. What is taken of a damaged one must mean what it meant."""

from __future__ import annotations

import contextlib
import inspect
import sqlite3
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

RANKERS = ("PRank", "RankSVM", "RankBoost", "ListNet", "AdaRank", "GBDT", "LambdaMART", "NMCGMART")
UNITS = {0: {"score": 0.25}, 1: {"score": 0.5}, 2: {"score": 0.125}}
ABOUT = {"what": 1}


def inputs() -> tuple[Any, Any]:
    import numpy as np

    rng = np.random.default_rng(0)
    return rng.random((12, 3)), rng.integers(0, 3, 12)


@cache
def ranker(name: str) -> tuple[bytes, Any]:
    """(the file, what the ranker in it predicts)"""
    from dissensus import learning

    X, y = inputs()
    kind = getattr(learning, name)
    small = {"trees": 2, "min_documents": 1, "seed": 0}
    known = inspect.signature(kind).parameters
    model = kind(**{k: v for k, v in small.items() if k in known}).fit(X, y, [6, 6])
    path = Path(tempfile.mkdtemp()) / "m.json"
    model.save(path)
    return path.read_bytes(), model.predict(X).tolist()


def our_ranker(path: Path) -> Any:
    from dissensus.learning.rankers.model_file import load_ranker

    return load_ranker(path).predict(inputs()[0]).tolist()


@cache
def workspace() -> bytes:
    """A workspace with three finished units."""
    from dissensus.work.units import Store, Task

    path = Path(tempfile.mkdtemp()) / "units.sqlite"
    store = Store(path)
    task = Task(store, "t", ABOUT)
    for number, result in UNITS.items():
        task.append(number, result)
    store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as plain:
        plain.execute("PRAGMA journal_mode=DELETE")
    return path.read_bytes()


def our_workspace(path: Path) -> Any:
    """Does every unit that is taken hold what was recorded? Damaged ones are done again."""
    from dissensus.work.units import Store, Task

    store = Store(path)
    try:
        task = Task(store, "t", ABOUT)
        return all(task.read(number) == UNITS.get(number) for number in task.done)
    finally:
        store.close()
