"""Work on threads is work in a loop."""

from __future__ import annotations

import threading

import pytest

from dissensus.work.threads import on_threads


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
