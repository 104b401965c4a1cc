"""Joining a scheduler whose greeting was disturbed."""

from __future__ import annotations

import pytest

from dissensus.work import cluster as module

distributed = pytest.importorskip("distributed")


def test_a_greeting_that_was_disturbed_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def disturbed(address: str, timeout: float) -> str:
        calls.append(address)
        if len(calls) < 3:
            raise AssertionError
        return "client"

    monkeypatch.setattr(distributed, "Client", disturbed)
    assert module._join("tcp://127.0.0.1:1") == "client"
    assert len(calls) == 3
