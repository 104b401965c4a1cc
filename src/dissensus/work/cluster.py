"""A Dask cluster as a place to work: the only file that knows about clusters.

`"tcp://scheduler:8786"` joins a running one, and a `distributed.Client` is used as it is. What all units share is a
task of its own, whose result they wait for. Dask copies it to each worker that needs it, makes it again where its
worker died, and forgets it with everything else of a client that is gone. Scattered data cannot be made again: when the
last worker that holds them leaves, the work is cancelled.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from typing import Any

from dissensus.errors import InputError, MissingExtra, Option, Text, WorkError
from dissensus.work.pools import Call, Pool, attempt

PATIENCE = 20  # seconds to wait for a scheduler, for its first worker, and for another one when all are gone
FAREWELL = 5  # seconds to wait for a cluster's answer to our leaving
RETRIES = 3  # how often a unit is given to another worker after its worker died, and a disturbed greeting repeated


@contextlib.contextmanager
def cluster_pool(executor: object, call: Call) -> Iterator[Pool]:
    """Workers of a cluster for `call`."""
    with connect(executor) as client:
        address = client.scheduler.address
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
            workers = sum(client.nthreads().values())
            shared = _shared(client, call)
        except TimeoutError:
            raise WorkError(f"the cluster at {address} has no workers.", f"Start some: dask worker {address}") from None
        except OSError as error:
            raise WorkError(f"the cluster at {address} was lost: {error}.", "Start it again.") from error
        link = Link(client, shared)
        try:
            yield Pool(link.submit, workers, _lost, link.gone)
        finally:
            with contextlib.suppress(Exception):
                if client.status == "running":  # a lost scheduler is not waited for
                    client.sync(link.farewell, callback_timeout=FAREWELL)


def _shared(client: Any, call: Call) -> Any:
    """The call as a task: packed once, unpacked once, kept by the scheduler as long as this client wants its result."""
    import dask
    from distributed.protocol import pickle

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):  # it is one task, on purpose
        return client.submit(pickle.loads, pickle.dumps(call), pure=False, retries=RETRIES)


class Link:
    """Units sent to the cluster, and their outcomes brought back as `concurrent.futures`.

    distributed's own bridge (`Client.get_executor`) looks at a future twice: a result that is lost with its worker in
    between comes back as an error, and an error while it is fetched never comes back at all.
    """

    def __init__(self, client: Any, shared: object) -> None:
        self.client, self.shared = client, shared
        self.pending: dict[Future[Any], Any] = {}
        self.looked = self.alive = time.monotonic()  # when we last looked for workers, and last saw one

    def submit(self, index: int, unit: Any) -> Future[Any]:
        """Run a unit somewhere; given to another worker if its worker dies."""
        here: Future[Any] = Future()
        there = self.client.submit(attempt, self.shared, index, unit, pure=False, retries=RETRIES)
        self.pending[here] = there
        self.client.loop.add_callback(self._bring_back, here, there)
        return here

    def gone(self) -> str | None:
        """How all who could answer were lost, or None; workers that are being started again are waited for."""
        if self.client.status != "running":
            return "the scheduler was lost"
        now = time.monotonic()
        if now - self.looked < 1:
            return None
        self.looked = now
        try:
            if self.client.nthreads():
                self.alive = now
        except OSError:
            return "the scheduler was lost"
        if now - self.alive < PATIENCE:
            return None
        return f"all workers of the cluster are gone, and none came back in {PATIENCE} seconds"

    async def farewell(self) -> None:
        """Stop what is under way and take what is shared from the workers."""
        await self.client.cancel([*self.pending.values(), self.shared], asynchronous=True)

    async def _bring_back(self, here: Future[Any], there: Any) -> None:
        import asyncio

        try:
            here.set_result(await self.client.gather(there, asynchronous=True))
        except asyncio.CancelledError:  # the loop is closing
            here.set_exception(CancelledError())
        except Exception as error:
            here.set_exception(error)
        finally:
            del self.pending[here]


@contextlib.contextmanager
def connect(executor: object) -> Iterator[Any]:
    """A client for an address, or a client that is there already (which stays open)."""
    try:
        import distributed
        from distributed.utils import silence_logging_cmgr
    except ImportError:
        raise MissingExtra("work on a cluster", "cluster") from None
    if isinstance(executor, distributed.Client):
        yield executor
        return
    if not isinstance(executor, str):
        raise InputError(
            Text(Option("executor", executor), " cannot run work."),
            "Give a number of workers, a concurrent.futures.Executor, a Dask client, or a cluster's address.",
        )
    with silence_logging_cmgr(logging.CRITICAL):  # a lost scheduler is told once, in our words
        try:
            client = _join(executor)
        except (OSError, ValueError, TimeoutError) as error:
            raise WorkError(
                f"no cluster answers at {executor}: {error}",
                "Give the address its scheduler printed (tcp://host:8786), or local:4 for four processes here.",
            ) from error
        with client:
            yield client


def _join(address: str) -> Any:
    """A client of the scheduler at `address`.

    distributed asserts that the scheduler's greeting comes alone. A worker that registers at that very moment makes it
    two messages, and the handshake fails although nothing is wrong. So it is tried again.
    """
    import distributed

    for _ in range(RETRIES):
        with contextlib.suppress(AssertionError):
            return distributed.Client(address, timeout=PATIENCE)
    return distributed.Client(address, timeout=PATIENCE)


def _lost(error: BaseException) -> str | None:
    import distributed

    absent: BaseException | None = error
    while absent is not None and not isinstance(absent, ImportError):
        absent = absent.__cause__
    if absent is not None:
        return (
            f"the cluster cannot take the work ({absent}). Install dissensus on every worker, in the version used here"
        )
    if isinstance(error, distributed.scheduler.KilledWorker):
        return f"its worker died {RETRIES + 1} times (killed, or out of memory)"
    if isinstance(error, CancelledError | distributed.client.FutureCancelledError):
        return "the scheduler was lost or cancelled the work"
    if isinstance(error, OSError):
        return f"the scheduler was lost ({error})"
    return None
