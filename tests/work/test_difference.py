"""What differs, in lines."""

from __future__ import annotations

from wording import phrase

from dissensus.work.difference import difference


def test_changed_new_and_absent_values() -> None:
    assert difference({"a": 1, "b": 2, "same": 0}, {"a": 3, "same": 0, "c": [1]}) == [
        phrase("work-difference.workspace-now", 1, 3),
        phrase("work-difference.workspace-absent-now", "b", 2),
        phrase("work-difference.absent-workspace-now", "c", "[1]"),
    ]


def test_long_values_are_shortened() -> None:
    [line] = difference({"a": "x" * 200}, {"a": 1}, "then")
    assert line.endswith("… then, 1 now")
    assert len(line) < 110
