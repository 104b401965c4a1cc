"""A Dask cluster of processes on this machine, for tests that kill its workers."""

from __future__ import annotations

from typing import Any

import pytest

distributed = pytest.importorskip("distributed")


class Forgiving(distributed.LocalCluster):  # type: ignore[misc]
    """distributed's own trips over a worker that it has already forgotten (one that was killed) and never closes."""

    def _update_worker_status(self, op: str, msg: Any) -> None:
        if op != "remove" or msg in self.scheduler_info["workers"]:
            super()._update_worker_status(op, msg)


def local_cluster(workers: int) -> Any:
    return Forgiving(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    )  # fmt: skip
