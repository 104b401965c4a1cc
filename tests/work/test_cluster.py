"""A real Dask cluster of several processes: the same numbers, and a clear word when something is lost."""

from __future__ import annotations

import builtins
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dask_clusters import local_cluster
from refusals import refused, states
from units_of_work import (
    Shipped,
    draw,
    fails_at_three,
    held,
    kills_its_worker_once,
    process_and_shipments,
    recorded,
    slow_square,
)
from wording import phrase

from dissensus.errors import InputError, MissingExtra, WorkError
from dissensus.work import cluster as module
from dissensus.work.executor import run_units
from dissensus.work.seeds import generator
from dissensus.work.workspace import Workspace

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with local_cluster(2) as made:
        yield made


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    with distributed.Client(cluster, set_as_default=False) as made:
        yield made


def test_equal_results_for_one_two_four_workers_and_locally(cluster: Any, client: Any) -> None:
    base = np.linspace(0, 1, 5)
    local = run_units(draw, range(12), shared={"base": base}, seed=3)
    for workers in (2, 1, 4):
        cluster.scale(workers)
        client.wait_for_workers(workers, timeout=60)
        remote = run_units(draw, range(12), shared={"base": base}, seed=3, executor=client)
        np.testing.assert_array_equal(remote, local)
    np.testing.assert_array_equal(
        run_units(draw, range(12), shared={"base": base}, seed=3, executor=cluster.scheduler_address), local
    )
    assert client.nthreads()  # a client that was given stays open


def test_shared_values_are_shipped_once_per_worker(client: Any) -> None:
    before = client.run(lambda: Shipped.unpacked)
    seen = run_units(process_and_shipments, range(16), executor=client, shared={"big": Shipped()})
    after = client.run(lambda: Shipped.unpacked)
    assert os.getpid() not in {pid for pid, _ in seen}
    assert len({pid for pid, _ in seen}) >= 2
    for worker, count in after.items():
        assert count - before.get(worker, 0) <= 1


def test_a_task_that_raises_is_named_and_reproduces_here(client: Any) -> None:
    with pytest.raises(WorkError) as caught:
        run_units(fails_at_three, range(6), seed=9, executor=client)
    message = str(caught.value)
    assert states(message.split("\n")[0], 3, 6, "ZeroDivisionError: three is too many")
    assert "units_of_work.fails_at_three(units[3], rng=dissensus.work.seeds.generator(9, 3), **shared)" in message
    with pytest.raises(ZeroDivisionError, match="three is too many"):
        fails_at_three(3, rng=generator(9, 3))


def test_a_worker_killed_in_the_middle_does_not_matter(client: Any, tmp_path: Path) -> None:
    marker = str(tmp_path / "killed")
    remote = run_units(kills_its_worker_once, range(16), shared={"marker": marker}, seed=4, executor=client)
    assert os.path.exists(marker)
    assert remote == run_units(kills_its_worker_once, range(16), shared={"marker": marker}, seed=4)


def test_what_is_shared_reaches_workers_that_come_after_the_last_has_died(cluster: Any, tmp_path: Path) -> None:
    cluster.scale(1)
    deadline = time.monotonic() + 60
    while len(cluster.scheduler_info["workers"]) > 1 and time.monotonic() < deadline:
        time.sleep(0.05)
    marker = str(tmp_path / "killed")
    with distributed.Client(cluster, set_as_default=False) as client:
        assert len(client.nthreads()) == 1
        remote = run_units(kills_its_worker_once, range(8), shared={"marker": marker}, seed=4, executor=client)
        assert os.path.exists(marker)
        assert remote == run_units(kills_its_worker_once, range(8), shared={"marker": marker}, seed=4)
        cluster.scale(2)
        client.wait_for_workers(2, timeout=60)
        assert nothing_left(cluster, client)


def test_a_client_that_dies_leaves_nothing(cluster: Any, client: Any) -> None:
    """0.2.0 kept what its units shared on scheduler and workers for ever."""
    script = (
        "import numpy, sys; from units_of_work import sleeps; from dissensus.work.executor import run_units\n"
        "run_units(sleeps, range(50), shared={'base': numpy.ones(1_000_000)}, executor=sys.argv[1])"
    )
    here = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
    other = subprocess.Popen([sys.executable, "-c", script, cluster.scheduler_address], env=here)
    try:
        assert until(lambda: sum(client.run(held).values()) >= 8_000_000), "the shared array reached a worker"
    finally:
        other.kill()
        other.wait()
    assert until(lambda: nothing_left(cluster, client))


def nothing_left(cluster: Any, client: Any) -> bool:
    kept = client.run(lambda dask_worker: len(dask_worker.data) + len(dask_worker.state.tasks))
    return until(lambda: not cluster.scheduler.tasks) and not sum(kept.values())


def until(true: Callable[[], bool], seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


@pytest.mark.parametrize("raised", [ModuleNotFoundError("No module named 'dissensus'"), RuntimeError("no graph")])
def test_workers_without_dissensus_are_told(client: Any, monkeypatch: pytest.MonkeyPatch, raised: Exception) -> None:
    async def refuse(there: Any, asynchronous: bool) -> None:
        raise raised from (None if isinstance(raised, ImportError) else ImportError("No module named 'dissensus'"))

    monkeypatch.setattr(client, "gather", refuse)
    with refused(WorkError, "'dissensus'") as caught:
        run_units(draw, range(2), shared={"base": np.ones(2)}, seed=1, executor=client)
    assert phrase("cluster.install-dissensus-every-worker") in str(caught.value)


def test_an_error_while_a_result_is_fetched_comes_back(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(there: Any, asynchronous: bool) -> None:
        raise OSError("connection reset")

    monkeypatch.setattr(client, "gather", broken)
    with refused(WorkError, 0, 2, "connection reset"):
        run_units(draw, range(2), shared={"base": np.ones(2)}, seed=1, executor=client)


def test_data_in_pieces_are_read_by_the_workers(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import polars as pl

    import dissensus as ds
    from dissensus.io import partition
    from dissensus.work.settings import Settings, working_with

    rng = np.random.default_rng(0)
    rows = {"topic": np.repeat(np.arange(30), 20), "doc": np.tile(np.arange(20), 30)}
    pl.DataFrame({**rows, "score": rng.random(600)}).write_parquet(tmp_path / "bm25.parquet")
    pl.DataFrame({**rows, "grade": rng.integers(0, 3, 600)}).write_parquet(tmp_path / "ann.parquet")
    files = (tmp_path / "bm25.parquet", tmp_path / "ann.parquet", ["AP", "nDCG@10"])
    here = ds.evaluate(*files)
    monkeypatch.setattr(partition, "LARGE", 0)
    monkeypatch.setattr(partition, "PIECE", 200)
    with working_with(Settings(client)) as work:
        there = ds.evaluate(*files)
    assert work.used == ["score_piece"]
    assert there.equals(here)
    assert there.attrs == here.attrs


def test_a_lost_scheduler_is_a_clear_error_and_finished_units_are_kept(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    here = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
    start = [sys.executable, "-m"]
    scheduler = subprocess.Popen(
        [*start, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"],
        env=here,
        **quiet,
    )
    worker = subprocess.Popen(
        [*start, "distributed.cli.dask_worker", address, "--nthreads", "2", "--no-dashboard", "--no-nanny"],
        env=here,
        cwd=tmp_path,
        **quiet,
    )
    log = tmp_path / "ws" / "workspace.sqlite-wal"

    def kill_after_some_units() -> None:
        while not log.exists() or log.stat().st_size < 100_000:  # some units: each takes a page or two of 4 kB
            time.sleep(0.02)
        os.kill(scheduler.pid, signal.SIGKILL)

    try:
        threading.Thread(target=kill_after_some_units, daemon=True).start()
        with (
            Workspace(tmp_path / "ws") as workspace,
            refused(WorkError, 200) as caught,
        ):
            run_units(slow_square, range(200), seed=1, executor=address, workspace=workspace, task="squares")
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    assert phrase("cluster.finished-units-kept") in str(caught.value)
    assert recorded(tmp_path / "ws")["squares"] >= 3
    with Workspace(tmp_path / "ws") as workspace:
        resumed = run_units(
            slow_square, range(200), seed=1, workspace=workspace, task="squares", executor=8, threads=True
        )
    assert resumed == [u * u + float(generator(1, u).random()) for u in range(200)]


def test_processes_by_the_name_of_a_cluster() -> None:
    assert run_units(slow_square, range(3), seed=0, executor="local:1") == run_units(slow_square, range(3), seed=0)


def test_waiting_ends_when_all_workers_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 2)
    with local_cluster(1) as cluster, distributed.Client(cluster) as client:
        threading.Timer(1.5, cluster.scale, [0]).start()
        with refused(WorkError, 2, 2000):
            run_units(slow_square, range(2000), seed=1, executor=client)


def test_no_scheduler_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.5)
    with refused(WorkError, "127.0.0.1", 9):
        run_units(slow_square, range(3), seed=0, executor="tcp://127.0.0.1:9")


@pytest.mark.parametrize("address", ["local:", "local:zero", "local:0"])
def test_what_is_no_number_of_processes(address: str) -> None:
    with refused(InputError, "local:4"):
        run_units(slow_square, range(3), seed=0, executor=address)


def test_the_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("distributed"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with refused(MissingExtra, "'.[cluster]'"):
        run_units(slow_square, range(3), seed=0, executor="tcp://127.0.0.1:9")
