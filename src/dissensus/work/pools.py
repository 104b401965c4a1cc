"""Where units of work run: in this process, in threads, in processes, in an executor of the user's, on a cluster.

Whatever it is, it is used through one shape: `submit(number, unit)` gives a `concurrent.futures.Future`. What all units
share (a collection, a confusion matrix) is shipped once per worker, not once per unit.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from dissensus.errors import InputError
from dissensus.work.cores import cores
from dissensus.work.seeds import Seed, generator

AUTO = "auto"  # here, and on all cores once that pays
STARTING = 2.0  # seconds after which starting processes is worth it


@dataclass(frozen=True)
class Call:
    """What is done to every unit: `function(unit, **shared)`, with `rng=` where there is a seed."""

    function: Callable[..., Any]
    shared: Mapping[str, Any] = field(default_factory=dict)
    seed: Seed | None = None

    def __call__(self, index: int, unit: Any) -> Any:
        if self.seed is None:
            return self.function(unit, **self.shared)
        return self.function(unit, rng=generator(self.seed, index), **self.shared)


@dataclass(frozen=True)
class Failure:
    """An error inside a unit, in words: exceptions themselves do not always survive the way back from a worker."""

    kind: str
    what: str
    ways_out: tuple[str, ...]
    trace: str
    error: Exception | None = None  # where it happened in this process


@dataclass
class Pool:
    """Workers ready for work.

    `lost` tells whether a future's error means that workers died, and says how; `gone`, whether all of them are away
    for good, so that no future will ever be done.
    """

    submit: Callable[[int, Any], Future[Any]]
    workers: int
    lost: Callable[[BaseException], str | None] = lambda error: None
    gone: Callable[[], str | None] = lambda: None


def attempt(call: Call, index: int, unit: Any) -> Any:
    """The unit's result, or a `Failure`."""
    try:
        return call(index, unit)
    except Exception as error:
        return Failure(
            type(error).__name__,
            str(getattr(error, "what", error)),
            tuple(map(str, getattr(error, "ways_out", ()))),
            traceback.format_exc(),
        )


@contextlib.contextmanager
def open_pool(executor: Any, call: Call, *, threads: bool) -> Iterator[Pool]:
    """Workers for `call`, closed (and stopped, after an error or Ctrl-C) when the block ends."""
    opened: contextlib.AbstractContextManager[Pool]
    if executor is None or (executor == AUTO and threads):
        executor = cores() if threads else 1
    if isinstance(executor, bool) or (isinstance(executor, int) and executor < 1):
        raise InputError(f"executor={executor!r}: the number of workers is a whole number from 1 on.")
    if isinstance(executor, int):
        opened = _inline(call) if executor == 1 else _threads(call, executor) if threads else _processes(call, executor)
    elif executor == AUTO:
        opened = _when_it_pays(call)
    elif isinstance(executor, ThreadPoolExecutor):
        opened = contextlib.nullcontext(Pool(lambda i, u: executor.submit(attempt, call, i, u), _width(executor)))
    elif isinstance(executor, Executor):
        # not ours to initialise: shared values travel with every unit
        opened = contextlib.nullcontext(
            Pool(lambda i, u: executor.submit(attempt, call, i, u), _width(executor), _process_lost)
        )
    else:
        from dissensus.work.cluster import cluster_pool

        opened = cluster_pool(executor, call)
    with opened as pool:
        yield pool


def _width(executor: Executor) -> int:
    return int(getattr(executor, "_max_workers", cores()))


@contextlib.contextmanager
def _inline(call: Call) -> Iterator[Pool]:
    def submit(index: int, unit: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(call(index, unit))
        except Exception as error:
            what, ways_out = str(getattr(error, "what", error)), tuple(map(str, getattr(error, "ways_out", ())))
            future.set_result(Failure(type(error).__name__, what, ways_out, "", error))
        return future

    yield Pool(submit, 1)


@contextlib.contextmanager
def _threads(call: Call, workers: int) -> Iterator[Pool]:
    executor = ThreadPoolExecutor(workers, thread_name_prefix="dissensus")
    try:
        yield Pool(lambda i, u: executor.submit(attempt, call, i, u), workers)
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


# ── local processes ──────────────────────────────────────────────────────────────────────────────────────────────────
_call: Call | None = None  # set once in each worker process, never in the user's


def _receive(call: Call) -> None:
    global _call
    _call = call
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is answered by the process that started us
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    """Leave when the process that started us is gone, however it went: workers must not outlive a killed job."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _attempt_here(index: int, unit: Any) -> Any:
    assert _call is not None
    return attempt(_call, index, unit)


@contextlib.contextmanager
def _processes(call: Call, workers: int) -> Iterator[Pool]:
    import multiprocessing

    # spawn: a fork of a process with threads (Polars, numba) may hang
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_receive, initargs=(call,))
    try:
        yield Pool(lambda i, u: executor.submit(_attempt_here, i, u), workers, _process_lost)
    except BaseException:
        _stop(executor)  # units of an hour are not waited for after Ctrl-C
        raise
    else:
        executor.shutdown(wait=True, cancel_futures=True)


@contextlib.contextmanager
def _when_it_pays(call: Call) -> Iterator[Pool]:
    """This process at first; processes on all cores once the work has gone on for longer than they take to start.

    The results are the same, since a unit does not know where it runs. Work that cannot be sent stays here.
    """
    import pickle

    with contextlib.ExitStack() as stack:
        pool = stack.enter_context(_inline(call))
        inline, start = pool.submit, time.monotonic()

        def submit(index: int, unit: Any) -> Future[Any]:
            if pool.submit is submit and time.monotonic() - start > STARTING:
                pool.submit = inline
                if cores() > 1:
                    with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError):
                        pickle.dumps(call)
                        wider = stack.enter_context(_processes(call, cores()))
                        pool.submit, pool.workers, pool.lost = wider.submit, wider.workers, wider.lost
                return pool.submit(index, unit)
            return inline(index, unit)

        pool.submit = submit
        yield pool


def _stop(executor: ProcessPoolExecutor) -> None:
    processes = list((getattr(executor, "_processes", None) or {}).values())
    executor.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()


def _process_lost(error: BaseException) -> str | None:
    from concurrent.futures.process import BrokenProcessPool

    if isinstance(error, BrokenProcessPool):
        return (
            "a worker process died: it was killed, ran out of memory, or could not start "
            "(a script that starts workers needs `if __name__ == '__main__':` around its calls)"
        )
    return None
