"""Kernels run as Python while there is little to do and numba is not loaded, with the same bits either way."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest
from random_collections import EVERY, random_dicts

import dissensus as ds
from dissensus.engine.compiled import PLAIN, Compiled, compiled, elements_of, is_little
from dissensus.work.threads import on_threads

SMALL_JOB = """
import sys
import dissensus as ds
runs = ds.Runs.from_dict({"s": {"q": {"a": 2.0, "b": 1.0}}})
judgments = ds.Judgments.from_dict({"j": {"q": {"a": 0, "b": 1}}})
scores = ds.Collection(runs, judgments).score(["AP", "nDCG@10", "RBP(p=0.8)", "Bpref", "ERR", "Rprec"])
print("numba" in sys.modules, scores.values["AP"].item())
"""


def test_a_small_job_does_not_load_numba() -> None:
    done = subprocess.run([sys.executable, "-c", SMALL_JOB], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "0.5"]


def test_plain_python_and_compiled_code_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    judged, runs = random_dicts(21, assessors=2)
    r, j = ds.Runs.from_dict(runs), ds.Judgments.from_dict(judged, scale="0..3")
    fast = ds.Collection(r, j).score(EVERY).values
    monkeypatch.setattr(Compiled, "__call__", lambda self, *args: self.python(*args))
    plain = ds.Collection(r, j).score(EVERY).values
    for name in fast:
        np.testing.assert_array_equal(plain[name], fast[name], err_msg=name)


def test_a_kernel_is_compiled_when_plain_code_has_walked_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    @compiled
    def twice(values):
        return values * 2

    monkeypatch.delitem(sys.modules, "numba", raising=False)
    monkeypatch.setattr(Compiled, "fast", lambda self, values: "compiled")
    assert is_little(PLAIN)
    assert not is_little(PLAIN + 1)
    half = np.ones(PLAIN // 2)
    assert [len(twice(half)), len(twice(half)), twice(half)] == [PLAIN // 2, PLAIN // 2, "compiled"]
    monkeypatch.setitem(sys.modules, "numba", sys)
    assert not is_little(1)


def test_a_kernel_walks_its_longest_list_for_every_column_of_its_widest_table() -> None:
    assert elements_of((3, np.zeros(10), np.zeros(4), np.zeros((5, 6)))) == 10 * 6 + 30


def test_large_arrays_are_worth_compiling() -> None:
    @compiled
    def total(values):
        out = 0.0
        for i in range(len(values)):
            out += values[i]
        return out

    assert total.__name__ == "total"
    assert total(np.ones(10)) == 10.0
    assert total.fast(np.ones(5000)) == 5000.0


@pytest.mark.parametrize("threads", [1, 2, 5, None])
def test_results_are_in_the_order_of_the_items(threads: int | None) -> None:
    assert on_threads(lambda x: x * x, range(40), threads) == [x * x for x in range(40)]
    assert on_threads(str, (), threads) == []


def test_several_threads_work_at_once() -> None:
    meeting = threading.Barrier(3, timeout=20)
    assert sorted(on_threads(lambda _: meeting.wait(), range(3), threads=3)) == [0, 1, 2]


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_error_of_the_first_item_that_has_one_is_raised(threads: int) -> None:
    done: list[int] = []

    def work(x: int) -> None:
        done.append(x)
        if x in (7, 8, 20):
            raise ValueError(x)

    with pytest.raises(ValueError, match=r"^7$"):
        on_threads(work, range(1000), threads)
    assert set(range(8)) <= set(done)
    assert len(done) < 1000  # nothing is begun after an error


def test_an_interrupt_ends_the_work() -> None:
    both, done = threading.Barrier(2, timeout=20), []

    def work(x: int) -> None:
        done.append(x)
        if x < 2:
            both.wait()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        on_threads(work, range(100), threads=2)
    assert done == [0, 1]
