"""Repetitions cut into blocks: units of work that are worth sending to another process."""

from __future__ import annotations


def block_sizes(total: int, block: int) -> list[int]:
    """Repetitions of each block; the last may be smaller.

    >>> block_sizes(25, 10)
    [10, 10, 5]
    """
    return [min(block, total - start) for start in range(0, total, block)]
