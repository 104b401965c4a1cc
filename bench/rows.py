"""One line of a benchmark: dissensus and a peer, timed in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """`target_ratio` is what we promised (peer seconds / our seconds); None where only a time was promised."""

    what: str
    ours_seconds: float
    peer: str = ""
    peer_seconds: float | None = None
    target_ratio: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return None if self.peer_seconds is None else self.peer_seconds / self.ours_seconds


def best_of_both(times: int, work: Callable[[], object]) -> tuple[float, float]:
    """(seconds, processor seconds of all threads), each of the fastest of several runs."""
    wall = busy = float("inf")
    for _ in range(times):
        start, used = time.perf_counter(), time.process_time()
        work()
        wall, busy = min(wall, time.perf_counter() - start), min(busy, time.process_time() - used)
    return wall, busy


def best_of(times: int, work: Callable[[], object]) -> float:
    """Seconds of the fastest of several runs."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best
