"""Numbers in sentences."""

from __future__ import annotations


def counted(n: int, what: str) -> str:
    """How many there are.

    >>> counted(1, "pair"), counted(1200, "label")
    ('1 pair', '1,200 labels')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"
