"""Where units run: executors of the user's, workers that end with their owner."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from refusals import refused
from units_of_work import where_it_runs

from dissensus.errors import InputError, WorkError
from dissensus.work.executor import run_units
from dissensus.work.pools import Call, _deaf_to_ctrl_c, attempt, local_pool


def test_executors_of_the_user_are_used_and_left_open() -> None:
    with ThreadPoolExecutor(3) as threads:
        assert run_units(where_it_runs, range(5), executor=threads) == [os.getpid()] * 5
        assert threads.submit(len, "abc").result() == 3


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_broken_pool_of_the_user_is_told() -> None:
    with ProcessPoolExecutor(1) as processes, refused(WorkError, "__name__", "__main__"):
        run_units(os._exit, [9], executor=processes)


@pytest.mark.parametrize("executor", [0, -1, True])
def test_numbers_of_workers(executor: object) -> None:
    with refused(InputError, 1):
        local_pool(executor, Call(where_it_runs), threads=False)


def test_an_error_comes_back_in_words() -> None:
    failure = attempt(Call(lambda unit: 1 / unit), 0, 0)
    assert (failure.kind, failure.what) == ("ZeroDivisionError", "division by zero")
    assert "ZeroDivisionError" in failure.trace


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="this system has no signal masks")
def test_ctrl_c_is_kept_back_and_let_through_again() -> None:
    with _deaf_to_ctrl_c():
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
