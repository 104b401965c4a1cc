"""How numbers of inference are written in sentences."""

from __future__ import annotations


def p_text(p: float, digits: int = 3) -> str:
    """A p-value for a sentence: no p-value is 0.

    >>> p_text(0.0004), p_text(0.017), p_text(0.0171, 4)
    ('< 0.001', '= 0.017', '= 0.0171')
    """
    least = 10.0**-digits
    return f"< {least:.{digits}f}" if p < least else f"= {p:.{digits}f}"
