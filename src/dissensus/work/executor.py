"""The one seam for work that repeats: bootstraps, replicates, tuples of judges, noise sweeps, topics.

    >>> def square(unit, offset):
    ...     return unit * unit + offset
    >>> run_units(square, [1, 2, 3], shared={"offset": 10})
    [11, 14, 19]

With `seed=`, each unit is given a separate generator, so the results are the same to the last bit whatever runs them:

    >>> def draw(unit, rng):
    ...     return round(float(rng.random()), 6)
    >>> run_units(draw, range(3), seed=7) == run_units(draw, range(3), seed=7, executor=4, threads=True)
    True

`executor` is None (this process, or all cores where `threads=True`, unless the settings say otherwise), a number of
workers, "auto" (processes once they pay), any `concurrent.futures.Executor`, a Dask client, or the address of a cluster
(`"tcp://scheduler:8786"`, `"local:4"`).
Functions that spend their time in nogil kernels say `threads=True`; others run in processes, where the function must
be importable and `shared` is shipped once per worker.

Not for a handful of microsecond units: a unit should be worth a message to another process.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from dissensus import errors
from dissensus.errors import DataWarning, DissensusError, InputError, WorkError, WorkspaceError
from dissensus.work.cluster import cluster_pool
from dissensus.work.payload import encode
from dissensus.work.pools import Call, Failure, Pool, local_pool
from dissensus.work.progress import Progress
from dissensus.work.seeds import Seed
from dissensus.work.settings import refuse_after_fork, settings

if TYPE_CHECKING:
    from dissensus.work.units import Task
    from dissensus.work.workspace import Workspace

_HEARTBEAT = 0.25  # seconds between looks at the progress bar while nothing finishes


class Options(TypedDict, total=False):
    """How units are run; nothing is given unless it is said."""

    executor: Any
    threads: bool
    shared: Mapping[str, Any] | None
    seed: Seed | None
    progress: str | None
    workspace: Workspace | None
    task: str | None
    about: Mapping[str, Any] | None


def run_units(function: Callable[..., object], units: Iterable[object], **options: Unpack[Options]) -> list[Any]:
    """`[function(unit, **shared) for unit in units]`, in that order, wherever the units are run.

    `seed` adds `rng=`, a generator for unit i derived from (seed, i). `progress` is the label of the bar. With a
    `workspace`, finished units are recorded under `task` (default: the function's name) and not done again; `about` is
    what else makes them these units (a digest of shared data, say): a record about something else is refused.
    A unit that raises stops the work with a `WorkError` that names it and says how to reproduce it here.
    """
    return list(stream_units(function, units, ahead=None, **options))


def stream_units(
    function: Callable[..., object],
    units: Iterable[object],
    *,
    ahead: int | None = 4,
    **options: Unpack[Options],
) -> Iterator[Any]:
    """The same results one by one, for work whose units or results do not fit into memory together.

    `units` is read lazily: at most `ahead` units per worker are read but not yet handed back.
    """
    refuse_after_fork()
    total = len(units) if isinstance(units, Sized) else None
    call = Call(function, dict(options.get("shared") or {}), options.get("seed"))
    here = settings()
    here.used.append(str(getattr(function, "__qualname__", function)))
    record = _record(call, units, total, options, here.workspace)
    with ExitStack() as stack:
        chosen = options.get("executor")
        chosen = here.executor if chosen is None else chosen
        pool = stack.enter_context(open_pool(chosen, call, threads=options.get("threads", False)))
        bar = stack.enter_context(Progress(options.get("progress"), total))
        yield from _in_order(_Flow(pool, call, units, total, record, bar, ahead))


def open_pool(executor: object, call: Call, *, threads: bool) -> AbstractContextManager[Pool]:
    """Workers for `call`: of this machine, of the user's executor, or else of a cluster."""
    pool = local_pool(executor, call, threads=threads)
    if pool is not None:
        return pool

    return cluster_pool(executor, call)


class _Flow:
    """The state of one stream: what is running, what is ready, what comes next."""

    def __init__(
        self,
        pool: Pool,
        call: Call,
        units: Iterable[object],
        total: int | None,
        record: Task | None,
        bar: Progress,
        ahead: int | None,
    ) -> None:
        self.pool, self.call, self.total, self.record, self.bar, self.ahead = pool, call, total, record, bar, ahead
        self.coming = enumerate(units)
        self.exhausted = False
        self.running: dict[Future[Any], tuple[int, Any]] = {}
        self.ready: dict[int, Any] = {}
        self.recorded: set[int] = set()
        self.recording = True

    @property
    def window(self) -> int:
        """Enough to keep every worker busy while we look away, few enough that Ctrl-C has little to cancel."""
        return 1 if self.pool.workers == 1 else 4 * self.pool.workers

    @property
    def full(self) -> bool:
        """Are as many units read ahead as may be?"""
        held = len(self.running) + len(self.ready) + len(self.recorded)
        return self.ahead is not None and held >= self.ahead * self.pool.workers

    def fill(self) -> None:
        while not self.exhausted and len(self.running) < self.window and not self.full:
            try:
                index, unit = next(self.coming)
            except StopIteration:
                self.exhausted = True
                return
            if self.record is not None and index in self.record:
                self.recorded.add(index)
                self.bar.advance()
                continue
            try:
                self.running[self.pool.submit(index, unit)] = (index, unit)
            except Exception as error:
                raise self.lost(error, (index, unit)) from error

    def collect(self) -> None:
        done, _ = wait(self.running, timeout=_HEARTBEAT, return_when=FIRST_COMPLETED)
        failures: list[tuple[Exception, BaseException | None]] = []
        for future in sorted(done, key=lambda f: self.running[f][0]):
            index, unit = self.running.pop(future)
            try:
                result = future.result()
            except (Exception, CancelledError) as error:
                failures.append((self.lost(error, (index, unit)), error))
                continue
            if isinstance(result, Failure):
                failures.append((self.failed(index, unit, result), result.error))
                continue
            self.keep(index, result)
            self.ready[index] = result
            self.bar.advance()
        self.bar.tick()
        if not done and (why := self.pool.gone()):
            raise self.unanswered(*min(self.running.values(), key=lambda at: at[0]), why)
        if failures:  # raised only now: what finished beside them has been recorded
            raise failures[0][0] from failures[0][1]

    def keep(self, index: int, result: object) -> None:
        if self.record is None or not self.recording:
            return
        try:
            self.record.append(index, result)
        except WorkspaceError as error:
            self.recording = False
            warnings.warn(
                f"{error.what} This part of the work starts afresh when the command is repeated.",
                DataWarning,
                stacklevel=2,
            )

    def failed(self, index: int, unit: object, failure: Failure) -> DissensusError:
        family = getattr(errors, failure.kind, None)
        if isinstance(family, type) and issubclass(family, InputError):
            # an input broke a rule: the error keeps its family and learns where it happened
            return family(failure.what, *failure.fixes, self.where(index, unit), *self.kept())
        error = WorkError(
            f"{self.name(index)} failed: {failure.kind}: {failure.what}",
            *failure.fixes,
            self.where(index, unit),
            self.reproduce(index),
            *self.kept(),
        )
        if failure.trace:
            error.add_note(f"In the worker:\n{failure.trace}")
        return error

    def lost(self, error: BaseException, at: tuple[int, object]) -> WorkError:
        return self.unanswered(*at, self.pool.lost(error) or f"{type(error).__name__}: {error}")

    def unanswered(self, index: int, unit: object, how: str) -> WorkError:
        return WorkError(
            f"{self.name(index)} got no answer: {how}.", self.where(index, unit), self.reproduce(index), *self.kept()
        )

    def name(self, index: int) -> str:
        return f"unit {index}" + (f" of {self.total:,}" if self.total is not None else "")

    def where(self, index: int, unit: object) -> str:
        shown = repr(unit)
        return f"unit {index} is {shown if len(shown) <= 200 else shown[:197] + '…'}"

    def reproduce(self, index: int) -> str:
        function = f"{self.call.function.__module__}.{getattr(self.call.function, '__qualname__', self.call.function)}"
        rng = "" if self.call.seed is None else f", rng=dissensus.work.seeds.generator({self.call.seed!r}, {index})"
        return f"Reproduce it here: {function}(units[{index}]{rng}, **shared)"

    def kept(self) -> list[str]:
        if self.record is None:
            return []
        return [f"{len(self.record.done):,} finished units are kept in {self.record.folder}; start again to go on."]


def _in_order(flow: _Flow) -> Iterator[object]:
    index = 0
    while True:
        flow.fill()
        while index in flow.ready or index in flow.recorded:
            if index in flow.ready:
                yield flow.ready.pop(index)
            else:
                flow.recorded.discard(index)
                assert flow.record is not None
                yield flow.record.read(index)
            index += 1
            flow.fill()
        if flow.running:
            flow.collect()
        elif flow.exhausted:
            return


def _record(
    call: Call, units: Iterable[object], total: int | None, options: Options, here: Workspace | None
) -> Task | None:
    given = options.get("workspace")
    workspace = given or here
    if workspace is None:
        return None
    name = options.get("task") or str(getattr(call.function, "__qualname__", type(call.function).__name__))
    seed = None if call.seed is None else str(call.seed)
    about = {"units": total, "seed": seed, "digest": _digest(units, total), **(options.get("about") or {})}
    return workspace.task(name, about) if given is not None else workspace.next_task(name, about)


def _digest(units: Iterable[object], total: int | None) -> str | None:
    """A fingerprint of the units where they can be read twice and are plain values, so that other units are refused."""
    if total is None:
        return None

    digest = hashlib.blake2b(digest_size=16)
    try:
        for unit in units:
            digest.update(encode(unit))
    except WorkspaceError:
        return None
    return digest.hexdigest()
