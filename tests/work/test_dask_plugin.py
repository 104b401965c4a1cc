"""What travels to the workers: packed once, unpacked once per worker, and a unit's result through it."""

from __future__ import annotations

from types import SimpleNamespace

import distributed
import pytest
from distributed.protocol import pickle

from dissensus.work.dask_plugin import Shipment, attempt_there
from dissensus.work.pools import Call, Failure


def arrived(call: Call) -> Shipment:
    """The shipment as a worker has it: sent as bytes, and set up there."""
    shipment: Shipment = pickle.loads(pickle.dumps(Shipment(call)))
    shipment.setup(worker=None)
    return shipment


def test_a_call_is_unpacked_once_and_is_the_same() -> None:
    shipment = arrived(Call(round, {"ndigits": 1}))
    assert shipment.call is None
    first = shipment.unpacked()
    assert shipment.unpacked() is first
    assert first(0, 2.345) == 2.3


def test_units_find_their_shipment_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    plugins = {"one": arrived(Call(round, {"ndigits": 1})), "two": arrived(Call(round, {"ndigits": 2}))}
    monkeypatch.setattr(distributed, "get_worker", lambda: SimpleNamespace(plugins=plugins))
    assert attempt_there("one", 0, 2.345) == 2.3
    assert attempt_there("two", 0, 2.345) == round(2.345, 2)
    failed = attempt_there("one", 0, "text")
    assert isinstance(failed, Failure)
    assert failed.kind == "TypeError"
