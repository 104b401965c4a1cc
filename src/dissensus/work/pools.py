"""Where units of work run: in this process, in threads, in processes, in an executor of the user's.

`local:4` are four processes here. Whatever it is (a cluster, too: `work.cluster`), it is used through one shape:
`submit(number, unit)` gives a `concurrent.futures.Future`. What all units share (a collection, a confusion matrix) is
shipped once per worker, not once per unit.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dissensus.errors import DissensusError, InputError, Option, Text
from dissensus.work.seeds import Seed, generator
from dissensus.work.settings import AUTO, cores

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

WIDTH = 16  # workers assumed in an executor of the user's, which cannot be asked for their number
STARTING = 2.0  # seconds after which starting processes is worth it


@dataclass(frozen=True)
class Call:
    """What is done to every unit: `function(unit, **shared)`, with `rng=` where there is a seed."""

    function: Callable[..., Any]
    shared: Mapping[str, Any] = field(default_factory=dict)
    seed: Seed | None = None

    def __call__(self, index: int, unit: object) -> Any:
        if self.seed is None:
            return self.function(unit, **self.shared)
        return self.function(unit, rng=generator(self.seed, index), **self.shared)


@dataclass(frozen=True)
class Failure:
    """An error inside a unit, in words: exceptions themselves do not always survive the way back from a worker."""

    kind: str
    what: str
    fixes: tuple[str, ...]
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


def attempt(call: Call, index: int, unit: object) -> Any:
    """The unit's result, or a `Failure`."""
    try:
        return call(index, unit)
    except Exception as error:
        return Failure(
            type(error).__name__,
            *_words(error),
            traceback.format_exc(),
        )


def _words(error: Exception) -> tuple[str, tuple[str, ...]]:
    """What went wrong and the fixes; options in them stay values."""
    return (error.what, error.fixes) if isinstance(error, DissensusError) else (str(error), ())


def local_pool(executor: object, call: Call, *, threads: bool) -> contextlib.AbstractContextManager[Pool] | None:
    """Workers of this machine or of the user's executor for `call`; None where `executor` is neither.

    They are closed (and stopped, after an error or Ctrl-C) when the block ends.
    """
    if isinstance(executor, str) and executor.startswith("local:"):
        return _processes(call, local_processes(executor))
    if executor is None or (executor == AUTO and threads):
        executor = cores() if threads else 1
    if isinstance(executor, bool) or (isinstance(executor, int) and executor < 1):
        raise InputError(Text(Option("executor", executor), ": the number of workers must be at least 1."))
    if isinstance(executor, int):
        if executor == 1:
            return _inline(call)
        return _threads(call, executor) if threads else _processes(call, executor)
    if executor == AUTO:
        return _when_it_pays(call)
    if not isinstance(executor, Executor):
        return None
    # not ours to initialise: shared values travel with every unit
    return contextlib.nullcontext(Pool(lambda i, u: executor.submit(attempt, call, i, u), WIDTH, _process_lost))


def local_processes(executor: str) -> int:
    """How many processes of this machine `local:4` names."""
    count = executor.removeprefix("local:")
    if not count.isascii() or not count.isdigit() or int(count) < 1:
        raise InputError(f"{executor!r} is not a valid cluster: give the number of processes, as in local:4.")
    return int(count)


@contextlib.contextmanager
def _inline(call: Call) -> Iterator[Pool]:
    def submit(index: int, unit: object) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(call(index, unit))
        except Exception as error:
            future.set_result(Failure(type(error).__name__, *_words(error), "", error))
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


def _receive(call: Call, lifeline: Connection) -> None:
    global _call
    _call = call
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is answered by the process that started us
    threading.Thread(target=_follow, args=(lifeline,), daemon=True).start()


def _follow(lifeline: Connection) -> None:
    """Leave when the other end of the pipe is closed: work was stopped, or the process that started us is gone."""
    with contextlib.suppress(EOFError, OSError):
        lifeline.recv_bytes()
    os._exit(1)


def _attempt_here(index: int, unit: object) -> object:
    assert _call is not None
    return attempt(_call, index, unit)


@contextlib.contextmanager
def _processes(call: Call, workers: int) -> Iterator[Pool]:
    # spawn: a fork of a process with threads (Polars, numba) may hang
    context = multiprocessing.get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_receive, initargs=(call, theirs))

    def submit(index: int, unit: object) -> Future[Any]:
        with _deaf_to_ctrl_c():  # workers start here, and would answer Ctrl-C with a traceback while they start
            return executor.submit(_attempt_here, index, unit)

    try:
        yield Pool(submit, workers, _process_lost)
    except BaseException:
        ours.close()  # units of an hour are not waited for after Ctrl-C
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
        ours.close()
        theirs.close()


@contextlib.contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Ctrl-C is kept back in this thread for a moment, and for good in processes started meanwhile."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _when_it_pays(call: Call) -> Iterator[Pool]:
    """This process at first; processes on all cores once the work has gone on for longer than they take to start.

    The results are the same, since a unit does not know where it runs. Work that cannot be sent stays here.
    """
    with contextlib.ExitStack() as stack:
        pool = stack.enter_context(_inline(call))
        inline, start = pool.submit, time.monotonic()

        def submit(index: int, unit: object) -> Future[Any]:
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


def _process_lost(error: BaseException) -> str | None:
    if isinstance(error, BrokenProcessPool):
        return (
            "a worker process died: it was killed, ran out of memory, or could not start "
            "(a script that starts workers needs `if __name__ == '__main__':` around its calls)"
        )
    return None
