"""The same results wherever the units run, and errors that say which unit it was."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from refusals import refused, states
from units_of_work import Shipped, breaks_a_rule, dies, draw, fails_at_three, process_and_shipments
from wording import phrase

from dissensus.errors import InputError, MeasureError, WorkError
from dissensus.work.executor import run_units, stream_units
from dissensus.work.pools import Pool
from dissensus.work.seeds import generator


@pytest.mark.parametrize(
    "how",
    [
        {"executor": 1},
        {"executor": 2},
        {"executor": 3, "threads": True},
        {"threads": True},
        {"executor": 1, "threads": True},
    ],
)
def test_same_numbers_to_the_last_bit_and_in_unit_order(how: dict[str, object]) -> None:
    base = np.linspace(0, 1, 7)
    results = run_units(draw, range(20), shared={"base": base}, seed=11, **how)  # type: ignore[arg-type]
    children = np.random.SeedSequence(11).spawn(20)
    for unit, result in enumerate(results):
        np.testing.assert_array_equal(result, base * unit + np.random.default_rng(children[unit]).normal(size=7))


def test_executors_of_the_users() -> None:
    base = np.ones(3)
    expected = run_units(draw, range(5), shared={"base": base}, seed=0)
    with ThreadPoolExecutor(2) as pool:
        np.testing.assert_array_equal(run_units(draw, range(5), shared={"base": base}, seed=0, executor=pool), expected)
        assert pool.submit(int, "1").result() == 1  # left open
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as processes:
        np.testing.assert_array_equal(
            run_units(draw, range(5), shared={"base": base}, seed=0, executor=processes), expected
        )


def test_shared_values_are_shipped_once_per_worker() -> None:
    seen = run_units(process_and_shipments, range(24), executor=2, shared={"big": Shipped()})
    assert len({pid for pid, _ in seen}) in (1, 2)  # under load one of the two may do it all
    assert {token for _, token in seen} == {1}
    assert os.getpid() not in {pid for pid, _ in seen}


@pytest.mark.parametrize("how", [{"executor": 1}, {"executor": 2}, {"executor": 2, "threads": True}])
def test_a_unit_that_raises_is_named_with_its_seed(how: dict[str, object]) -> None:
    with pytest.raises(WorkError) as caught:
        run_units(fails_at_three, range(6), seed=9, **how)  # type: ignore[arg-type]
    message = str(caught.value)
    assert states(message.split("\n")[0], 3, 6, "ZeroDivisionError: three is too many")
    assert phrase("work-executor.unit-is", 3, 3) in message
    assert "units_of_work.fails_at_three(units[3], rng=dissensus.work.seeds.generator(9, 3), **shared)" in message
    with pytest.raises(ZeroDivisionError):
        fails_at_three(3, rng=generator(9, 3))


def test_the_traceback_of_a_worker_comes_along() -> None:
    with pytest.raises(WorkError) as caught:
        run_units(fails_at_three, range(6), seed=9, executor=2)
    assert 'raise ZeroDivisionError("three is too many")' in caught.value.__notes__[0]


@pytest.mark.parametrize("how", [{"executor": 1}, {"executor": 2}])
def test_a_broken_rule_keeps_its_family(how: dict[str, object]) -> None:
    with refused(MeasureError, "ERR", "scale=", 0, "first"):
        run_units(breaks_a_rule, ["first"], **how)  # type: ignore[arg-type]


def test_a_worker_that_dies_is_an_error_not_a_hang() -> None:
    with refused(WorkError, "__name__", "__main__"):
        run_units(dies, range(6), executor=2)


def test_units_are_read_lazily_when_streamed() -> None:
    read: list[int] = []

    def units() -> Iterator[int]:
        for i in range(1000):
            read.append(i)
            yield i

    stream = stream_units(lambda unit: unit, units(), executor=2, threads=True, ahead=3)
    assert [next(stream) for _ in range(10)] == list(range(10))
    assert len(read) <= 10 + 6 + 1
    stream.close()
    assert not [t for t in threading.enumerate() if t.name.startswith("dissensus")]


def test_no_units_no_results() -> None:
    assert run_units(draw, [], executor=2) == []


@pytest.mark.parametrize("executor", [0, -1, True, 2.5])
def test_what_is_no_executor(executor: object) -> None:
    with refused(InputError, f"executor={executor}"):
        run_units(dies, [0], executor=executor)


JOB = """
import os, sys, time
from dissensus.work.executor import run_units

def linger(unit, folder):
    open(os.path.join(folder, str(os.getpid())), "w").close()
    time.sleep(120)

if __name__ == "__main__":
    run_units(linger, [1, 2], shared={"folder": sys.argv[1]}, executor=2)
"""


def test_workers_do_not_outlive_a_killed_job(tmp_path):
    script, folder = tmp_path / "job.py", tmp_path / "pids"
    script.write_text(JOB)
    folder.mkdir()
    with subprocess.Popen([sys.executable, str(script), str(folder)], stderr=subprocess.DEVNULL) as job:
        deadline = time.monotonic() + 120
        while len(list(folder.iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        workers = [int(f.name) for f in folder.iterdir()]
        assert len(workers) == 2
        job.kill()
        job.wait()
    deadline = time.monotonic() + 60
    while any(map(_runs, workers)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(_runs, workers))


def _runs(pid: int) -> bool:
    """Is there such a process, other than as a record that nobody has collected?"""
    try:
        os.kill(pid, 0)
        status = Path(f"/proc/{pid}/status")
        return not status.exists() or "State:\tZ" not in status.read_text()
    except OSError:
        return False


def test_workers_that_are_all_gone_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A future that nobody will ever finish: the pool knows, and the work ends with a word."""

    @contextlib.contextmanager
    def silent(*_: object, **__: object) -> Iterator[Pool]:
        yield Pool(lambda index, unit: Future(), 2, gone=lambda: "the scheduler was lost")

    monkeypatch.setattr("dissensus.work.executor.open_pool", silent)
    with refused(WorkError, 0, 3):
        run_units(draw, range(3), seed=1)
