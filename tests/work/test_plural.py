"""Numbers in sentences."""

from __future__ import annotations

from dissensus.work.plural import counted


def test_one_is_singular() -> None:
    assert [counted(n, "page") for n in (0, 1, 2, 12_000)] == ["0 pages", "1 page", "2 pages", "12,000 pages"]
