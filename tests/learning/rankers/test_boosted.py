"""Threads as the environment says; no lasting trace of ours in it."""

from __future__ import annotations

import os

import pytest

from dissensus.learning.rankers import boosted
from dissensus.learning.rankers.boosted import SMALL, lightgbm, threads


def test_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boosted, "cores", lambda: 8)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert threads(SMALL - 1) == 1
    assert threads(SMALL) == 8
    monkeypatch.setenv("OMP_NUM_THREADS", "3,2")
    assert threads(SMALL) == 3
    assert threads(10, workers=4) == 4
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    assert threads(SMALL) == 8


def test_the_environment_is_left_as_it_was() -> None:
    before = os.environ.get("OMP_WAIT_POLICY")
    lightgbm()
    assert os.environ.get("OMP_WAIT_POLICY") == before
