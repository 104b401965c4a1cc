"""The hot loops, one kernel a module, compiled on first use and cached.

Every kernel walks the hits of segments `lo … hi − 1` and writes `out[segment, assessor]`, assessors innermost. They
release the interpreter's lock, so plain threads share the segments.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from dissensus.work.cores import cores

SMALL = 2_000_000  # hits × assessors below which a second thread costs more than it saves


def over_segments(n_segments: int, work: Callable[[int, int], object], size: int) -> None:
    """Run `work(lo, hi)` over all segments, in as many threads as there are cores if `size` is worth it."""
    threads = min(cores(), n_segments) if size > SMALL else 1
    if threads <= 1:
        work(0, n_segments)
        return
    # more pieces than threads: segments differ in length
    edges = [n_segments * i // (4 * threads) for i in range(4 * threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, lo, hi) for lo, hi in itertools.pairwise(edges)]:
            done.result()
