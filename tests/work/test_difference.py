"""What differs, in lines."""

from __future__ import annotations

from dissensus.work.difference import difference


def test_changed_new_and_absent_values() -> None:
    assert difference({"a": 1, "b": 2, "same": 0}, {"a": 3, "same": 0, "c": [1]}) == [
        "a: 1 in the workspace, 3 now",
        "b: 2 in the workspace, absent now",
        "c: absent in the workspace, [1] now",
    ]


def test_long_values_are_shortened() -> None:
    [line] = difference({"a": "x" * 200}, {"a": 1}, "then")
    assert line.endswith("… then, 1 now")
    assert len(line) < 110
