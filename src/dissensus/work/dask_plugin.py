"""What all units share, brought to every worker of a Dask cluster, those that join or start again later included.

Data scattered to the workers of today are lost with them: when the last worker that holds them leaves, the work is
cancelled, and a worker that leaves while they are being copied keeps distributed copying for ever. A plugin is kept by
the scheduler, which hands it to whoever joins. It carries bytes, unpacked when a worker's first unit asks for them.
"""

from __future__ import annotations

import threading
from typing import Any

import distributed
from distributed.protocol import pickle

from dissensus.work.pools import Call, attempt


class Shipment(distributed.WorkerPlugin):  # type: ignore[misc]
    """A call, packed once and unpacked once per worker."""

    def __init__(self, call: Call) -> None:
        self.packed: bytes = pickle.dumps(call)

    def setup(self, worker: Any) -> None:
        """Make ready to unpack (a lock cannot travel)."""
        self.lock = threading.Lock()
        self.call: Call | None = None

    def unpacked(self) -> Call:
        """The call, on the worker."""
        with self.lock:
            if self.call is None:
                self.call = pickle.loads(self.packed)
            return self.call


def attempt_there(name: str, index: int, unit: Any) -> Any:
    """The unit's result on a worker that was given the shipment `name`."""
    shipment: Shipment = distributed.get_worker().plugins[name]
    return attempt(shipment.unpacked(), index, unit)
