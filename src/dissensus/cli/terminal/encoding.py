"""Text on a terminal that knows few characters: Windows consoles in cp1252, C locales, pipes of old tools.

A character that the stream cannot write is replaced by what one would type for it, and by a question mark only where
there is no such thing:

    >>> "τ = 0.43 ─── −0.1 → ≥ 0 日".encode("ascii", "dissensus.typed").decode()
    'tau = 0.43 --- -0.1 -> >= 0 ?'
"""

from __future__ import annotations

import codecs
import sys
import unicodedata

TYPED = {
    "─": "-", "│": "|", "┬": "-", "├": "|", "└": "`", "►": ">", "▶": ">", "█": "#", "░": ".", "−": "-", "–": "-",
    "—": "-", "…": "...", "→": "->", "←": "<-", "↑": "^", "↓": "v", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~",
    "×": "x", "±": "+/-", "·": ".", "²": "2", "√": "sqrt", "∞": "inf", "∑": "sum", "Σ": "sum", "∪": "or", "∩": "and",
    "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "†": "+", "‡": "++", "✓": "yes", "✗": "no", "§": "section ",
    "\u00a0": " ", "\u2009": " ", "\u202f": " ",
}  # fmt: skip


def _typed(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(typed, error.object[error.start : error.end])), error.end


def typed(character: str) -> str:
    """What one would type for a character in ASCII.

    >>> [typed(c) for c in "κ₂é"]
    ['kappa', '2', 'e']
    """
    if character in TYPED:
        return TYPED[character]
    name = unicodedata.name(character, "")
    if name.startswith("GREEK"):
        return name.split(" WITH ")[0].rpartition(" ")[2].lower()
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return plain or "?"


codecs.register_error("dissensus.typed", _typed)


def speak_any_language() -> None:
    """Standard output and errors of few characters get typed ones instead of a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if "utf" not in (getattr(stream, "encoding", "") or "utf").lower() and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="dissensus.typed")
