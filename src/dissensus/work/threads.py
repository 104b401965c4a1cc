"""Work on many items on the threads of this process: kernels let other threads run."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from threading import Thread
from typing import Any, TypeVar

from dissensus.work.settings import cores

Item = TypeVar("Item")
Result = TypeVar("Result")


def on_threads(work: Callable[[Item], Result], items: Iterable[Item], threads: int | None = None) -> list[Result]:
    """`[work(item) for item in items]`, on as many threads as there are cores, or `threads`.

    The thread that calls works too: one thread less is started for every call, and small calls cost little.
    An error ends the work: items are taken in order, so that the error of the first item that has one is raised,
    whatever the number of threads.

    >>> on_threads(lambda x: x * x, range(5), threads=2)
    [0, 1, 4, 9, 16]
    """
    todo = deque(enumerate(items))
    results: list[Any] = [None] * len(todo)
    errors: dict[int, BaseException] = {}

    def take() -> None:
        while not errors:
            try:
                number, item = todo.popleft()
            except IndexError:
                return
            try:
                results[number] = work(item)
            except BaseException as error:
                errors[number] = error

    others = [Thread(target=take) for _ in range(min(threads or cores(), len(todo)) - 1)]
    for thread in others:
        thread.start()
    try:
        take()
        for thread in others:
            thread.join()
    finally:
        todo.clear()  # interrupted while waiting: nothing more is begun
    if errors:
        raise errors[min(errors)]
    return results
