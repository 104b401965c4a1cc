"""Repetitions in blocks."""

from __future__ import annotations

from dissensus.work.blocks import block_sizes


def test_blocks_hold_every_repetition_once():
    assert (block_sizes(30, 10), block_sizes(7, 10), block_sizes(0, 10)) == ([10, 10, 10], [7], [])
