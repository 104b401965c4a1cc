"""A Dask cluster as a place to work: the only file, with `dask_plugin`, that knows about clusters.

`"tcp://scheduler:8786"` joins a running one, `"local:4"` starts four processes here, a `distributed.Client` is used as
it is. What all units share is shipped to every worker once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from typing import Any

from dissensus.errors import InputError, MissingExtra, Option, Text, WorkError
from dissensus.work.pools import Call, Pool

PATIENCE = 20  # seconds to wait for a scheduler, for its first worker, and for another one when all are gone
FAREWELL = 5  # seconds to wait for a cluster's answer to our leaving
RETRIES = 3  # how often a unit is given to another worker after its worker died, and a disturbed call made again


@contextlib.contextmanager
def cluster_pool(executor: Any, call: Call) -> Iterator[Pool]:
    """Workers of a cluster for `call`."""
    with connect(executor) as client:
        address = client.scheduler.address
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
            workers = sum(client.nthreads().values())
            name = _ship(client, call)
        except TimeoutError:
            raise WorkError(f"the cluster at {address} has no workers.", f"Start some: dask worker {address}") from None
        except OSError as error:
            raise WorkError(f"the cluster at {address} was lost: {error}.", "Start it again.") from error
        except ImportError as error:
            raise WorkError(
                f"a worker of the cluster at {address} cannot take the work: {error}.",
                "Install dissensus on every worker, in the version used here.",
            ) from error
        link = Link(client, name)
        try:
            yield Pool(link.submit, workers, _lost, link.gone)
        finally:
            with contextlib.suppress(Exception):
                if client.status == "running":  # a lost scheduler is not waited for
                    client.sync(link.farewell, callback_timeout=FAREWELL)


class Link:
    """Units sent to the cluster, and their outcomes brought back as `concurrent.futures`.

    distributed's own bridge (`Client.get_executor`) looks at a future twice: a result that is lost with its worker in
    between comes back as an error, and an error while it is fetched never comes back at all.
    """

    def __init__(self, client: Any, shipment: str) -> None:
        self.client, self.shipment = client, shipment
        self.pending: dict[Future[Any], Any] = {}
        self.looked = self.alive = time.monotonic()  # when we last looked for workers, and last saw one

    def submit(self, index: int, unit: Any) -> Future[Any]:
        """Run a unit somewhere; given to another worker if its worker dies."""
        from dissensus.work.dask_plugin import attempt_there

        here: Future[Any] = Future()
        there = self.client.submit(attempt_there, self.shipment, index, unit, pure=False, retries=RETRIES)
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
        """Stop what is under way and take the shipment from the workers."""
        await self.client.cancel(list(self.pending.values()), asynchronous=True)
        await self.client.unregister_worker_plugin(self.shipment)

    async def _bring_back(self, here: Future[Any], there: Any) -> None:
        try:
            here.set_result(await self.client.gather(there, asynchronous=True))
        except asyncio.CancelledError:  # the loop is closing
            here.set_exception(CancelledError())
        except Exception as error:
            here.set_exception(error)
        finally:
            del self.pending[here]


def _ship(client: Any, call: Call) -> str:
    """Give `call` to every worker, now and later; the name it is found under.

    A worker that leaves at this very moment breaks the announcement to all, so it is made again.
    """
    from dissensus.work.dask_plugin import Shipment

    name, shipment = f"dissensus-{uuid.uuid4().hex}", Shipment(call)
    _again(lambda: client.register_plugin(shipment, name), OSError)
    return name


@contextlib.contextmanager
def connect(executor: Any) -> Iterator[Any]:
    """A client for an address, `local:N`, or a client that is there already (which stays open)."""
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
    kind, _, count = executor.partition(":")
    if kind == "local":
        if not count.isascii() or not count.isdigit() or int(count) < 1:
            raise InputError(f"{executor!r} is not a valid cluster: give the number of processes, as in local:4.")
        try:
            cluster = local_cluster(int(count))
        except (RuntimeError, OSError, TimeoutError) as error:  # a process was killed, or ended, while it started
            raise WorkError(
                f"the processes of {executor} could not be started: {str(error).rstrip('.')}.",
                "Is there memory for all of them? Start again, with fewer.",
            ) from error
        with cluster, distributed.Client(cluster) as client:
            yield client
        return
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


def local_cluster(workers: int, **settings: Any) -> Any:
    """A cluster of processes on this machine.

    distributed's own trips over a worker that it has already forgotten (one that was killed, say) and then never
    closes; here such a farewell is ignored.
    """
    import distributed

    class Local(distributed.LocalCluster):  # type: ignore[misc]
        def _update_worker_status(self, op: str, msg: Any) -> None:
            if op != "remove" or msg in self.scheduler_info["workers"]:
                super()._update_worker_status(op, msg)

    return Local(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0", **settings)


def _join(address: str) -> Any:
    """A client of the scheduler at `address`.

    distributed asserts that the scheduler's greeting comes alone; a worker that registers at that very moment makes it
    two messages, and the handshake fails although nothing is wrong: so it is tried again.
    """
    import distributed

    return _again(lambda: distributed.Client(address, timeout=PATIENCE), AssertionError)


def _again(action: Callable[[], Any], after: type[Exception]) -> Any:
    """What `action` gives; tried a few times more after such an error."""
    for _ in range(RETRIES):
        with contextlib.suppress(after):
            return action()
    return action()


def _lost(error: BaseException) -> str | None:
    import distributed

    if isinstance(error, distributed.scheduler.KilledWorker):
        return f"its worker died {RETRIES + 1} times (killed, or out of memory)"
    if isinstance(error, CancelledError | distributed.client.FutureCancelledError):
        return "the scheduler was lost or cancelled the work"
    if isinstance(error, OSError):
        return f"the scheduler was lost ({error})"
    return None
