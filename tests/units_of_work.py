"""Functions that tests send to other processes (workers must be able to import them), and what they leave behind."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.errors import MeasureError


def draw(unit: int, rng: np.random.Generator, base: np.ndarray) -> np.ndarray:
    return base * unit + rng.normal(size=len(base))


class Shipped:
    """Counts, per process, how often it was unpacked."""

    unpacked = 0

    def __init__(self) -> None:
        self.token = 0

    def __setstate__(self, state: dict[str, int]) -> None:
        type(self).unpacked += 1
        self.token = type(self).unpacked


def process_and_shipments(unit: int, big: Shipped) -> tuple[int, int]:
    time.sleep(0.02)
    return os.getpid(), big.token


def fails_at_three(unit: int, rng: np.random.Generator) -> float:
    if unit == 3:
        raise ZeroDivisionError("three is too many")
    return float(rng.random())


def breaks_a_rule(unit: int) -> float:
    raise MeasureError("ERR needs a scale.", "Give scale=.")


def dies(unit: int) -> int:
    if unit == 2:
        os._exit(9)
    return unit


def slow_square(unit: int, rng: np.random.Generator) -> float:
    time.sleep(0.05)
    return unit * unit + float(rng.random())


def kills_its_worker_once(unit: int, rng: np.random.Generator, marker: str) -> float:
    if unit == 5 and not os.path.exists(marker):
        with open(marker, "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return unit * unit + float(rng.random())


def sleeps(unit: int, base: np.ndarray) -> int:
    time.sleep(1.0)  # a unit that runs is not interrupted, wherever its client is
    return unit


def held(dask_worker: Any) -> int:
    """Bytes that a worker of a cluster keeps of what units share as `base`."""
    return int(sum(v.shared["base"].nbytes for v in dask_worker.data.values() if hasattr(v, "shared")))


def where_it_runs(unit: int, seconds: float = 0.0) -> int:
    time.sleep(seconds)
    return os.getpid()


def returns_an_object(unit: int) -> Shipped:
    return Shipped()


def recorded(folder: Path) -> dict[str, int]:
    """How many units of each task a closed workspace holds."""
    with contextlib.closing(sqlite3.connect(folder / "workspace.sqlite", isolation_level=None)) as file:
        rows = dict(file.execute("SELECT task, count(*) FROM units GROUP BY task ORDER BY task").fetchall())
    file.close()
    return rows
