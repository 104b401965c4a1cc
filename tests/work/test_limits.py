"""Limits from the environment."""

from __future__ import annotations

import pytest
from refusals import refused

from dissensus.errors import InputError
from dissensus.work.limits import limit, variable, way_to_raise


@pytest.mark.parametrize(("text", "size"), [("8G", 8 << 30), ("10 kb", 10 << 10), ("12345", 12345), ("", 4 << 30)])
def test_sizes(monkeypatch: pytest.MonkeyPatch, text: str, size: int) -> None:
    monkeypatch.setenv(variable("MATRIX"), text)
    assert limit("MATRIX") == size


def test_wrong_sizes_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable("RANK"), "many")
    with refused(InputError, "DISSENSUS_MAX_RANK=many"):
        limit("RANK")


def test_the_way_to_raise_a_limit_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, needed in (("MATRIX", (5 << 30) + 1), ("UNPACKED", 300 << 20), ("RANK", 1234)):
        assignment = way_to_raise(name, needed).rpartition(": ")[2]
        key, _, value = assignment.partition("=")
        monkeypatch.setenv(key, value)
        assert limit(name) >= needed
