"""The counts of the house."""

from __future__ import annotations

from pathlib import Path

from tools import counts


def test_counts_of_a_small_house(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        '"""A claim."""\n\nfrom typing import Any\n\n\nclass Row:\n    """A row."""\n\n    x: Any = 1  # a comment\n'
    )
    (tmp_path / "b.py").write_text(
        "class Row:\n    y = (\n        1,\n\n        2,\n    )\n\n\ndef f(a, b, c, d, e, f, g, h):\n    import math\n"
    )
    (tmp_path / "c.py").write_text("@njit\ndef f(a, b, c, d, e, f, g, h):\n    return a\n")
    found = {name: value for name, (value, _) in counts.counted(tmp_path).items()}
    assert found == {
        "lines of code": 3 + 7 + 3,
        "files": 3,
        "imports inside functions": 1,
        "Any": 1,
        "functions with more than seven parameters": 1,
        "class names in several files": 1,
    }
