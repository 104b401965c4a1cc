"""Gains as a file: {"grade": gain, …}, by grade number or name, as `dissensus weights -o weights.json` writes it."""

from __future__ import annotations

import json
from pathlib import Path

from dissensus.errors import FileError

LARGEST = 1e300


def read_gains(path: str | Path) -> dict[int | str, float]:
    """Gains per grade from a JSON file: an object of numbers, or one that holds it under "weights"."""
    path = Path(path)
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=_distinct)
    except OSError as problem:
        raise FileError(f"{path}: the gains cannot be read: {problem.strerror}.") from problem
    except (ValueError, RecursionError) as problem:
        raise FileError(f"{path}: not JSON: {problem}.", 'Gains look like {"0": 0, "1": 0.3, "2": 1}.') from problem
    table = document.get("weights", document) if isinstance(document, dict) else None
    if not isinstance(table, dict) or not table:
        raise FileError(f"{path}: no gains in it.", 'Gains look like {"0": 0, "1": 0.3, "2": 1}.')
    for grade, gain in table.items():
        if isinstance(gain, bool) or not isinstance(gain, int | float) or not abs(gain) < LARGEST:
            raise FileError(f"{path}: the gain of grade {grade!r} is {str(gain)[:40]}, not a finite number.")
    return {int(g) if g.isascii() and g.isdigit() else g: float(v) for g, v in table.items()}


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object, each key once."""
    if len(dict(pairs)) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise ValueError(f"the key {twice!r} appears twice")
    return dict(pairs)
